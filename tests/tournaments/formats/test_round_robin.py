"""Round robin: the circle, movements, and gaps left by withdrawals."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given

from tests.tournaments.formats.fields import assert_sound, examples, meetings, played
from tests.tournaments.formats.generator import Plan, generate
from tournaments import formats
from tournaments.formats.checker import before
from tournaments.formats.pairing import round_robin, swiss_tables

ROUND_ROBIN = formats.get("round-robin")


@pytest.fixture(autouse=True)
def _short_searches(monkeypatch):
    """Cut the searches short, so that many fields can be tried; the pairings are as valid."""
    monkeypatch.setattr(round_robin, "STEPS", 20_000)
    monkeypatch.setattr(swiss_tables, "LOOK_AHEAD", 2_000)
    monkeypatch.setattr(swiss_tables, "RESTARTS", 4)


@examples(few=5, many=60)
@given(played("round-robin", seats=(2, 3), most=12))
def test_every_round_is_valid_and_deterministic(snapshot):
    assert_sound("round-robin", snapshot)


@pytest.mark.parametrize("entrants", [2, 3, 4, 7, 10, 31])
def test_in_one_cycle_at_tables_of_two_all_meet_once(entrants):
    snapshot = generate(ROUND_ROBIN, Plan(entrants), Random(1))
    assert snapshot.rounds == entrants - 1 + entrants % 2
    assert len(meetings(snapshot.played)) == entrants * (entrants - 1) // 2
    assert set(meetings(snapshot.played).values()) == {1}
    first = Counter(table.seats[0] for pairing in snapshot.played for table in pairing.tables)
    assert max(first.values()) - min(first[entry] for entry in range(1, entrants + 1)) <= 1


def test_a_second_cycle_changes_the_seats():
    snapshot = generate(ROUND_ROBIN, Plan(6, rounds=10), Random(1))
    seated = Counter(table.seats for pairing in snapshot.played for table in pairing.tables)
    assert len(seated) == 30
    assert set(seated.values()) == {1}


@pytest.mark.parametrize(("entrants", "seats"), [(9, 3), (15, 3), (16, 4), (25, 5), (49, 7)])
def test_movements_in_which_all_entrants_meet_once(entrants, seats):
    snapshot = generate(ROUND_ROBIN, Plan(entrants, seats=seats, sizes=(seats,)), Random(1))
    assert snapshot.rounds == (entrants - 1) // (seats - 1)
    assert len(meetings(snapshot.played)) == entrants * (entrants - 1) // 2
    assert set(meetings(snapshot.played).values()) == {1}


BREADTH = [pytest.param(*case, marks=pytest.mark.nightly) for case in ((35, 5, 7), (21, 3, 7))]


@pytest.mark.parametrize(("entrants", "seats", "rounds"), [(20, 4, 5), (64, 4, 6), *BREADTH])
def test_movements_without_rematches(entrants, seats, rounds):
    snapshot = generate(ROUND_ROBIN, Plan(entrants, rounds=rounds, seats=seats, sizes=(seats,)), Random(1))
    assert set(meetings(snapshot.played).values()) == {1}


def test_the_opponent_of_an_entrant_who_left_has_a_bye():
    whole = generate(ROUND_ROBIN, Plan(6), Random(2))
    gone = replace(
        whole, entrants=tuple(replace(one, last=2) if one.entry == 4 else one for one in whole.entrants)
    )
    for round in (3, 4, 5):
        [table] = [table for table in whole.played[round - 1].tables if 4 in table.seats]
        pairing = ROUND_ROBIN.pair(before(gone, round), round)
        assert pairing.byes == tuple(entry for entry in table.seats if entry != 4)
        assert len(pairing.tables) == 2


def test_lines_move_only_where_their_steps_never_coincide():
    assert round_robin.lines(12, 3) == ()
    assert round_robin.lines(10, 3) == ()
    assert len(round_robin.lines(15, 3)) == 5
    assert len(round_robin.lines(9, 3)) == 4


def test_no_rotation_is_searched_where_none_exists():
    assert round_robin.rotation(14, 3) == ()
    assert round_robin.rotation(12, 4) == ()
