"""Swiss rounds at larger tables: no avoidable rematches, and small fields look ahead."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest
from hypothesis import given

from tests.tournaments.formats.fields import assert_sound, examples, meetings, played
from tests.tournaments.formats.generator import Plan, generate
from tournaments import formats
from tournaments.formats.pairing import swiss_tables

pytestmark = pytest.mark.slow

SWISS = formats.get("swiss")


@pytest.fixture(autouse=True)
def _short_searches(monkeypatch):
    """Cut the searches short, so that many fields can be tried; the pairings are as valid."""
    monkeypatch.setattr(swiss_tables, "LOOK_AHEAD", 4_000)
    monkeypatch.setattr(swiss_tables, "RESTARTS", 8)


@examples(few=5, many=60)
@given(played("swiss", seats=(3, 4), most=14))
def test_every_round_is_valid_and_deterministic(snapshot):
    assert_sound("swiss", snapshot)


def test_sixteen_in_fours_all_meet_once_in_five_rounds(monkeypatch):
    monkeypatch.undo()
    snapshot = generate(SWISS, Plan(16, rounds=5, seats=4, sizes=(4,)), Random(2))
    assert len(meetings(snapshot.played)) == 16 * 15 // 2
    assert set(meetings(snapshot.played).values()) == {1}


@pytest.mark.parametrize("entrants", [120, pytest.param(400, marks=pytest.mark.nightly)])
def test_a_large_field_never_meets_twice_in_seven_rounds(entrants):
    snapshot = generate(SWISS, Plan(entrants, rounds=7, seats=4, sizes=(4,)), Random(2))
    assert set(meetings(snapshot.played).values()) == {1}
    assert all(len(pairing.tables) == entrants // 4 and not pairing.relaxed for pairing in snapshot.played)


def test_with_equal_points_the_strongest_are_at_different_tables():
    snapshot = generate(SWISS, Plan(12, rounds=1, seats=4, sizes=(4,)), Random(2))
    seeding = {entrant.entry: entrant.seeding for entrant in snapshot.entrants}
    seeds = sorted(sorted(seeding[entry] for entry in table.seats) for table in snapshot.played[0].tables)
    assert seeds == [[1, 4, 7, 10], [2, 5, 8, 11], [3, 6, 9, 12]]


def test_short_tables_and_byes_rotate():
    short = generate(SWISS, Plan(30, rounds=3, seats=4, sizes=(3, 4)), Random(2))
    at_short = Counter(
        entry
        for pairing in short.played
        for table in pairing.tables
        if len(table.seats) == 3
        for entry in table.seats
    )
    assert max(at_short.values()) == 1
    byes = generate(SWISS, Plan(13, rounds=6, seats=4, sizes=(4,)), Random(2))
    assert set(Counter(entry for pairing in byes.played for entry in pairing.byes).values()) == {1}


def test_an_unavoidable_rematch_is_reported():
    snapshot = generate(SWISS, Plan(8, rounds=4, seats=4, sizes=(4,)), Random(1))
    again = [one for pairing in snapshot.played for one in pairing.relaxed]
    assert {one.what for one in again} == {"rematch"}
    assert sum(times - 1 for times in meetings(snapshot.played).values()) == len(again)


def test_entrants_too_few_for_a_table_have_byes():
    snapshot = generate(SWISS, Plan(4, rounds=3, seats=4, sizes=(4,), leaving=60), Random(3))
    assert any(pairing.byes and not pairing.tables for pairing in snapshot.played)
    assert_sound("swiss", snapshot)
