"""Texts and changes of events: every type has a sentence, and every change is listed once."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.evidence.judgement import judge
from games.evidence.words import Change, differences, sentence
from games.observation import open_view
from games.rules.registry import catalogue, get
from tests.games.evidence.test_judgement import GOLDEN

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.sampled_from(["7H", "KS", "over"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=12,
)


def applied(document: Any, change: Change) -> Any:
    """Return the document with one part in its new state."""
    if not change.path:
        return change.after
    step, *rest = change.path
    inner = Change(tuple(rest), change.before, change.after)
    if isinstance(step, int):
        parts = [*document, *[None] * (step + 1 - len(document))]
        parts[step] = applied(parts[step], inner)
        return parts
    return {**document, step: applied(document.get(step), inner)}


def without_nothing(value: Any) -> Any:
    """Remove parts that are null, which equal missing ones."""
    if isinstance(value, dict):
        kept = {key: without_nothing(item) for key, item in value.items()}
        return {key: item for key, item in kept.items() if item is not None}
    if isinstance(value, list):
        kept_items = [without_nothing(item) for item in value]
        while kept_items and kept_items[-1] is None:
            kept_items.pop()
        return kept_items
    return value


@given(JSON, JSON)
def test_the_differences_lead_from_one_document_to_the_other(before: Any, after: Any) -> None:
    result = differences(before, after)
    document = before
    for change in result:
        document = applied(document, change)
        assert change.text()
    assert without_nothing(document) == without_nothing(after)
    assert len({change.path for change in result}) == len(result)
    assert differences(after, after) == []


def test_changes_name_the_cards_that_a_pile_gains_and_loses() -> None:
    before = {"waste": ["7H", "KS"], "columns": [{"up": ["2C"]}], "to_act": 0}
    after = {"waste": ["7H"], "columns": [{"up": ["2C", "KS"]}], "to_act": 1}
    assert [change.text() for change in differences(before, after)] == [
        "waste: loses KS",
        "columns 0 up: gains KS",
        "to act: 0 → 1",
    ]


def test_every_kind_of_move_has_a_sentence() -> None:
    said: dict[tuple[str, str], set[str]] = {}
    for path in GOLDEN:
        bundle = json.loads(path.read_text())
        slug = bundle["game"]["rules"]
        for event in bundle["events"]:
            text = sentence(event, slug)
            assert re.fullmatch(r"[A-Z].*\.", text, re.DOTALL), text
            assert "makes the move" not in text, text
            assert "The event" not in text, text
            said.setdefault((slug, event["data"].get("move", event)["type"]), set()).add(text)
    for about in catalogue():
        kinds = {
            each["properties"]["type"]["const"]
            for each in about["move_schema"].get("oneOf", [about["move_schema"]])
        }
        missing = {kind for kind in kinds if (about["slug"], kind) not in said}
        assert not missing, f"no golden game of {about['slug']} shows {missing}"


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_every_card_is_listed_once_and_every_move_has_a_change(path: Path) -> None:
    bundle = json.loads(path.read_text())
    game = bundle["game"]
    deck: list[str] | None = None
    for one in judge(game, bundle["events"]):
        if one.before is None or one.after is None:
            continue
        before, after = open_view(one.before), open_view(one.after)
        if one.event["type"] == "dealt":
            deck = shown_cards(after, game["rules"])
            packs = one.event["private"]["packs"].values()
            # Cards burned face down are on no pile, and the bases of the piles are not shuffled.
            assert len(deck) == len(set(deck))
            burned = game["config"].get("burn", 0)
            feet = {"racing-aces": 4, "idle-aces": 8}.get(game["rules"], 0)
            assert len(deck) == sum(map(len, packs)) + feet - burned
        elif deck is not None:
            assert sorted(shown_cards(after, game["rules"])) == sorted(deck), one.event["version"]
        if one.event["type"] in ("draw", "turn", "flip", "recycle", "redeal", "bid", "give"):
            assert differences(before, after), one.event["version"]


def shown_cards(view: dict[str, Any], slug: str) -> list[str]:
    found = re.findall(r'"((?:[A2-9TJQK][CDHS]|X[12])(?:\.\w+)?)"', json.dumps(_piles(view)))
    if slug == "vegas-solitaire":
        found += [f"{rank}{suit}" for suit, top in view["foundations"].items() for rank in RANKS[:top]]
    return found


def _piles(view: dict[str, Any]) -> dict[str, Any]:
    """Return piles without duplicates: the drawn card is also in a hand."""
    return {name: value for name, value in view.items() if name != "drawn"}


RANKS = "A23456789TJQK"


def test_rules_have_the_names_of_the_catalogue() -> None:
    text = sentence(
        {
            "type": "created",
            "seat": None,
            "private": None,
            "data": {"rules": "ace-race", "rules_version": 1, "config": {}, "commitment": "c0"},
        },
        "ace-race",
    )
    assert text == f"A table of {get('ace-race', 1).name} is opened, its seed committed to as c0."


def test_the_amounts_of_a_game_for_money_have_its_format() -> None:
    event: dict[str, Any] = {"type": "collect", "seat": 0, "private": None}
    event["data"] = {"move": {"type": "collect"}, "facts": {"cards": 2, "winnings": 80}}
    told = "Seat 0 collects: 2 cards on the foundations, winnings"
    assert sentence(event, "vegas-solitaire") == f"{told} 80."
    assert sentence(event, "vegas-solitaire", amount=lambda pence: f"£{pence / 100:.2f}") == f"{told} £0.80."
    [change] = differences({"table": {"winnings": 40}}, {"table": {"winnings": 80}})
    assert change.text(lambda pence: f"£{pence / 100:.2f}") == "table winnings: £0.40 → £0.80"
    assert (change.document()["text"], change.document()["after"]) == ("table winnings: 40 → 80", 80)
