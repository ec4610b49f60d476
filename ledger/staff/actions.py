"""Staff actions that move money: their actor, their preview, and their result."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from operator import attrgetter
from typing import Any, TypeVar
from uuid import UUID

from babel.numbers import get_currency_precision
from django import forms
from django.conf import settings
from django.contrib import admin
from django.contrib.auth import get_user_model
from django.db.models import Q
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from core.transactions import dry_run
from ledger.core.models import player_owner
from ledger.core.postings import Posting
from ledger.core.selectors import usernames
from ledger.models import Transfer
from ledger.money import MOST_PENCE, currency_name, money
from ledger.staff import wording
from staff.actions import Done, Preview, StaffAction
from staff.lists import ReadOnly

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


def previewed(
    command: Callable[[], Iterable[Transfer]],
    *,
    facts: Sequence[tuple[str, str]] = (),
    warnings: Sequence[str] = (),
) -> Preview:
    """Return the transfers that a command posts, and the balances before and after, by a dry run.

    Raises what the command would raise.
    """

    def shown() -> Preview:
        made = list(command())
        return Preview(wording.movements(made), facts, warnings, changes=wording.changes(made))

    return dry_run(shown)


def posted(posting: Posting, subject: str = "") -> Done:
    """Describe a posting. By default its subject is the owner of the receiving account."""
    made = posting.transfers[-1]
    page = reverse("admin:ledger_transfer_change", args=[made.pk])
    return Done(
        message=f"{money(made.amount, made.currency)} posted to {wording.names([made.credit])[made.credit_id]}.",
        subject=subject or made.credit.owner,
        return_to=page,
        result=f"transfer:{made.pk}",
        links=[("Transfer", page)],
    )


def money_column(amount: str, title: str, *, currency: str = "currency", ordering: str = "") -> Any:
    """Return a column of an admin page: an amount of the row, with its currency; empty where there is no amount.

    Both are named as attributes, also of related rows (`market.currency`).
    """
    amount_of, currency_of = attrgetter(amount), attrgetter(currency)

    @admin.display(description=title, ordering=ordering or None)
    def column(page: Any, row: Any) -> SafeString | str:
        found = amount_of(row)
        if found is None:
            return ""
        return format_html('<span class="unbroken">{}</span>', money(found, currency_of(row)))

    return column


def account_column(title: str, *, of: str = "") -> Any:
    """Return a column that names an account in words: the account `of` each row, or the row itself."""

    @admin.display(description=title)
    def column(page: Any, row: Any) -> SafeString:
        account = attrgetter(of)(row) if of else row
        known = getattr(row, "account_names", None) or wording.names([account])
        return format_html('<span title="{}">{}</span>', account.text, known[account.pk])

    return column


def name_accounts(rows: Sequence[Any], *of: str) -> None:
    """Load the names that `account_column` shows, for all rows of a page at once."""
    names = wording.names(attrgetter(path)(row) if path else row for row in rows for path in of)
    for row in rows:
        row.account_names = names


class OfPlayers(ReadOnly):
    """Rows with a `player`, an id. The column `whose` names and links the player."""

    @admin.display(description="player")
    def whose(self, row: Any) -> SafeString:
        name = getattr(row, "named", None) or _names([row])[0]
        return format_html('<a href="{}">{}</a>', reverse("admin:staff_player", args=[row.player]), name)

    def prepare(self, rows: Sequence[Any]) -> None:
        for row, name in zip(rows, _names(rows), strict=True):
            row.named = name


def _names(rows: Sequence[Any]) -> list[str]:
    known = usernames(row.player for row in rows)
    return [known.get(row.player, "erased") for row in rows]


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
        kwargs.setdefault("help_text", f"In {currency_name(self.currency)}, such as {self.in_units(1250)}.")
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


class PlayerField(forms.CharField):
    """A player by username, or by id; cleaned to the id (a `UUID`)."""

    def __init__(self, **kwargs: Any) -> None:
        kwargs.setdefault("help_text", "The username of the player.")
        super().__init__(max_length=150, **kwargs)

    def widget_attrs(self, widget: forms.Widget) -> dict[str, Any]:
        return {**super().widget_attrs(widget), "autocomplete": "off", "spellcheck": "false"}

    def prepare_value(self, value: Any) -> Any:
        """Return the username of an id, so that the form shows no id."""
        id = _uuid(value)
        return value if id is None else usernames([id]).get(id, value)

    def clean(self, value: Any) -> Any:
        text = super().clean(value)
        if not text:
            return None
        id = _uuid(text)
        known = get_user_model().objects.filter(Q(username=text) | Q(pk=id)).values_list("pk", flat=True)
        found = {*known, *([] if id is None else [id])}
        if not found:
            raise forms.ValidationError(f"There is no player “{text}”.", code="unknown-player")
        if len(found) > 1:
            raise forms.ValidationError(
                "This is the username of one player and the id of another. Enter the other's username.",
                code="ambiguous-player",
            )
        return found.pop()


def _uuid(value: Any) -> UUID | None:
    try:
        return UUID(str(value))
    except ValueError:
        return None


class PercentField(forms.DecimalField):
    """A share in percent, such as `12.5`; cleaned to basis points (an `int`)."""

    def __init__(self, **kwargs: Any) -> None:
        bounds: dict[str, Any] = {"min_value": 0, "max_value": Decimal("99.99"), "decimal_places": 2}
        super().__init__(**{**bounds, **kwargs})

    def prepare_value(self, value: Any) -> Any:
        return f"{Decimal(value) / 100:f}".rstrip("0").rstrip(".") if type(value) is int and value else value

    def clean(self, value: Any) -> Any:
        found = super().clean(value)
        return None if found is None else int(found * 100)
