"""Every division adds up to the divided amount."""

from __future__ import annotations

import doctest
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger import splits
from ledger.splits import WHOLE, largest_remainder, prizes, rake

pence = st.integers(0, 10**11)


def test_the_examples_of_the_docstrings_hold() -> None:
    assert doctest.testmod(splits).failed == 0


@given(pence, st.lists(st.integers(0, 10**6), min_size=1, max_size=40).filter(any))
def test_shares_add_up_and_are_within_a_penny_of_exact(amount: int, weights: list[int]) -> None:
    shares = largest_remainder(amount, weights)
    assert sum(shares) == amount
    for share, weight in zip(shares, weights, strict=True):
        assert abs(share * sum(weights) - amount * weight) < sum(weights)


@given(pence, st.lists(st.integers(1, 100), min_size=2, max_size=8), st.randoms())
def test_explicit_order_overrides_listing(amount: int, weights: list[int], random: object) -> None:
    order = list(range(len(weights)))
    shares = largest_remainder(amount, weights, order)
    turned = largest_remainder(amount, weights[::-1], order[::-1])
    assert turned == shares[::-1]


@pytest.mark.parametrize(("amount", "weights"), [(-1, [1]), (1, []), (1, [0, 0]), (1, [2, -1])])
def test_invalid_divisions_are_refused(amount: int, weights: list[int]) -> None:
    with pytest.raises(ValueError):
        largest_remainder(amount, weights)
    with pytest.raises(ValueError):
        largest_remainder(5, [1, 1], order=[0])


@st.composite
def payable(draw: st.DrawFn) -> tuple[list[int], list[list[int]]]:
    cuts = sorted(draw(st.lists(st.integers(0, WHOLE), max_size=6)))
    points = sorted((b - a for a, b in zip([0, *cuts], [*cuts, WHOLE], strict=True)), reverse=True)
    sizes = draw(st.lists(st.integers(1, 4), min_size=1, max_size=8))
    entries = iter(range(100))
    return points, [[next(entries) for _ in range(size)] for size in sizes]


@given(pence, payable())
def test_prizes_pay_the_whole_pool_in_order_of_places(
    pool: int, plan: tuple[list[int], list[list[int]]]
) -> None:
    points, places = plan
    won = prizes(pool, points, places)
    assert sum(won.values()) == pool
    assert list(won) == [entry for group in places for entry in group]
    for group in places:
        shares = [won[entry] for entry in group]
        assert max(shares) - min(shares) <= 1
        assert shares == sorted(shares, reverse=True)
    for better, worse in pairwise(places):
        assert min(won[entry] for entry in better) >= max(won[entry] for entry in worse)


def test_tied_places_pool_their_prizes() -> None:
    assert prizes(1000, [5000, 3000, 2000], [["a", "b"], ["c"]]) == {"a": 400, "b": 400, "c": 200}


def test_tie_at_the_last_paid_place_shares_its_prizes() -> None:
    assert prizes(1000, [7000, 3000], [["a"], ["b", "c", "d"]]) == {"a": 700, "b": 100, "c": 100, "d": 100}


def test_shares_of_empty_ranks_go_to_the_others() -> None:
    assert prizes(1000, [5000, 3000, 2000], [["a"], ["b"]]) == {"a": 625, "b": 375}


def test_a_remaining_penny_goes_to_the_earlier_entry() -> None:
    assert prizes(101, [10_000], [["b", "a"]]) == {"b": 51, "a": 50}


@pytest.mark.parametrize(
    ("points", "places"),
    [
        ([9_999], [["a"]]),
        ([], [["a"]]),
        ([11_000, -1_000], [["a"]]),
        ([10_000], [["a"], ["a"]]),
        ([10_000], []),
    ],
)
def test_invalid_prizes_are_refused(points: list[int], places: list[list[str]]) -> None:
    with pytest.raises(ValueError):
        prizes(10, points, places)


@given(pence, st.integers(0, WHOLE))
def test_the_rake_is_rounded_down(pool: int, points: int) -> None:
    taken, left = rake(pool, points)
    assert taken + left == pool
    assert taken * WHOLE <= pool * points < (taken + 1) * WHOLE


@pytest.mark.parametrize(("pool", "points"), [(-1, 0), (1, -1), (1, 10_001)])
def test_a_rake_must_be_a_fraction_of_the_pool(pool: int, points: int) -> None:
    with pytest.raises(ValueError):
        rake(pool, points)
