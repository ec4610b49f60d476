"""Table sizes: fewest byes, then fewest seats at odd tables, compared with an exhaustive search."""

from __future__ import annotations

from itertools import combinations_with_replacement

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tournaments.formats.sizes import CannotBeSeated, Sizes, plan, plan_or_sit_out

ACE_RACE = (2, 3, 4, 6)


def best_of_all(entrants: int, sizes: tuple[int, ...], preferred: int) -> tuple[int, int] | None:
    """Return the fewest byes, then the fewest seats at odd tables, by trying every set of tables."""
    ways = [
        (entrants - sum(tables), sum(size for size in tables if size != preferred))
        for count in range(1, entrants // min(sizes) + 1)
        for tables in combinations_with_replacement(sizes, count)
        if sum(tables) <= entrants
    ]
    return min(ways, default=None)


@given(
    st.integers(1, 19),
    st.lists(st.sampled_from((2, 3, 4, 5, 6, 8)), min_size=1, max_size=4, unique=True),
    st.randoms(use_true_random=False),
)
def test_no_other_sizes_have_fewer_byes_or_fewer_odd_seats(entrants, sizes, chance):
    preferred = chance.choice(sizes)
    best = best_of_all(entrants, tuple(sorted(sizes)), preferred)
    if best is None:
        with pytest.raises(CannotBeSeated):
            plan(entrants, sizes=sizes, preferred=preferred)
        return
    found = plan(entrants, sizes=sizes, preferred=preferred)
    assert set(found.tables) <= set(sizes)
    assert sum(found.tables) + found.byes == entrants
    assert (found.byes, sum(size for size in found.tables if size != preferred)) == best


@pytest.mark.parametrize(
    ("entrants", "preferred", "expected"),
    [
        (16, 4, Sizes((4, 4, 4, 4), 0)),
        (17, 4, Sizes((4, 4, 4, 3, 2), 0)),
        (5, 4, Sizes((3, 2), 0)),
        (7, 6, Sizes((4, 3), 0)),
        (9, 6, Sizes((6, 3), 0)),
        (3, 2, Sizes((3,), 0)),
    ],
)
def test_tables_of_ace_race(entrants, preferred, expected):
    assert plan(entrants, sizes=ACE_RACE, preferred=preferred) == expected


def test_an_odd_field_of_pairs_has_one_bye():
    assert plan(7, sizes=(2,), preferred=2) == Sizes((2, 2, 2), 1)


def test_a_large_field_takes_no_longer_than_a_small_one():
    assert plan(10_001, sizes=range(2, 9), preferred=4).tables[:2] == (5, 4)


def test_entrants_too_few_for_a_table_have_byes():
    assert plan_or_sit_out(2, sizes=(3, 4), preferred=4) == Sizes((), 2)
    assert plan_or_sit_out(0, sizes=(2,), preferred=2) == Sizes((), 0)


def test_the_preferred_size_is_one_of_them():
    with pytest.raises(ValueError, match="5 is none of"):
        plan(10, sizes=(2, 3), preferred=5)
