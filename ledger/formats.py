"""Amounts as people read them. Only for pages: what is stored and what is sent stays whole pence."""

import re
from decimal import Decimal

from babel.numbers import format_currency, get_currency_precision

CODE_BEFORE_DIGIT = re.compile(r"(?<=[A-Z])(?=\d)")


def money(amount: int, currency: str, locale: str = "en_GB") -> str:
    """A currency that has no sign is named by its code, with a space that does not break, as browsers write it.

    >>> money(-123456, "GBP")
    '-£1,234.56'
    >>> money(500, "XTS")
    'XTS\xa05.00'
    """
    units = Decimal(amount).scaleb(-get_currency_precision(currency))
    return CODE_BEFORE_DIGIT.sub("\u00a0", format_currency(units, currency, locale=locale))
