"""The points of a round: the share of the table that an entrant beat, on one scale for tables of every size."""

from __future__ import annotations

import pytest
from hypothesis import given

from tests.tournaments.formats.fields import played
from tournaments.formats.protocol import Measure, Pairing, Result, Snapshot, Table, by_entry_order
from tournaments.formats.scoring.points import Outing, outings, points_for_win, so_far

pytestmark = pytest.mark.slow

WON = Measure("won", "most", "games won")
HAND = Measure("hand", "fewest", "cards left")


def at_table(*scores: tuple[int, int], ended=(), sizes=(2, 3, 4), games=1) -> dict[int, Outing]:
    """One table at which entry n has the n-th score; entries in `ended` did not come."""
    entries = tuple(range(1, len(scores) + 1))
    results = tuple(
        Result(1, 1, game, entry, "forfeit" if entry in ended else "finished", score)
        for game in range(1, games + 1)
        for entry, score in zip(entries, scores, strict=True)
    )
    snapshot = Snapshot(
        by_entry_order((*entries, 9)), 1, games, (WON, HAND), results,
        (Pairing(1, (Table(1, entries),), byes=(9,)),), sizes, max(sizes),
    )  # fmt: skip
    return {entry: one for entry, rounds in outings(snapshot).items() for one in rounds}


def points(data: dict[int, Outing]) -> list[int]:
    return [data[entry].points for entry in sorted(data) if entry != 9]


def test_beating_a_whole_table_scores_the_same_at_every_size():
    win = points_for_win((2, 3, 4))
    assert win == 12
    assert points(at_table((1, 0), (0, 5))) == [win, 0]
    assert points(at_table((1, 0), (0, 5), (0, 2))) == [win, 0, win // 2]
    assert points(at_table((0, 1), (0, 2), (0, 3), (0, 4))) == [12, 8, 4, 0]


def test_tied_entrants_share_points():
    assert points(at_table((1, 3), (1, 3))) == [6, 6]
    assert points(at_table((1, 0), (0, 5), (0, 5))) == [12, 3, 3]


def test_a_tie_in_one_measure_is_broken_by_the_next():
    assert points(at_table((1, 3), (1, 2))) == [0, 12]


def test_the_games_of_a_table_are_added_up():
    scored = at_table((1, 2), (0, 3), games=3)
    assert scored[1].measures == (3, 6)
    assert (scored[1].margin, scored[2].margin) == (3, -3)


def test_a_no_show_scores_zero_and_is_last():
    assert points(at_table((0, 9), (0, 0), ended=(2,))) == [12, 0]
    assert points(at_table((0, 0), (0, 0), ended=(1, 2))) == [0, 0]
    assert at_table((0, 9), (0, 0), ended=(2,))[2].kind == "forfeit"


def test_a_bye_scores_a_win_without_an_opponent():
    bye = at_table((1, 0), (0, 5))[9]
    assert (bye.kind, bye.points, dict(bye.against), bye.won) == ("bye", 12, {}, False)


def test_a_round_counts_once_all_its_tables_are_closed():
    open_round = Pairing(1, (Table(1, (1, 2)), Table(2, (3, 4))))
    results = tuple(Result(1, 1, 1, entry, "finished", (entry, 0)) for entry in (1, 2))
    snapshot = Snapshot(by_entry_order((1, 2, 3, 4)), 1, 1, (WON, HAND), results, (open_round,), (2,), 2)
    assert all(rounds == () for rounds in outings(snapshot).values())


@given(played("swiss", seats=(2, 4), most=10))
def test_the_points_before_a_round_are_the_sum_of_the_earlier_rounds(snapshot):
    for round in range(1, snapshot.rounds + 2):
        assert so_far(snapshot, round) == {
            entry: sum(one.points for one in rounds if one.round < round)
            for entry, rounds in outings(snapshot).items()
        }


@given(played("swiss", seats=(2, 4), most=10))
def test_the_points_of_a_table_add_up_to_the_same_sum_for_any_result(snapshot):
    win = points_for_win(snapshot.sizes)
    state = outings(snapshot)
    for pairing in snapshot.played:
        for table in pairing.tables:
            sat = [state[entry][pairing.round - 1] for entry in table.seats]
            if all(one.kind == "played" for one in sat):
                assert 2 * sum(one.points for one in sat) == win * len(table.seats)
        assert all(state[entry][pairing.round - 1].points == win for entry in pairing.byes)
