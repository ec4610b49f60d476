"""Amounts as people read them. Only for pages: what is stored and what is sent stays whole pence."""

from decimal import Decimal

from babel.numbers import format_currency, get_currency_precision


def money(amount: int, currency: str, locale: str = "en_GB") -> str:
    """
    >>> money(-123456, "GBP")
    '-£1,234.56'
    """
    return format_currency(Decimal(amount).scaleb(-get_currency_precision(currency)), currency, locale=locale)
