"""Money in the database: whole pence, and nothing that merely resembles them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.core.exceptions import ValidationError
from django.db import models

MOST_PENCE = 10**11
"""The largest amount of one transfer or hold: a thousand million pounds."""

MOST_BALANCE = 4 * 10**18
"""The largest turnover of an account. Beyond 64 bits SQLite would turn it into a float, so it stops well before."""


if TYPE_CHECKING:
    BigIntegerField = models.BigIntegerField[Any, Any]
else:
    BigIntegerField = models.BigIntegerField


class PenceField(BigIntegerField):
    """A signed 64-bit number of pence.

    Django's own field stores 1.999 as 1 and True as 1; here whatever is not an `int` is a ValidationError.
    """

    def get_prep_value(self, value: Any) -> Any:
        if value is None or hasattr(value, "resolve_expression"):
            return value
        return whole(value)

    def to_python(self, value: Any) -> Any:
        return None if value is None else whole(value)


def whole(value: Any) -> int:
    """`value` if it is an integer that 64 bits can hold. Raises ValidationError."""
    if type(value) is not int or not -(2**63) <= value < 2**63:
        raise ValidationError(f"{value!r} is not a whole number of pence.", code="not-pence")
    return value
