"""The ladder of prices: its steps, and how a price is rounded down to it."""

from __future__ import annotations

import doctest
from fractions import Fraction

import pytest
from django.db import connection
from hypothesis import given
from hypothesis import strategies as st

from ledger.betting import ladder

prices = st.fractions(min_value=Fraction(101, 100), max_value=1000, max_denominator=10**9)


def rungs() -> list[int]:
    found = [ladder.LOWEST]
    while found[-1] < ladder.HIGHEST:
        found.append(found[-1] + ladder.step(found[-1]))
    return found


LADDER = rungs()


def test_the_examples_of_the_docstrings_hold() -> None:
    assert doctest.testmod(ladder).failed == 0


def test_the_ladder_is_that_of_exchanges() -> None:
    """From 1.01 to 1000 in 350 prices, as the documentation of Betfair's API lists them."""
    assert (LADDER[0], LADDER[-1], len(LADDER)) == (101, 100_000, 350)
    some = [199, 200, 202, 298, 300, 305, 395, 400, 410, 590, 600, 620, 980, 1000, 1050, 1950, 2000, 2100]
    assert set(some) <= set(LADDER)
    assert set(LADDER).isdisjoint([201, 301, 405, 610, 1010, 2050, 3100, 5100, 10_500])


def test_every_price_of_the_ladder_is_rounded_to_itself() -> None:
    assert [ladder.at_most(Fraction(price, 100)) for price in LADDER] == LADDER


@given(prices)
def test_a_price_is_rounded_down_by_less_than_a_step(price: Fraction) -> None:
    found = ladder.at_most(price)
    assert found in LADDER
    assert 0 <= 100 * price - found < ladder.step(found)


@given(prices, prices)
def test_a_higher_price_is_never_rounded_lower(one: Fraction, other: Fraction) -> None:
    low, high = ladder.at_most(min(one, other)), ladder.at_most(max(one, other))
    assert low is not None
    assert high is not None
    assert low <= high


@pytest.mark.parametrize(
    "price", [Fraction(0), Fraction(1), Fraction(10099, 10_000), Fraction(1010), Fraction(10**9)]
)
def test_there_is_no_price_beyond_the_ends(price: Fraction) -> None:
    assert ladder.at_most(price) is None


@pytest.mark.django_db
@pytest.mark.both_databases
def test_the_database_knows_the_same_ladder() -> None:
    series = "WITH RECURSIVE n (p) AS (SELECT 0 UNION ALL SELECT p + 1 FROM n WHERE p < 101500) "
    with connection.cursor() as cursor:
        cursor.execute(f"{series} SELECT p FROM n WHERE {ladder.condition('p')} ORDER BY p")
        assert [price for (price,) in cursor.fetchall()] == LADDER
