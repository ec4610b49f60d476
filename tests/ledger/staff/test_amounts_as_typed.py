"""Typed amounts are read as integers in pence or refused; they are never rounded."""

from __future__ import annotations

import doctest

import pytest
from django import forms
from hypothesis import given
from hypothesis import strategies as st

from ledger import money as money_module
from ledger.money import MOST_PENCE
from ledger.staff.actions import MoneyField


@pytest.mark.parametrize(
    ("typed", "pence"),
    [
        ("12.50", 1250),
        ("12.5", 1250),
        (" 12 ", 1200),
        ("0.01", 1),
        ("1,250", 125_000),
        ("1,000,000.99", 100_000_099),
    ],
)
def test_pounds_become_pence(typed: str, pence: int) -> None:
    assert MoneyField().clean(typed) == pence


def test_other_texts_are_refused(subtests: pytest.Subtests) -> None:
    for typed in [
        "0",
        "0.00",
        "-1",
        "+1",
        "1.555",
        "1e3",
        "NaN",
        "Infinity",
        "1_000",
        "12,50",
        "1,2500",
        ",50",
        ".5",
        "5.",
        "£5",
        "x",
        "10**30",
        "9" * 30,
        "1000000000.01",
        "١٢",
        "",
        " ",
        "1 000",
    ]:
        with subtests.test(typed=typed), pytest.raises(forms.ValidationError):
            MoneyField().clean(typed)


def test_a_currency_without_decimals_has_whole_units() -> None:
    field = MoneyField(currency="JPY")
    assert field.clean("1,250") == 1250
    with pytest.raises(forms.ValidationError):
        field.clean("12.5")


def test_bounds_are_enforced_and_an_empty_amount_may_be_allowed() -> None:
    field = MoneyField(least=0, most=500, required=False)
    assert [field.clean(typed) for typed in ("0", "5.00", "")] == [0, 500, None]
    with pytest.raises(forms.ValidationError):
        field.clean("5.01")


@given(st.integers(1, MOST_PENCE))
def test_every_amount_round_trips_through_its_text(pence: int) -> None:
    field = MoneyField()
    assert field.clean(field.prepare_value(pence)) == pence


@given(st.text(max_size=20))
def test_no_text_raises_another_error(typed: str) -> None:
    try:
        cleaned = MoneyField().clean(typed)
    except forms.ValidationError:
        return
    assert type(cleaned) is int
    assert 1 <= cleaned <= MOST_PENCE


def test_the_examples_of_the_docstrings_hold() -> None:
    assert doctest.testmod(money_module).failed == 0
