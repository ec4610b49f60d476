"""The verdict on each event, for the published bundles and for tampered ones up to the first fault."""

from __future__ import annotations

import copy
import itertools
import json
import random
from pathlib import Path
from typing import Any

import pytest

from games.evidence.judgement import judge
from games.rules.bundles.verification import verify
from tests.tampering import rehash

GOLDEN = sorted((Path(__file__).parents[2] / "golden").glob("*.json"))
Bundle = dict[str, Any]


def read(name: str) -> Bundle:
    [path] = [path for path in GOLDEN if path.stem == name]
    return dict(json.loads(path.read_text()))


def chained(bundle: Bundle) -> Bundle:
    """Return the altered events with recomputed hashes."""
    rehash(bundle["game"]["id"], bundle["events"])
    return bundle


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_every_event_of_an_honest_game_passes(path: Path) -> None:
    bundle = json.loads(path.read_text())
    judged = list(judge(bundle["game"], bundle["events"]))
    assert len(judged) == len(bundle["events"])
    assert {(one.chain, one.rules, one.check) for one in judged} == {("passed", "passed", None)}
    for one, following in itertools.pairwise(judged):
        assert one.after is following.before
    last = judged[-1].after
    assert last is not None
    assert last.outcome == bundle["outcome"]


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_in_a_running_game_only_the_checks_of_the_seed_are_missing(path: Path) -> None:
    """An auditor reads a running game. No check fails because of data that is still secret."""
    bundle = json.loads(path.read_text())
    judged = judge(bundle["game"] | {"server_seed": None}, bundle["events"])
    assert {(one.chain, one.rules) for one in judged} == {("passed", "passed")}


def test_a_changed_event_fails_by_its_hash_and_ends_the_checks() -> None:
    bundle = read("vegas-draw-3-complete")
    bundle["events"][19]["at"] = "2030-01-01T00:00:00.000000Z"
    judged = list(judge(bundle["game"], bundle["events"]))
    assert {one.chain for one in judged[:19]} == {"passed"}
    assert (judged[19].chain, judged[19].rules, judged[19].check) == ("failed", "not-run", "chain")
    assert {(one.chain, one.rules) for one in judged[20:]} == {("not-run", "not-run")}
    assert judged[-1].after is not None, "what is recorded is shown all the same"


def test_an_illegal_move_with_a_valid_hash_fails_by_the_rules() -> None:
    bundle = read("vegas-draw-3-complete")
    index = next(i for i, event in enumerate(bundle["events"]) if event["type"] == "move")
    bundle["events"][index]["data"]["move"]["to"] = "column:6"
    judged = list(judge(bundle["game"], chained(bundle)["events"]))
    found = next(one for one in judged if one.divergence)
    assert (found.event["version"], found.chain, found.rules) == (index + 1, "passed", "failed")
    assert found.check in ("moves", "facts")
    assert {one.rules for one in judged[index + 1 :]} == {"not-run"}


def test_the_first_divergence_is_that_of_the_bundle() -> None:
    """Evidence and `racecard verify` name the same damaged event."""
    chance = random.Random(6)
    for path in GOLDEN:
        bundle = json.loads(path.read_text())
        damaged = copy.deepcopy(bundle)
        event = chance.choice(
            [one for one in damaged["events"] if "move" in one["data"]] or damaged["events"]
        )
        event["data"] = chance.choice([{}, {"move": {"type": "draw"}, "facts": {}}, {"facts": None}])
        first = next(
            (one for one in judge(damaged["game"], chained(damaged)["events"]) if one.divergence), None
        )
        report = verify(damaged)
        if first is None:
            assert report.version is None, path.stem
        else:
            assert (report.version, report.faults[0].check) == (first.event["version"], first.check), (
                path.stem
            )


def test_malformed_events_have_a_verdict_too() -> None:
    bundle = read("racing-aces")
    for data in ({"move": None}, {"move": {"type": "draw"}}, {"bet_seeds": 5}, {"reason": 1.5}):
        damaged = copy.deepcopy(bundle)
        damaged["events"][2]["data"] = data
        judged = list(judge(damaged["game"], damaged["events"]))
        assert judged[2].check is not None
