"""Double knockout: an entrant is out after two losses. The final may be repeated; larger tables have no brackets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tournaments.formats.fields import SIZES, assert_sound, examples, meetings, played
from tests.tournaments.formats.generator import SCORE, Plan, generate
from tournaments import formats
from tournaments.formats.pairing import double_knockout
from tournaments.formats.protocol import Entrant, Pairing, Relaxed, Result, Snapshot, Table, by_entry_order
from tournaments.formats.sizes import CannotBeSeated

DOUBLE = formats.get("double-knockout")

Order = Callable[[int, tuple[int, ...]], list[int]]
"""(round, seats) to the seats, the best first."""


def better_seed(round: int, seats: tuple[int, ...]) -> list[int]:
    return sorted(seats)


def run(
    entrants: tuple[Entrant, ...], order: Order = better_seed, *, seats: int = 2, through: int = 1
) -> Snapshot:
    """A tournament played until it is over."""
    snapshot = Snapshot(
        entrants, 0, 1, (SCORE,), sizes=SIZES[seats], preferred=seats, through=through, lot="x"
    )  # fmt: skip
    snapshot = replace(snapshot, rounds=DOUBLE.rounds(len(entrants), asked=0, snapshot=snapshot))
    for round in range(1, snapshot.rounds + 1):
        pairing = DOUBLE.pair(snapshot, round)
        results = tuple(
            Result(round, table.number, table.number, entry, "finished", (-place,))
            for table in pairing.tables
            for place, entry in enumerate(order(round, table.seats), start=1)
        )
        snapshot = replace(
            snapshot, played=(*snapshot.played, pairing), results=(*snapshot.results, *results)
        )
        if DOUBLE.is_over(snapshot):
            return snapshot
    raise AssertionError("the last round has decided nothing")


def seats(snapshot: Snapshot) -> list[list[tuple[int, ...]]]:
    return [[table.seats for table in pairing.tables] for pairing in snapshot.played]


def places(snapshot: Snapshot) -> list[tuple[int, int]]:
    return [(one.place, one.entry) for one in DOUBLE.standings(snapshot)]


def losses(snapshot: Snapshot) -> Counter[int]:
    """Count the losses of each entrant at tables of two, from the results alone."""
    score = {(one.round, one.entry): (one.ended != "forfeit", *one.score) for one in snapshot.results}
    seed = {one.entry: -one.seeding for one in snapshot.entrants}
    lost: Counter[int] = Counter()
    for pairing in snapshot.played:
        for table in pairing.tables:
            lost[min(table.seats, key=lambda entry: (merit(score[pairing.round, entry]), seed[entry]))] += 1
    return lost


def merit(score: tuple[int, ...]) -> tuple[int, ...]:
    """Return a sort key. Of the second measure the least is best; entrants who did not come are equal."""
    came, *measures = score
    return (came, *measures[:1], *(-one for one in measures[1:])) if came else (0,)


@examples(few=8, many=120)
@given(played("double-knockout", seats=(2, 3, 4, 6)))
def test_every_round_is_valid_and_there_is_one_winner(snapshot):
    assert_sound("double-knockout", snapshot)
    assert DOUBLE.is_over(snapshot)
    breakdown, columns = DOUBLE.arithmetic(snapshot), DOUBLE.columns(snapshot)
    standings = DOUBLE.standings(snapshot)
    for one in standings:
        assert one.totals == tuple(breakdown[one.entry][column.name].value for column in columns)
    assert [one.place for one in standings].count(1) == 1 or any(one.last for one in snapshot.entrants)


@examples(few=6, many=80)
@given(st.integers(2, 40), st.integers(0, 10**6), st.sampled_from((0, 10)))
def test_at_tables_of_two_all_but_the_winner_lose_exactly_twice(entrants, seed, absent):
    snapshot = generate(DOUBLE, Plan(entrants, absent=absent), Random(seed))
    lost = losses(snapshot)
    (_, winner), *others = places(snapshot)
    assert lost[winner] <= 1
    assert {lost[entry] for _, entry in others} == {2}
    assert len(snapshot.played) == snapshot.rounds - (lost[winner] == 0)


def test_four_play_both_brackets_and_a_final():
    snapshot = run(by_entry_order(range(1, 5)))
    assert seats(snapshot) == [[(1, 4), (2, 3)], [(1, 2), (4, 3)], [(3, 2)], [(1, 2)]]
    assert [pairing.byes for pairing in snapshot.played] == [(), (), (1,), ()]
    assert places(snapshot) == [(1, 1), (2, 2), (3, 3), (4, 4)]
    assert snapshot.rounds == 5, "the fifth was not needed"


def test_the_winner_of_the_losers_bracket_must_win_the_final_twice():
    def second_wins_the_first_final(round: int, seats: tuple[int, ...]) -> list[int]:
        return sorted(seats, reverse=round == 4)

    snapshot = run(by_entry_order(range(1, 5)), second_wins_the_first_final)
    assert seats(snapshot)[3:] == [[(1, 2)], [(2, 1)]]
    assert snapshot.played[4].relaxed == (Relaxed("rematch", (1, 2)),)
    assert places(snapshot)[:2] == [(1, 1), (2, 2)]
    before = replace(snapshot, played=snapshot.played[:4], results=snapshot.results[:-2])
    assert not DOUBLE.is_over(before)
    assert [one.totals for one in DOUBLE.standings(before)][:2] == [(5, 1, 1), (5, 1, 1)]

    def second_wins_both(round: int, seats: tuple[int, ...]) -> list[int]:
        return sorted(seats, reverse=round >= 4)

    assert places(run(by_entry_order(range(1, 5)), second_wins_both))[:2] == [(1, 2), (2, 1)]


def test_two_entrants_meet_until_one_has_lost_twice():
    snapshot = run(by_entry_order((1, 2)))
    assert seats(snapshot) == [[(1, 2)], [(1, 2)]]
    turned = run(by_entry_order((1, 2)), lambda round, seats: sorted(seats, reverse=round == 1))
    assert seats(turned) == [[(1, 2)], [(2, 1)], [(1, 2)]]
    assert places(turned) == [(1, 1), (2, 2)]


def test_byes_go_to_the_best_and_every_round_has_a_table():
    snapshot = run(by_entry_order(range(1, 6)))
    assert snapshot.played[0].byes == (1, 2, 3)
    for entrants in range(2, 20):
        assert all(pairing.tables for pairing in run(by_entry_order(range(1, entrants + 1))).played)


@pytest.mark.parametrize("entrants", [16, 64, pytest.param(128, marks=pytest.mark.nightly)])
def test_no_rematch_before_four_are_left_in_the_losers_bracket(entrants):
    """For any results."""
    chance = Random(entrants)
    for _ in range(2):
        shuffled: dict[tuple[int, int], float] = {}
        snapshot = run(
            by_entry_order(range(1, entrants + 1)),
            lambda round, seats, by=shuffled: sorted(
                seats, key=lambda entry: by.setdefault((round, entry), chance.random())
            ),
        )
        four_left = snapshot.rounds - 1 - 4
        assert max(meetings(snapshot.played[: four_left - 1]).values()) == 1


def test_every_remaining_entrant_has_a_table_or_a_bye():
    snapshot = generate(DOUBLE, Plan(21), Random(4))
    lost: Counter[int] = Counter()
    for number, pairing in enumerate(snapshot.played):
        lost = losses(replace(snapshot, played=snapshot.played[:number]))
        placed = {*pairing.byes, *(entry for table in pairing.tables for entry in table.seats)}
        assert placed == {one.entry for one in snapshot.entrants if lost[one.entry] < 2}


def test_an_entrant_who_left_is_skipped_and_keeps_its_place():
    field = tuple(Entrant(number, number, last=2 if number == 1 else None) for number in range(1, 5))
    snapshot = run(field)
    assert seats(snapshot) == [[(1, 4), (2, 3)], [(1, 2), (4, 3)], [(3, 2)]]
    assert places(snapshot) == [(1, 2), (2, 3), (3, 1), (4, 4)]
    left = DOUBLE.arithmetic(snapshot)[1]["lives"]
    assert (left.value, left.parts[-1].what) == (0, "left")


def test_at_larger_tables_two_losses_eliminate_and_the_last_table_decides():
    snapshot = run(by_entry_order(range(1, 9)), seats=4, through=2)
    lives = Counter(dict.fromkeys(range(1, 9), 2))
    for pairing in snapshot.played[:-1]:
        placed = [entry for table in pairing.tables for entry in table.seats]
        assert sorted((*placed, *pairing.byes)) == sorted(entry for entry, left in lives.items() if left > 0)
        for table in pairing.tables:
            through = min(2, len(table.seats) - 1)
            lives.subtract(sorted(table.seats)[through:])
    [final] = snapshot.played[-1].tables
    assert sorted(final.seats) == sorted(entry for entry, left in lives.items() if left > 0)
    assert [place for place, _ in places(snapshot)][: len(final.seats)] == list(
        range(1, len(final.seats) + 1)
    )


def test_a_table_that_seats_the_whole_field_decides():
    snapshot = run(by_entry_order(range(1, 5)), seats=4, through=2)
    assert seats(snapshot) == [[(1, 2, 3, 4)]]
    assert places(snapshot) == [(1, 1), (2, 2), (3, 3), (4, 4)]


def test_entrants_of_one_row_are_exchanged_to_avoid_a_rematch():
    snapshot = run(by_entry_order(range(1, 25)), seats=4, through=2)
    assert max(meetings(snapshot.played[:2]).values()) == 1


@examples(few=8, many=120)
@given(st.integers(2, 60), st.sampled_from((3, 4, 6)), st.integers(0, 10**6), st.data())
def test_no_double_knockout_at_larger_tables_exceeds_the_maximum_of_rounds(entrants, size, seed, data):
    through = data.draw(st.integers(1, size - 1))
    plan = Plan(entrants, seats=size, sizes=SIZES[size], through=through)
    snapshot = generate(DOUBLE, plan, Random(seed))
    assert DOUBLE.is_over(snapshot)
    assert len(snapshot.played) <= snapshot.rounds
    course = double_knockout.Course(snapshot)
    assert course.is_decided


def test_a_field_that_might_not_shrink_to_one_table_is_refused_at_the_start():
    with pytest.raises(CannotBeSeated):
        double_knockout.lives_rounds(16, sizes=(4,), preferred=4, through=2)
    with pytest.raises(CannotBeSeated):
        double_knockout.lives_rounds(3, sizes=(4,), preferred=4, through=2)
    assert double_knockout.lives_rounds(4, sizes=(4,), preferred=4, through=2) == 1


def test_remaining_entrants_who_fill_no_table_are_ranked_by_standings():
    field = tuple(Entrant(number, number, last=None if number < 3 else 1) for number in range(1, 7))
    snapshot = Snapshot(field, 9, 1, (SCORE,), sizes=(3,), preferred=3, through=2)
    pairing = DOUBLE.pair(snapshot, 1)
    results = tuple(
        Result(1, table.number, 1, entry, "finished", (-entry,))
        for table in pairing.tables
        for entry in table.seats
    )
    snapshot = replace(snapshot, played=(pairing,), results=results)
    assert DOUBLE.is_over(snapshot)
    assert places(snapshot)[:2] == [(1, 1), (1, 2)]


def test_a_round_without_results_advances_no_entrant():
    snapshot = Snapshot(by_entry_order((1, 2)), 3, 1, (SCORE,), sizes=(2,), preferred=2)
    opened = replace(snapshot, played=(Pairing(1, (Table(1, (1, 2)),)),))
    assert not DOUBLE.is_over(opened)
    assert [one.totals for one in DOUBLE.standings(opened)] == [(1, 1, 2), (1, 1, 2)]
