"""Amounts of money: whole pence in the database, their bounds, and their form on pages."""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from babel.numbers import format_currency, get_currency_precision
from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import models

MOST_PENCE = 10**11
"""The largest amount of one transfer or hold: a thousand million pounds."""

MOST_BALANCE = 4 * 10**18
"""The largest turnover of an account. SQLite turns integers beyond 64 bits into floats, so the limit is well below."""


if TYPE_CHECKING:
    BigIntegerField = models.BigIntegerField[Any, Any]
else:
    BigIntegerField = models.BigIntegerField


class PenceField(BigIntegerField):
    """A signed 64-bit number of pence.

    Django's own field stores 1.999 as 1 and True as 1. This one raises ValidationError for anything but an `int`.
    """

    def get_prep_value(self, value: Any) -> Any:
        if value is None or hasattr(value, "resolve_expression"):
            return value
        return whole(value)

    def to_python(self, value: Any) -> Any:
        return None if value is None else whole(value)


def whole(value: Any) -> int:
    """Return `value` if it is an integer of at most 64 bits. Raises ValidationError."""
    if type(value) is not int or not -(2**63) <= value < 2**63:
        raise ValidationError(f"{value!r} is not a whole number of pence.", code="not-pence")
    return value


LOCALES = {"en": "en_GB", "de": "de_DE", "pl": "pl_PL"}
"""The locale of each language in which the server writes."""

PLAY = {"en": "{} play money", "de": "{} Spielgeld", "pl": "{} w żetonach"}
"""An amount of play money in each of these languages, as the web client writes it."""

CODE_BEFORE_DIGIT = re.compile(r"(?<=[A-Z])(?=\d)")


def money(amount: int, currency: str, language: str = "en") -> str:
    """Format an amount: play money by its name, and a currency without a sign by its code and a no-break space.

    >>> money(500, "XTS"), money(-123456, "GBP"), money(500, "XTS", "de")
    ('5.00 play money', '-£1,234.56', '5,00 Spielgeld')
    """
    shown = figure(amount, currency, language)
    return PLAY[language].format(shown) if currency == settings.PLAY_MONEY else shown


def figure(amount: int, currency: str, language: str = "en") -> str:
    """Format an amount for a column of figures: like `money`, but play money has no name.

    >>> figure(500, "XTS"), figure(500, "GBP")
    ('5.00', '£5.00')
    """
    units = Decimal(amount).scaleb(-get_currency_precision(currency))
    shown = format_currency(units, currency, locale=LOCALES[language])
    if currency == settings.PLAY_MONEY:
        return shown.replace(currency, "").strip()
    return CODE_BEFORE_DIGIT.sub("\u00a0", shown)


def currency_name(currency: str) -> str:
    """Return "play money", or the code of another currency."""
    return "play money" if currency == settings.PLAY_MONEY else currency


def with_money(values: Mapping[str, Any], language: str) -> Mapping[str, Any]:
    """Return the values of a text with `money`: their `amount` in their `currency`, in a language."""
    return {**values, "money": money(values["amount"], values["currency"], language)}
