"""Any alteration of a bundle is found, and malformed documents lead to a report instead of an exception."""

import copy
import json
from functools import cache
from typing import Any
from unittest import mock

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from eventstore import chain
from eventstore.chain import GENESIS, canonical, event_hash
from games import bots
from games.bots.simulation import simulate
from games.rules import get
from games.rules.bundles.verification import Unreadable, read, verify

UNBOUND = {("transfers", "id"), ("transfers", "reason"), ("transfers", "event")}
"""Names given by the ledger, which nothing else in a bundle repeats."""


GAMES = (
    ("vegas-solitaire", {"draw": 3}, 1),
    ("vegas-solitaire", {"draw": 1, "stake": 0}, 1),
    ("racing-aces", {"burn": 3, "cards_per_draw": 2}, 2),
    ("ace-race", {"previous_winner": 1}, 3),
    ("racing-aces", {"suits": "chosen", "cards_per_draw": 4}, 5),
)


@cache
def bundle_of(which: int) -> dict[str, Any]:
    slug, config, seats = GAMES[which]
    game = get(slug)
    played = simulate(
        game, game.parse_config(config), seats=seats, bots=[bots.get(slug)], seed="tampering", number=1
    )
    return played.bundle


def paths(value, path=()):
    yield path
    if isinstance(value, dict):
        for key in value:
            yield from paths(value[key], (*path, key))
    elif isinstance(value, list):
        for index in range(len(value)):
            yield from paths(value[index], (*path, index))


@cache
def bound_paths(which: int) -> list[tuple[Any, ...]]:
    return [path for path in paths(bundle_of(which)) if path and (path[0], path[-1]) not in UNBOUND]


def altered(draw, value):
    """Return another value, as a changed byte could produce it."""
    if isinstance(value, bool):
        return draw(st.sampled_from([not value, int(value)]))
    if isinstance(value, int):
        return draw(
            st.sampled_from([value + 1, value - 1, -value - 1, value * 10 + 3, float(value), str(value)])
        )
    if isinstance(value, str):
        at = draw(st.integers(0, len(value)))
        character = draw(st.sampled_from("aA0 |/\x00é-"))
        return (
            draw(st.sampled_from([value[:at] + character + value[at + 1 :], value + character]))
            if value
            else "a"
        )
    if value is None:
        return draw(st.sampled_from([0, "", {}]))
    if isinstance(value, list):
        return draw(
            st.sampled_from([[*value, None], value[1:] if value else [0], value[:-1] if value else [1]])
        )
    return draw(st.sampled_from([{**value, "more": 1}, None, [], *({} for _ in [1] if value)]))


@st.composite
def tampered(draw, within=()):
    """A bundle with one other value, and its number in GAMES; `within` names parts of an event."""
    which = draw(st.integers(0, len(GAMES) - 1))
    bundle = copy.deepcopy(bundle_of(which))
    found = bound_paths(which)
    *way, last = draw(
        st.sampled_from([path for path in found if len(path) > 3 and path[2] in within] or found)
    )
    holder: Any = bundle
    for step in way:
        holder = holder[step]
    before = holder[last]
    # A move of one card has the same meaning without its count, and its event other hashes.
    if isinstance(holder, dict) and not (within and last == "count") and draw(st.booleans()):
        del holder[last]
    else:
        holder[last] = altered(draw, before)
    return bundle, which


@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
@given(tampered())
def test_every_altered_value_is_found(case):
    bundle, which = case
    if json.dumps(bundle, sort_keys=True) == json.dumps(bundle_of(which), sort_keys=True):
        return
    report = verify(bundle)
    assert not report.ok
    assert report.why
    assert "failed" in report.checks.values()
    with mock.patch.object(chain, "orjson", None):
        assert verify(bundle) == report


@settings(max_examples=50, deadline=None, suppress_health_check=list(HealthCheck))
@given(tampered(within=("data",)))
def test_every_altered_value_is_found_under_hashes_that_fit(case):
    bundle, which = case
    if json.dumps(bundle, sort_keys=True) == json.dumps(bundle_of(which), sort_keys=True):
        return
    prev = GENESIS
    for event in bundle["events"]:
        envelope = {key: event[key] for key in ("version", "type", "seat", "seal", "at")}
        try:
            data = canonical(event["data"])
        except ValueError:
            return
        event["prev"] = prev
        event["hash"] = prev = event_hash(stream=bundle["game"]["id"], data=data, prev=prev, **envelope)
    report = verify(bundle)
    assert not report.ok
    assert report.checks["chain"] != "failed"
    with mock.patch.object(chain, "orjson", None):
        assert verify(bundle) == report


@pytest.mark.parametrize("which", range(len(GAMES)))
def test_unaltered_bundles_verify(which):
    report = verify(json.loads(json.dumps(bundle_of(which))))
    assert report.ok
    assert set(report.checks.values()) == {"passed"}


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(0, 255))
def test_one_altered_byte_of_the_file_is_found(at, byte):
    """Only a byte that does not change the meaning of the document would not be found; there is none here."""
    raw = bytearray(json.dumps(bundle_of(1), ensure_ascii=False, separators=(",", ":")).encode())
    at %= len(raw)
    before = json.loads(raw.decode())
    raw[at] = byte
    try:
        after = read(bytes(raw))
    except Unreadable:
        return
    assert verify(after).ok == (after == before and json.dumps(after) == json.dumps(before))


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text()
    | st.sampled_from(["racecard-bundle/1", "\ud800", "dealt", "0" * 64, "2026-01-01T00:00:00.000000Z"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)


@settings(max_examples=40, deadline=None)
@given(json_values)
def test_any_json_leads_to_a_report(value):
    report = verify(value)
    assert not report.ok
    assert report.checks["format"] == "failed"
    json.dumps(report.document())


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data(), json_values)
def test_any_json_in_any_place_of_a_bundle_leads_to_a_report(data, value):
    which = data.draw(st.integers(0, len(GAMES) - 1))
    bundle = copy.deepcopy(bundle_of(which))
    *way, last = data.draw(st.sampled_from(bound_paths(which)))
    holder: Any = bundle
    for step in way:
        holder = holder[step]
    holder[last] = value
    verify(bundle).document()


def deep(levels: int) -> Any:
    value: Any = 0
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize("place", ["outcome", "data", "private", "config"])
def test_a_document_nested_too_deeply_leads_to_a_report(place):
    bundle = copy.deepcopy(bundle_of(1))
    if place == "outcome":
        bundle["outcome"] = {"x": deep(100_000)}
    elif place == "config":
        bundle["game"]["config"] = {"draw": deep(100_000)}
    else:
        bundle["events"][2][place] = {"packs": deep(100_000)}
    assert not verify(bundle).ok


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"{",
        b"\xff\xfe",
        b'{"a":1,"a":1}',
        b'{"a":NaN}',
        b'{"a":Infinity}',
        b"[" * 100_000,
        b"1" * 5000,
        "{}".encode("utf-16"),
        b"\xef\xbb\xbf{}",
    ],
    ids=lambda raw: repr(raw[:12]),
)
def test_a_document_that_is_not_json_is_unreadable(raw):
    with pytest.raises(Unreadable):
        read(raw)
