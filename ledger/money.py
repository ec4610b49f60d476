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
"""The locale of each language in which the server writes to players."""

CODE_BEFORE_DIGIT = re.compile(r"(?<=[A-Z])(?=\d)")


def money(amount: int, currency: str, locale: str = "en_GB") -> str:
    """Format an amount. A currency without a sign is named by its code and a no-break space, as browsers do.

    >>> money(-123456, "GBP")
    '-£1,234.56'
    >>> money(500, "XTS")
    'XTS\xa05.00'
    """
    units = Decimal(amount).scaleb(-get_currency_precision(currency))
    return CODE_BEFORE_DIGIT.sub("\u00a0", format_currency(units, currency, locale=locale))


def public_money(amount: int, currency: str, play: str = "{} play money", locale: str = "en_GB") -> str:
    """Format an amount for readers who know no codes: play money by its name, the others like `money`.

    >>> public_money(500, "XTS"), public_money(500, "GBP")
    ('5.00 play money', '£5.00')
    """
    shown = money(amount, currency, locale)
    return play.format(shown.replace(currency, "").strip()) if currency == settings.PLAY_MONEY else shown


def with_money(values: Mapping[str, Any], language: str) -> Mapping[str, Any]:
    """Return the values of a text with `money`: their `amount` in their `currency`, in a language."""
    return {**values, "money": money(values["amount"], values["currency"], LOCALES[language])}
