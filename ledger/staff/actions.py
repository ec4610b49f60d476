"""Staff actions that move money: their actor, their preview, and their result."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from operator import attrgetter
from typing import Any, TypeVar

from babel.numbers import get_currency_precision
from django import forms
from django.conf import settings
from django.contrib import admin
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from core.transactions import dry_run
from ledger.core.models import player_owner
from ledger.core.postings import Posting
from ledger.models import Transfer
from ledger.money import MOST_PENCE, money
from staff.actions import Done, Movement, StaffAction

VIEW_LEDGER = "ledger.view_ledger"

Row = TypeVar("Row")


class LedgerAction(StaffAction[Row]):
    """An action that moves money or decides about it. By default it makes a posting."""

    is_sensitive = True

    @property
    def by(self) -> str:
        """The actor as the ledger names it."""
        return player_owner(self.actor.pk)

    def done(self, made: Any) -> Done:
        return posted(made)


def movement(transfer: Transfer) -> Movement:
    return Movement(
        transfer.debit.text, transfer.credit.text, money(transfer.amount, transfer.currency), transfer.reason
    )


def dry_run_movements(command: Callable[[], Posting]) -> list[Movement]:
    """Return the transfers that a command would post. Raises what the command would raise."""
    return dry_run(lambda: [movement(made) for made in command().transfers])


def posted(posting: Posting, subject: str = "") -> Done:
    """Describe a posting. By default its subject is the owner of the receiving account."""
    made = posting.transfers[-1]
    return Done(
        message=f"Posted {money(made.amount, made.currency)}: {made.uuid}",
        subject=subject or made.credit.owner,
        return_to=reverse("admin:ledger_transfer_change", args=[made.pk]),
        result=f"transfer:{made.pk}",
    )


def html_table(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> SafeString:
    """Return an HTML table. Texts are escaped."""
    head = format_html_join("", "<th>{}</th>", ((text,) for text in heads))
    body = format_html_join(
        "", "<tr>{}</tr>", ((format_html_join("", "<td>{}</td>", ((cell,) for cell in row)),) for row in rows)
    )
    return format_html("<table><thead><tr>{}</tr></thead><tbody>{}</tbody></table>", head, body)


def money_column(amount: str, title: str, *, currency: str = "currency", ordering: str = "") -> Any:
    """Return a column of an admin page: an amount of the row, with its currency; empty where there is no amount.

    Both are named as attributes, also of related rows (`market.currency`).
    """
    amount_of, currency_of = attrgetter(amount), attrgetter(currency)

    @admin.display(description=title, ordering=ordering or None)
    def column(page: Any, row: Any) -> str:
        found = amount_of(row)
        return "" if found is None else money(found, currency_of(row))

    return column


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
            message = f"An amount is {self.in_units(self.least)} to {self.in_units(self.most)}."
            raise forms.ValidationError(message, code="out-of-bounds")
        return pence
