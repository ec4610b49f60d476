"""Amounts as exact decimals in text, for files that other programs read. Pure."""

from __future__ import annotations


def as_decimal(amount: int, digits: int) -> str:
    """
    >>> as_decimal(-1205, 2), as_decimal(7, 3), as_decimal(7, 0)
    ('-12.05', '0.007', '7')
    """
    sign = "-" if amount < 0 else ""
    text = str(abs(amount)).rjust(digits + 1, "0")
    return f"{sign}{text[:-digits]}.{text[-digits:]}" if digits else f"{sign}{text}"
