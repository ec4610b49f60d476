"""Duplicate: totals, the published tie order, shared places, the numbers of the deals."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.rules.scoring import NoScoring
from tournaments import formats
from tournaments.formats.protocol import Measure, Pairing, Result, Snapshot, Table, by_entry_order
from tournaments.formats.scoring.game_scores import get

DUPLICATE = formats.get("duplicate")
VEGAS, IDLE_ACES = get("vegas-solitaire"), get("idle-aces")
MEASURES = VEGAS.measures


def snapshot(*scores: tuple[int, int, tuple[int, int, int]], entrants: int = 3) -> Snapshot:
    """`scores` are (round, entry, score)."""
    return Snapshot(
        entrants=by_entry_order(range(1, entrants + 1)),
        rounds=3,
        games=1,
        measures=MEASURES,
        results=tuple(Result(round, entry, 1, entry, "finished", score) for round, entry, score in scores),
    )


def places(standings) -> list[tuple[int, int]]:
    return [(standing.place, standing.entry) for standing in standings]


def test_the_best_total_over_all_rounds_wins():
    standings = DUPLICATE.standings(
        snapshot((1, 1, (10, 10, 90)), (1, 2, (4, 4, 50)), (2, 1, (0, 0, 8)), (2, 2, (9, 9, 60)))
    )
    assert places(standings) == [(1, 2), (2, 1), (3, 3)]
    assert standings[0].totals == (13, 13, 110)
    assert standings[0].games == 2


def test_equal_points_are_ordered_by_cards_then_by_fewer_moves():
    by_cards = DUPLICATE.standings(snapshot((1, 1, (7, 6, 10)), (1, 2, (7, 7, 99)), (1, 3, (1, 1, 1))))
    by_moves = DUPLICATE.standings(snapshot((1, 1, (7, 7, 99)), (1, 2, (7, 7, 98)), (1, 3, (1, 1, 1))))
    assert places(by_cards) == [(1, 2), (2, 1), (3, 3)]
    assert places(by_moves) == [(1, 2), (2, 1), (3, 3)]


def test_entrants_equal_in_everything_share_a_place_and_the_next_is_skipped():
    same = (7, 7, 40)
    standings = DUPLICATE.standings(snapshot((1, 3, same), (1, 1, same), (1, 2, (1, 1, 1)), entrants=4))
    assert places(standings) == [(1, 1), (1, 3), (3, 2), (4, 4)]


def test_an_entrant_without_games_is_ranked_with_zero():
    [only] = DUPLICATE.standings(snapshot(entrants=1))
    assert (only.place, only.totals, only.games) == (1, (0, 0, 0), 0)


@given(
    st.lists(
        st.tuples(st.integers(1, 3), st.integers(1, 6), st.tuples(*[st.integers(0, 4)] * 3)), max_size=40
    ),
    st.randoms(use_true_random=False),
)
def test_the_order_of_the_results_does_not_matter(scores, chance: random.Random):
    shuffled = list(scores)
    chance.shuffle(shuffled)
    there, back = (DUPLICATE.standings(snapshot(*rows, entrants=6)) for rows in (scores, shuffled))
    assert there == back
    assert sorted(standing.entry for standing in there) == [1, 2, 3, 4, 5, 6]
    for better, worse in pairwise(there):
        assert better.place <= worse.place
        assert (better.place == worse.place) == (better.totals == worse.totals)


def test_every_entrant_has_a_separate_table_in_entry_order():
    field = Snapshot(entrants=by_entry_order((2, 5, 9)), rounds=1, games=1, measures=MEASURES)
    assert DUPLICATE.pair(field, 1) == Pairing(1, (Table(1, (2,)), Table(2, (5,)), Table(3, (9,))))


def test_all_tables_share_the_deal_with_the_number_of_the_game():
    assert {DUPLICATE.deal(tables=16, game=2, table=table) for table in range(1, 17)} == {2}
    assert len({DUPLICATE.sharers(deal=2, table=table) for table in range(1, 17)}) == 1
    assert DUPLICATE.sharers(deal=1, table=1) != DUPLICATE.sharers(deal=2, table=1)


def test_duplicate_requires_a_game_of_one_seat():
    assert DUPLICATE.suits((1,))
    assert not DUPLICATE.suits((0, 1, 2))
    assert not DUPLICATE.suits((2, 3, 4))


def test_vegas_counts_winnings_cards_and_moves():
    outcome = {"result": "collected", "cards": 12, "winnings": 12, "complete": False}
    assert VEGAS.score(outcome, seat=0, moves=80) == (12, 12, 80)
    assert VEGAS.score(None, seat=0, moves=80) == (0, 0, 0)
    assert [(measure.name, measure.best) for measure in VEGAS.measures] == [
        ("points", "most"),
        ("cards", "most"),
        ("moves", "fewest"),
    ]


def test_idle_aces_counts_wins_cards_and_plays():
    won = {"result": "won", "cards": 104, "plays": 120}
    lost = {"result": "lost", "cards": 97, "plays": 99}
    assert IDLE_ACES.score(won, seat=0, moves=300) == (1, 104, 120)
    assert IDLE_ACES.score(lost, seat=0, moves=300) == (0, 97, 99)
    assert [(measure.name, measure.best) for measure in get("idle-aces").measures] == [
        ("points", "most"),
        ("cards", "most"),
        ("plays", "fewest"),
    ]


def test_a_game_without_published_scoring_is_named():
    with pytest.raises(NoScoring, match="bingo"):
        get("bingo")


def test_an_unknown_format_error_lists_the_known_ones():
    with pytest.raises(formats.UnknownFormat, match="duplicate"):
        formats.get("beauty-contest")
    known = [known.slug for known in formats.catalogue()]
    assert known == [
        "double-knockout", "duplicate", "knockout", "meeting", "round-robin", "stages", "swiss",
    ]  # fmt: skip


def test_a_measure_has_a_text():
    assert Measure("points", "most", "x").document() == {"name": "points", "best": "most", "meaning": "x"}
