"""Duplicate by matchpoints: comparisons on each deal, Neuberg's formula where fewer have played, and the tie order."""

from __future__ import annotations

import random
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tournaments import formats
from tournaments.formats import history
from tournaments.formats.protocol import MATCHPOINTS, Result, Snapshot, by_entry_order
from tournaments.formats.scoring import game_scores, matchpoints

DUPLICATE = formats.get("duplicate")


def snapshot(*rows: tuple[int, int, tuple[int, int, int]], entrants: int, void=()) -> Snapshot:
    """`rows` are (deal, entry, score); in `void` are the (deal, entry) of void games."""
    return Snapshot(
        entrants=by_entry_order(range(1, entrants + 1)),
        rounds=1,
        games=9,
        measures=game_scores.get("vegas-solitaire").measures,
        count=MATCHPOINTS,
        results=tuple(
            Result(1, entry, deal, entry, "void" if (deal, entry) in void else "finished", score)
            for deal, entry, score in rows
        ),
    )


def standings(*args, **kwargs) -> list[tuple[int, int, int]]:
    """(place, entry, matchpoints)."""
    return [(one.place, one.entry, one.totals[0]) for one in DUPLICATE.standings(snapshot(*args, **kwargs))]


def test_a_better_result_scores_two_and_a_tie_one():
    rows = [(1, 1, (9, 9, 5)), (1, 2, (4, 4, 5)), (1, 3, (4, 4, 5)), (1, 4, (0, 0, 5))]
    assert standings(*rows, entrants=4) == [(1, 1, 600), (2, 2, 300), (2, 3, 300), (4, 4, 0)]


def test_measures_are_compared_in_order_and_fewer_moves_are_better():
    rows = [(1, 1, (4, 9, 1)), (1, 2, (5, 0, 99)), (1, 3, (4, 9, 2))]
    assert standings(*rows, entrants=3) == [(1, 2, 400), (2, 1, 200), (3, 3, 0)]


def test_one_great_deal_does_not_outweigh_many_good_ones():
    rows = [(1, 1, (50, 50, 5)), (1, 2, (1, 1, 5)), *((deal, 1, (1, 1, 5)) for deal in (2, 3))]
    rows += [(deal, 2, (2, 2, 5)) for deal in (2, 3)]
    assert standings(*rows, entrants=2) == [(1, 2, 400), (2, 1, 200)]
    by_total = DUPLICATE.standings(replace(snapshot(*rows, entrants=2), count="total"))
    assert [one.entry for one in by_total] == [1, 2]


def test_equal_matchpoints_are_ordered_by_the_totals():
    rows = [(1, 1, (9, 9, 5)), (1, 2, (1, 1, 5)), (2, 1, (0, 0, 5)), (2, 2, (1, 1, 5))]
    assert standings(*rows, entrants=2) == [(1, 1, 200), (2, 2, 200)]


@pytest.mark.parametrize(
    ("points", "played", "most", "expected"),
    [
        (18, 10, 11, 1990),
        (16, 10, 11, 1770),
        (0, 10, 11, 10),
        (14, 8, 16, 2900),
        (0, 8, 16, 100),
        (20, 11, 11, 2000),
        (0, 1, 7, 600),
        (2, 3, 7, 600),
        (4, 3, 4, 567),
        (0, 3, 4, 33),
        (3, 8, 9, 350),
    ],
    ids=str,
)
def test_neubergs_formula_in_hundredths(points, played, most, expected):
    """The first five are the English Bridge Union's own examples."""
    assert matchpoints.neuberg(points, played=played, most=most) == expected


@given(st.integers(1, 60), st.integers(0, 60), st.data())
def test_scores_are_rounded_to_the_nearest_and_a_deal_keeps_its_average(played, missing, data):
    most = played + missing
    points = data.draw(st.integers(0, 2 * played - 2))
    exact = 100 * (Fraction(points + 1) * most / played - 1)
    assert abs(matchpoints.neuberg(points, played=played, most=most) - exact) <= Fraction(1, 2)
    middle = matchpoints.neuberg(played - 1, played=played, most=most)
    assert middle == 100 * (most - 1), "half of the top, however few have played"


def test_a_void_game_is_not_compared_and_its_deal_is_scaled():
    rows = [(deal, entry, (entry, entry, 5)) for deal in (1, 2) for entry in (1, 2, 3, 4)]
    ranked = standings(*rows, entrants=4, void={(2, 4)})
    assert ranked == [(1, 3, 400 + 567), (2, 4, 600), (3, 2, 200 + 300), (4, 1, 33)]


def test_the_breakdown_lists_each_deal():
    rows = [(deal, entry, (entry, entry, 5)) for deal in (1, 2) for entry in (1, 2, 3, 4)]
    field = snapshot(*rows, entrants=4, void={(2, 4)})
    columns = [column.name for column in DUPLICATE.columns(field)]
    assert columns == ["matchpoints", "points", "cards", "moves"]
    breakdown = DUPLICATE.arithmetic(field)
    for one in DUPLICATE.standings(field):
        assert tuple(breakdown[one.entry][name].value for name in columns) == one.totals
    assert [(part.what, part.amount) for part in breakdown[2]["matchpoints"].parts] == [
        ("deal 1: 1 beaten, 0 level, of 3", 200),
        ("deal 2: 1 beaten, 0 level, of 2; 3 results for 4", 300),
    ]


scores = st.tuples(*[st.integers(0, 3)] * 3)


@given(st.dictionaries(st.tuples(st.integers(1, 4), st.integers(1, 6)), scores), st.randoms())
def test_matchpoints_equal_those_of_comparing_every_pair(scored, chance: random.Random):
    rows = [(deal, entry, score) for (deal, entry), score in scored.items()]
    shuffled = list(rows)
    chance.shuffle(shuffled)
    state = matchpoints.totals(snapshot(*rows, entrants=6))
    assert state == matchpoints.totals(snapshot(*shuffled, entrants=6))
    most = max((sum(deal == one for one, *_ in rows) for deal in range(1, 5)), default=0)
    for entry in range(1, 7):
        expected = 0
        for deal in range(1, 5):
            merits = {who: (a, b, -c) for on, who, (a, b, c) in rows if on == deal}
            if entry in merits:
                mine = merits.pop(entry)
                points = sum(2 if mine > other else mine == other for other in merits.values())
                expected += matchpoints.neuberg(points, played=len(merits) + 1, most=most)
        assert state[entry] == expected


def test_snapshots_without_matchpoints_keep_their_fingerprint():
    """The events of a tournament hold the fingerprint of each pairing, so it must never change."""
    old = Snapshot(by_entry_order((1, 2)), 1, 1, game_scores.get("vegas-solitaire").measures, lot="x")
    assert old.fingerprint() == "e063167c14c68875d04004e46f889be6911e31bc084d68ac1d5b772344d48fac"
    assert replace(old, count=MATCHPOINTS).fingerprint() != old.fingerprint()
    created = {"format": "duplicate", "rules": "vegas-solitaire", "rounds": 1, "games": 1, "measures": []}
    assert history.fold([("created", created)]).snapshot().count == "total"
