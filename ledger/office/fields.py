"""Amounts as people type them: in pounds with pence behind the point, stored as whole pence."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any

from babel.numbers import get_currency_precision
from django import forms
from django.conf import settings

from ledger.fields import MOST_PENCE

AMOUNT = re.compile(r"(?:\d{1,15}|\d{1,3}(?:,\d{3}){1,4})(?:\.(\d+))?", re.ASCII)


class MoneyField(forms.Field):
    """`12.50` or `1,250` in units of the currency; cleaned to pence (an `int`). No sign, no exponent, no rounding.

    least, most  bounds in pence
    """

    widget = forms.TextInput

    def __init__(
        self, *, currency: str | None = None, least: int = 1, most: int = MOST_PENCE, **kwargs: Any
    ) -> None:
        self.currency = currency or settings.RACECARD_CURRENCY
        self.least, self.most = least, most
        self.digits = get_currency_precision(self.currency)
        kwargs.setdefault("help_text", f"In {self.currency}, such as {self.in_units(1250)}.")
        super().__init__(**kwargs)

    def widget_attrs(self, widget: forms.Widget) -> dict[str, Any]:
        return {"inputmode": "decimal", "autocomplete": "off"}

    def prepare_value(self, value: Any) -> Any:
        return self.in_units(value) if type(value) is int else value

    def in_units(self, pence: int) -> str:
        return str(Decimal(pence).scaleb(-self.digits))

    def to_python(self, value: Any) -> int | None:
        text = str(value or "").strip()
        if not text:
            return None
        found = AMOUNT.fullmatch(text)
        if found is None or len(found[1] or "") > self.digits:
            raise forms.ValidationError(f"Write an amount such as {self.in_units(1250)}.", code="not-money")
        pence = int(Decimal(text.replace(",", "")).scaleb(self.digits))
        if not self.least <= pence <= self.most:
            told = f"An amount is {self.in_units(self.least)} to {self.in_units(self.most)}."
            raise forms.ValidationError(told, code="out-of-bounds")
        return pence
