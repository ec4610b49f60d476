"""Test that hidden data changes no output of the rules: views, legal moves, events, refusals, odds."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games.rules import Refused
from games.rules import table as tables
from games.rules.racing_aces.odds import odds
from games.rules.table import Table
from tests.secrecy import forms
from tests.secrecy.worlds import TEXTS, Audience, Course, Stage, other_world, played, shown, unfolded

pytestmark = pytest.mark.slow

SEED = bytes(range(32))
REFUSED_EVERY = 9
"""At every so many stages each move that there is gets tried."""


def some_game(rules: str, rng: random.Random, *, most: int = 40) -> Course:
    """Return a game of some config and size after some moves."""
    config, seats = SETTINGS[rules](rng)
    return played(Course(rules, config, seats, rng.randbytes(32)), rng, most=most)


def _race(rng: random.Random) -> tuple[dict[str, Any], int]:
    config = {"burn": rng.choice([0, 0, 7]), "cards_per_draw": rng.choice([1, 3]), "finish_line": 13}
    return config, rng.choice([0, 2])


def _vegas(rng: random.Random) -> tuple[dict[str, Any], int]:
    return {"draw": rng.choice([1, 3]), "stake": 0}, 1


def _idle(rng: random.Random) -> tuple[dict[str, Any], int]:
    return {"redeals": rng.choice([0, 1, 2])}, 1


def _ace_race(rng: random.Random) -> tuple[dict[str, Any], int]:
    seats = rng.choice([2, 3, 4, 6])
    previous = rng.choice([None, *range(seats)])
    return {
        "dealer": rng.randrange(seats),
        "previous_winner": previous,
        "continuation": rng.choice(["strict", "chained"]),
    }, seats


def _demons(rng: random.Random) -> tuple[dict[str, Any], int]:
    return {
        "pace": rng.choice(["race", "turns"]),
        "turn": rng.choice([1, 3]),
        "stuck": rng.choice(["burn", "end"]),
    }, rng.choice([2, 3])


SETTINGS = {
    "racing-aces": _race,
    "vegas-solitaire": _vegas,
    "idle-aces": _idle,
    "ace-race": _ace_race,
    "racing-demons": _demons,
}


def output(stage: Stage, audience: Audience, place: int) -> bytes:
    """Return all output as it would be sent, including the order of keys and lists."""
    everything = {**shown(stage, audience), "odds": _odds(stage.table)}
    if audience is not None and place % REFUSED_EVERY == 0:
        everything["refusals"] = refusals(stage.table, audience)
    return json.dumps(everything, default=str).encode()


def refusals(table: Table, seat: int) -> list[Any]:
    """Return the response to each possible move, without the facts that an accepted one reveals."""
    found: list[Any] = []
    for move in forms.moves(table.game.slug, len(table.seats)):
        try:
            tables.decide(table, seat, move, table.key(SEED))
        except Refused as refused:
            found.append((refused.code, refused.rule, refused.fact))
        else:
            found.append("accepted")
    return found


def _odds(table: Table) -> str | None:
    return str(odds(table.state)) if table.game.slug == "racing-aces" else None


@pytest.mark.parametrize("rules", TEXTS)
@settings(max_examples=5)
@given(chance=st.randoms(use_true_random=False))
def test_hidden_differences_change_no_rule_output(rules: str, chance: random.Random) -> None:
    _compare(rules, chance)


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("rules", TEXTS)
@settings(max_examples=100, deadline=None)
@given(chance=st.randoms(use_true_random=False))
def test_hidden_differences_change_no_rule_output_in_many_worlds(rules: str, chance: random.Random) -> None:
    """Compares 100 pairs of each game, of up to 150 moves."""
    _compare(rules, chance, most=150)


def _compare(rules: str, chance: random.Random, *, most: int = 40) -> None:
    course = some_game(rules, chance, most=most)
    for audience in (None, *chance.sample(range(course.seats), min(2, course.seats))):
        other = other_world(course, audience, chance)
        for place, (one, two) in enumerate(zip(unfolded(course), unfolded(other), strict=True)):
            assert output(one, audience, place) == output(two, audience, place), (
                f"seat {audience}, step {place}"
            )


@pytest.mark.parametrize("rules", TEXTS)
def test_worlds_differ(rules: str) -> None:
    """Almost every game has a different world for every audience, so that the tests above compare something."""
    differing, audiences = 0, 0
    for number in range(8):
        rng = random.Random(number)
        course = some_game(rules, rng, most=15)
        for audience in (None, *range(course.seats)):
            audiences += 1
            differing += other_world(course, audience, rng).orders != course.orders
    assert differing >= audiences * 3 // 4


def test_reshuffled_cards_are_exchanged_too() -> None:
    """An Ace shuffles the discards, so that cards that were visible become hidden."""
    assert any(_hidden_again(random.Random(number)) for number in range(60))


def _hidden_again(rng: random.Random) -> set[int]:
    """Return the cards that were visible before a reshuffle and are exchanged afterwards."""
    course = some_game("ace-race", rng, most=60)
    other = other_world(course, None, rng)
    known: set[int] = set()
    exchanged: set[int] = set()
    for stage in unfolded(course):
        for label in stage.shuffled:
            pairs = zip(course.orders[label], other.orders[label], strict=True)
            exchanged |= known & {card for card, now in pairs if card != now}
        known |= set(stage.table.state.discards)
    return exchanged
