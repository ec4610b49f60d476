"""Staff actions that move money: their preview and their result."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import wraps
from typing import Any

from babel.numbers import get_currency_precision
from django import forms
from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from ledger.core.postings import Posting
from ledger.models import OwnerKind, Transfer
from ledger.money import MOST_PENCE, money
from staff import actions
from staff.actions import Done, Movement, dry_run


def movement(transfer: Transfer) -> Movement:
    return Movement(
        transfer.debit.text, transfer.credit.text, money(transfer.amount, transfer.currency), transfer.reason
    )


def dry_run_movements(command: Callable[[], Posting]) -> list[Movement]:
    """Return the transfers that a command would post. Raises what the command would raise."""
    return dry_run(lambda: [movement(made) for made in command().transfers])


@dataclass(frozen=True, slots=True)
class Choice:
    """A link to an action; `why` says why the user cannot perform it now."""

    label: str
    address: str
    why: str = ""


class LedgerActions(actions.ActionAdmin):
    """Admin pages whose actions post transfers; by default they lead to the page of the transfer."""

    def choices(self, request: HttpRequest, row: Any) -> list[Choice]:
        """Return the actions that the page of a row, or the list (`row` None), offers to the user."""
        return []

    def links(
        self, request: HttpRequest, permission: str, *actions: tuple[str, str], row: Any = None
    ) -> list[Choice]:
        """Return links to actions, given by label and name; none without the permission."""
        if not request.user.has_perm(permission):
            return []
        prefix, args = f"admin:ledger_{self.model._meta.model_name}", [] if row is None else [row.pk]
        return [Choice(label, reverse(f"{prefix}_{name}", args=args)) for label, name in actions]

    def subtitle(self, row: Any) -> str:
        return str(row)

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        shown = {"choices": self.choices(request, None), **(extra_context or {})}
        return super().changelist_view(request, shown)

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        row, shown = self.get_object(request, object_id), extra_context or {}
        if row is not None:
            shown = {"choices": self.choices(request, row), "subtitle": self.subtitle(row), **shown}
        return super().change_view(request, object_id, form_url, shown)

    def action_path(
        self, route: str, view: Callable[..., HttpResponse], name: str, permission: str
    ) -> URLPattern:
        """Return the route of an action, named `ledger_<model>_<name>`, for staff with a permission."""

        @wraps(view)
        def permitted(request: HttpRequest, **kwargs: Any) -> HttpResponse:
            if not request.user.has_perm(permission):
                raise PermissionDenied
            return view(request, **kwargs)

        full_name = f"ledger_{self.model._meta.model_name}_{name}"
        return path(route, self.admin_site.admin_view(permitted), name=full_name)

    def as_done(self, answer: Any) -> Done:
        return posted(answer) if isinstance(answer, Posting) else super().as_done(answer)


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


def actor(request: HttpRequest) -> str:
    return f"{OwnerKind.PLAYER}:{request.user.pk}"


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
