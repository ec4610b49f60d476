"""Knockout: the bracket, byes for the best, the match for the third place, and larger tables."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest
from hypothesis import given

from tests.tournaments.formats.fields import assert_sound, examples, played
from tests.tournaments.formats.generator import SCORE, Plan, generate
from tournaments import formats
from tournaments.formats.checker import before, check, check_all
from tournaments.formats.protocol import Entrant, Result, Snapshot, Table, by_entry_order
from tournaments.formats.sizes import CannotBeSeated

KNOCKOUT = formats.get("knockout")


@examples(few=8, many=100)
@given(played("knockout", seats=(2, 3, 4, 6)))
def test_every_round_is_valid_and_there_is_a_winner(snapshot):
    assert_sound("knockout", snapshot)
    standings = KNOCKOUT.standings(snapshot)
    assert [one.place for one in standings].count(1) == 1 or any(one.last for one in snapshot.entrants)


def run(
    entrants: tuple[Entrant, ...], rounds: int, *, seats: int = 2, sizes=(2,), through: int = 1
) -> Snapshot:
    """A knockout in which the better seed always wins."""
    snapshot = Snapshot(entrants, rounds, 1, (SCORE,), sizes=sizes, preferred=seats, through=through, lot="x")
    for round in range(1, rounds + 1):
        pairing = KNOCKOUT.pair(snapshot, round)
        results = tuple(
            Result(round, table.number, table.number, entry, "finished", (-entry,))
            for table in pairing.tables
            for entry in table.seats
        )
        snapshot = Snapshot(
            entrants, rounds, 1, (SCORE,), (*snapshot.results, *results), (*snapshot.played, pairing),
            sizes, seats, through, lot="x",
        )  # fmt: skip
    return snapshot


def seats(snapshot: Snapshot) -> list[list[tuple[int, ...]]]:
    return [[table.seats for table in pairing.tables] for pairing in snapshot.played]


def places(snapshot: Snapshot) -> list[tuple[int, int]]:
    return [(one.place, one.entry) for one in KNOCKOUT.standings(snapshot)]


def test_the_best_two_meet_in_the_final_and_the_semifinal_losers_for_the_third_place():
    snapshot = run(by_entry_order(range(1, 9)), 3)
    assert seats(snapshot) == [[(1, 8), (4, 5), (2, 7), (3, 6)], [(1, 4), (2, 3)], [(1, 2), (4, 3)]]
    assert places(snapshot) == [(1, 1), (2, 2), (3, 3), (4, 4), (5, 5), (5, 6), (5, 7), (5, 8)]


def test_byes_go_to_the_best():
    snapshot = run(by_entry_order(range(1, 6)), 3)
    assert snapshot.played[0].byes == (1, 2, 3)
    assert seats(snapshot) == [[(4, 5)], [(1, 4), (2, 3)], [(1, 2), (4, 3)]]
    assert all(not pairing.relaxed for pairing in snapshot.played)


def test_an_entrant_who_left_is_skipped():
    field = tuple(Entrant(number, number, last=1 if number == 1 else None) for number in range(1, 5))
    snapshot = run(field, 2)
    assert seats(snapshot) == [[(1, 4), (2, 3)], [(4, 3)]] or snapshot.played[1].byes == (2,)
    assert places(snapshot)[0] == (1, 2)


def test_the_last_remaining_entrant_has_won():
    snapshot = replace(run(by_entry_order(range(1, 9)), 1), rounds=3)
    assert not KNOCKOUT.is_over(snapshot)
    left = replace(
        snapshot, entrants=tuple(Entrant(one, one, last=None if one == 2 else 1) for one in range(1, 9))
    )
    assert KNOCKOUT.is_over(left)
    assert places(left) == [(1, 2), (2, 1), (2, 3), (2, 4), (5, 5), (5, 6), (5, 7), (5, 8)]


def test_the_third_place_is_still_played_for_when_a_finalist_has_left():
    field = tuple(Entrant(number, number, last=1 if number == 2 else None) for number in range(1, 5))
    semifinals = replace(run(by_entry_order(range(1, 5)), 1), rounds=2, entrants=field)
    assert not KNOCKOUT.is_over(semifinals)
    last = KNOCKOUT.pair(semifinals, 2)
    assert (last.byes, [table.seats for table in last.tables]) == ((1,), [(4, 3)])
    results = tuple(Result(2, 1, 1, entry, "finished", (-entry,)) for entry in (4, 3))
    ended = replace(semifinals, played=(*semifinals.played, last), results=(*semifinals.results, *results))
    assert check_all(KNOCKOUT, ended) == ()
    assert places(ended) == [(1, 1), (2, 3), (3, 4), (4, 2)], "the third place is not the first"


def test_a_table_that_seats_all_remaining_entrants_decides():
    snapshot = run(by_entry_order(range(1, 17)), 1, seats=4, sizes=(2, 3, 4, 6), through=2)
    left = tuple(Entrant(one, one, last=None if one <= 4 else 1) for one in range(1, 17))
    snapshot = replace(snapshot, rounds=3, entrants=left)
    assert not KNOCKOUT.is_over(snapshot)
    final = KNOCKOUT.pair(snapshot, 2)
    results = tuple(Result(2, 1, 1, entry, "finished", (-entry,)) for entry in final.tables[0].seats)
    snapshot = replace(snapshot, played=(*snapshot.played, final), results=(*snapshot.results, *results))
    assert KNOCKOUT.is_over(snapshot)
    assert places(snapshot)[:4] == [(1, 1), (2, 2), (3, 3), (4, 4)]


def test_the_checker_reports_eliminated_entrants_and_missing_ones():
    snapshot = generate(KNOCKOUT, Plan(8), Random(3))
    known, right = before(snapshot, 2), snapshot.played[1]
    out = next(one for one in range(1, 9) if all(one not in table.seats for table in right.tables))
    (first, second), *_ = (table.seats for table in right.tables)
    wrong = replace(right, tables=(Table(1, (first, out)), *right.tables[1:]))
    assert [fault.why for fault in check(KNOCKOUT, known, wrong)] == [
        f"entry {second} has no place", f"entry {out} is out: it has lost 1 of 1",
    ]  # fmt: skip
    assert check(KNOCKOUT, known, right) == ()


def test_the_checker_refuses_entrants_without_lives():
    double = formats.get("double-knockout")
    snapshot = generate(double, Plan(4), Random(3))
    known, right = before(snapshot, 3), snapshot.played[2]
    assert check(double, known, right) == ()
    [gone] = set(range(1, 5)).difference(right.byes, right.tables[0].seats)
    wrong = replace(right, byes=(*right.byes, gone))
    assert [fault.why for fault in check(double, known, wrong)] == [
        f"entry {gone} is out: it has lost 2 of 2"
    ]


def test_the_best_two_of_each_table_advance_and_are_mixed():
    snapshot = run(by_entry_order(range(1, 17)), 3, seats=4, sizes=(2, 3, 4, 6), through=2)
    assert [len(round) for round in seats(snapshot)] == [4, 2, 1]
    assert sorted(seats(snapshot)[2][0]) == [1, 2, 3, 4]
    assert places(snapshot)[:6] == [(1, 1), (2, 2), (3, 3), (4, 4), (5, 5), (5, 6)]


def test_a_tie_at_a_table_goes_to_the_better_seed():
    field = by_entry_order((1, 2))
    first = Snapshot(field, 1, 1, (SCORE,), sizes=(2,), preferred=2)
    tied = tuple(Result(1, 1, 1, entry, "finished", (7,)) for entry in (1, 2))
    snapshot = Snapshot(field, 1, 1, (SCORE,), tied, (KNOCKOUT.pair(first, 1),), (2,), 2)
    assert places(snapshot) == [(1, 1), (2, 2)]


def test_an_absent_entrant_is_knocked_out():
    field = by_entry_order((1, 2))
    first = Snapshot(field, 1, 1, (SCORE,), sizes=(2,), preferred=2)
    results = (Result(1, 1, 1, 1, "forfeit", (0,)), Result(1, 1, 1, 2, "finished", (-5,)))
    snapshot = Snapshot(field, 1, 1, (SCORE,), results, (KNOCKOUT.pair(first, 1),), (2,), 2)
    assert places(snapshot) == [(1, 2), (2, 1)]


@pytest.mark.parametrize(("entrants", "rounds"), [(2, 1), (3, 2), (8, 3), (9, 4), (1000, 10)])
def test_the_number_of_rounds_of_a_bracket(entrants, rounds):
    field = Snapshot((), 0, 1, (), sizes=(2,), preferred=2)
    assert KNOCKOUT.rounds(entrants, asked=0, snapshot=field) == rounds


def test_a_field_that_cannot_shrink_to_one_table_is_refused_at_the_start():
    field = Snapshot((), 0, 1, (), sizes=(4,), preferred=4, through=2)
    with pytest.raises(CannotBeSeated):
        KNOCKOUT.rounds(5, asked=0, snapshot=field)
    assert generate(KNOCKOUT, Plan(16, seats=4, sizes=(4,), through=2), Random(1)).rounds == 3
