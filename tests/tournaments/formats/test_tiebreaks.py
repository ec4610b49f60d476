"""The tie-breaks, each with its arithmetic."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tournaments.formats.fields import examples, played
from tests.tournaments.formats.generator import Plan, generate
from tournaments import formats
from tournaments.formats.protocol import (
    Entrant,
    Measure,
    Pairing,
    Result,
    Snapshot,
    Table,
)
from tournaments.formats.scoring import tiebreaks
from tournaments.formats.scoring.tiebreaks import UnknownTieBreak, lot

SCORE = Measure("score", "most", "points of the game")
MOVES = Measure("moves", "fewest", "moves made")
NAMES = [one.name for one in tiebreaks.catalogue()]


def tournament(*rounds: list[tuple[int, int, int, int]], byes: dict[int, int] | None = None) -> Snapshot:
    """Four entrants rated 1400, 1300 …; rounds of (one, its score, other, its score). `byes` is round → entry."""
    laid, results = [], []
    for number, pairs in enumerate(rounds, start=1):
        tables = []
        for table, (one, its, other, others) in enumerate(pairs, start=1):
            tables.append(Table(table, (one, other)))
            results += [
                Result(number, table, table, one, "finished", (its, 10 * its)),
                Result(number, table, table, other, "finished", (others, 10 * others)),
            ]
        bye = (byes or {}).get(number)
        laid.append(Pairing(number, tuple(tables), () if bye is None else (bye,)))
    return Snapshot(
        tuple(Entrant(number, number, rating=1500 - 100 * number) for number in range(1, 5)),
        len(rounds), 1, (SCORE, MOVES), tuple(results), tuple(laid), (2,), 2, lot="tonight",
    )  # fmt: skip


THREE = tournament(
    [(1, 5, 4, 1), (2, 3, 3, 3)],
    [(1, 2, 2, 4), (3, 9, 4, 0)],
    [(1, 6, 3, 5), (2, 1, 4, 1)],
)
"""Points: 1 has 4, 2 has 1 + 2 + 1 = 4, 3 has 1 + 2 + 0 = 3, 4 has 0 + 0 + 1 = 1."""


def value(snapshot: Snapshot, name: str, entry: int) -> int:
    return tiebreaks.arithmetic(snapshot, (name,))[entry][name].value


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("points", [4, 4, 3, 1]),
        ("buchholz", [8, 8, 9, 11]),
        ("buchholz-cut-1", [7, 7, 8, 8]),
        ("median-buchholz", [3, 3, 4, 4]),
        ("sonneborn-berger", [2 * 1 + 2 * 3, 3 + 2 * 4 + 1, 4 + 2 * 1, 4]),
        ("wins", [2, 1, 1, 0]),
        ("opponents-rating", [1200, 1233, 1267, 1300]),
        ("progressive", [2 + 2 + 4, 1 + 3 + 4, 1 + 3 + 3, 0 + 0 + 1]),
        ("margin", [4 - 2 + 1, 0 + 2 + 0, 0 + 9 - 1, -4 - 9 + 0]),
        ("score", [13, 8, 17, 2]),
        ("fewest-plays", [130, 80, 170, 20]),
        ("played", [3, 3, 3, 3]),
        ("seeding", [1, 2, 3, 4]),
        ("lot", [lot("tonight", "tie", entry) for entry in range(1, 5)]),
    ],
)
def test_each_tie_break_matches_a_manual_computation(name, expected):
    assert [value(THREE, name, entry) for entry in range(1, 5)] == expected


def test_head_to_head_considers_only_tied_entrants():
    standings = tiebreaks.rank(THREE, ("points", "head-to-head"))
    assert [(one.place, one.entry, one.totals) for one in standings] == [
        (1, 2, (4, 2)),
        (2, 1, (4, 0)),
        (3, 3, (3, 0)),
        (4, 4, (1, 0)),
    ]


def test_head_to_head_is_zero_unless_all_tied_entrants_have_met():
    one_round = tournament([(1, 5, 4, 1), (2, 7, 3, 2)])
    standings = tiebreaks.rank(one_round, ("points", "head-to-head"))
    assert [(one.place, one.entry) for one in standings] == [(1, 1), (1, 2), (3, 3), (3, 4)]
    in_a_row = tournament([(1, 5, 2, 1)], [(2, 5, 3, 1)], [(3, 5, 4, 1)], byes={1: 3, 2: 1, 3: 2})
    standings = tiebreaks.rank(in_a_row, ("points", "head-to-head"))
    assert [(one.place, one.entry) for one in standings] == [(1, 1), (1, 2), (1, 3), (4, 4)]


def test_a_bye_counts_for_points_only():
    snapshot = tournament([(1, 5, 2, 1)], byes={1: 3})
    assert value(snapshot, "points", 3) == 2
    assert [value(snapshot, name, 3) for name in ("wins", "buchholz", "margin", "played", "score")] == [0] * 5


def test_the_arithmetic_names_rounds_and_opponents():
    [first, second, third] = tiebreaks.arithmetic(THREE, ("buchholz",))[1]["buchholz"].parts
    assert (first.round, first.opponents, first.amount) == (1, (4,), 1)
    assert (second.round, second.opponents, second.amount) == (2, (2,), 4)
    assert (third.round, third.opponents, third.amount) == (3, (3,), 3)


@pytest.mark.slow
@examples(few=5, many=60)
@given(played("swiss", seats=(2, 3), most=12), st.permutations(NAMES), st.randoms(use_true_random=False))
def test_the_parts_add_up_and_the_input_order_does_not_matter(snapshot, names, chance):
    columns = tuple(names[:5])
    for reckoned in tiebreaks.arithmetic(snapshot, columns).values():
        for name, reckoning in reckoned.items():
            if reckoning.parts and name != "opponents-rating":
                assert sum(part.amount for part in reckoning.parts) == reckoning.value
    stirred = replace(snapshot, results=tuple(chance.sample(snapshot.results, len(snapshot.results))))
    assert tiebreaks.rank(stirred, columns) == tiebreaks.rank(snapshot, columns)


@given(played("swiss", seats=(2,), most=12), st.sampled_from(NAMES))
def test_places_follow_the_tie_breaks_in_order(snapshot, name):
    standings = tiebreaks.rank(snapshot, ("points", name))
    best = tiebreaks.get(name).best
    for upper, lower in pairwise(standings):
        assert upper.totals[0] >= lower.totals[0]
        if upper.totals[0] == lower.totals[0]:
            better = (
                upper.totals[1] >= lower.totals[1] if best == "most" else upper.totals[1] <= lower.totals[1]
            )
            assert better
        assert (upper.place == lower.place) == (upper.totals == lower.totals)


def test_an_unknown_tie_break_is_refused_and_there_are_at_least_ten():
    assert len(NAMES) >= 10
    with pytest.raises(UnknownTieBreak, match="buchholz"):
        tiebreaks.get("beauty")


@pytest.mark.parametrize("entrants", [60, pytest.param(300, marks=pytest.mark.nightly)])
def test_a_large_field_is_ranked_whole(entrants):
    snapshot = generate(formats.get("swiss"), Plan(entrants, rounds=3), Random(1))
    standings = tiebreaks.rank(snapshot, (*tiebreaks.DEFAULT, "lot"))
    assert [one.place for one in standings] == list(range(1, entrants + 1)), "a lot parts all who are level"
