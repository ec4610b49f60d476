"""Fixed odds: prices, their text, and payouts."""

from __future__ import annotations

import doctest
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.betting import ladder, prices
from ledger.betting.terms import Wager

odds = st.fractions(min_value=Fraction(1, 1000), max_value=10**6, max_denominator=10**9)
stakes = st.integers(1, 10**9)


def test_the_examples_of_the_docstrings_hold() -> None:
    assert doctest.testmod(prices).failed == 0


@given(stakes, odds, st.integers(1, 4))
def test_a_return_is_rounded_down_from_the_exact_one(stake: int, price: Fraction, tied: int) -> None:
    exact = stake * (1 + price) / tied
    assert 0 <= exact - prices.payout(stake, price, tied) < 1


@given(odds)
def test_text_is_exact_and_decimal_rounds_down(price: Fraction) -> None:
    text = f"{price.numerator}/{price.denominator}"
    assert prices.parse(text) == price
    assert prices.shown(text) == text
    assert 0 <= 1 + price - Fraction(Decimal(prices.as_decimal(text))) < Fraction(1, 100)


@given(st.integers(101, 100_000), stakes, st.integers(1, 4))
def test_a_price_of_hundredths_is_stored_exactly(price: int, stake: int, tied: int) -> None:
    stored = prices.parse(prices.stored(price))
    assert stored == prices.of_hundredths(price)
    assert Fraction(Decimal(prices.as_decimal(prices.stored(price)))) == Fraction(price, 100)
    assert prices.payout(stake, stored, tied) == stake * price // (100 * tied)


@given(st.fractions(min_value=0, max_value=10**6), st.integers(0, 10_000))
def test_the_margin_is_subtracted_from_the_fair_return(fair: Fraction, margin: int) -> None:
    assert prices.offered(fair, margin) == ladder.at_most(fair * (10_000 - margin) / 10_000)


@given(
    st.lists(st.tuples(st.sampled_from("CDHS"), stakes, odds), max_size=20), st.sets(st.sampled_from("CDHS"))
)
def test_no_result_pays_more_than_the_worst_single_winner(
    bets: list[tuple[str, int, Fraction]], won: set[str]
) -> None:
    """The hold of the bank, which is the most that one runner can cost, therefore covers ties as well."""
    wagers = [Wager(*bet) for bet in bets]
    staked = sum(bet.stake for bet in wagers)
    paid = prices.settle(wagers, sorted(won), "lose").paid
    risks = [
        sum(
            prices.payout(bet.stake, bet.odds) - bet.stake
            for bet in wagers
            if bet.odds and bet.runner == runner
        )
        for runner in "CDHS"
    ]
    assert paid - staked <= max(0, *risks)


@pytest.mark.parametrize(
    "text", ["", "3", "3.5", "0/1", "1/0", "-3/1", "03/1", "3/1 ", "٣/1", "1" * 62 + "/1", "3/1\n"]
)
def test_invalid_prices_are_refused(text: str) -> None:
    with pytest.raises(ValueError):
        prices.parse(text)


def test_inputs_without_a_price_are_refused() -> None:
    for fair, margin in ((Fraction(-1), 0), (Fraction(1), -1), (Fraction(1), 10_001)):
        with pytest.raises(ValueError):
            prices.offered(fair, margin)
