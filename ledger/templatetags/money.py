"""`{% load money %}`: amounts in templates, formatted by Babel from pence and a currency."""

from __future__ import annotations

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

from ledger import money as formats

register = template.Library()

NOTHING = "–"


@register.filter
def money(amount: int | None, currency: str) -> str:
    """`{{ pence|money:currency }}`; a dash where there is no amount."""
    return NOTHING if amount is None else formats.money(amount, currency)


@register.filter
def figure(amount: int | None, currency: str) -> str:
    """`{{ pence|figure:currency }}`: like `money`, for columns; every page says that play money is meant."""
    return NOTHING if amount is None else formats.figure(amount, currency)


@register.filter
def currency_name(currency: str) -> str:
    """`{{ currency|currency_name }}`: "play money", or the code of another currency."""
    return formats.currency_name(currency)


@register.filter
def some(amount: int | None, currency: str) -> str:
    """`{{ pence|some:currency }}`: like `figure`, but with a dash for zero too."""
    return figure(amount or None, currency)


@register.filter
def change(amount: int | None, currency: str) -> SafeString | str:
    """`{{ pence|change:currency }}`: always with a sign, so that colour is not the only difference."""
    if not amount:
        return figure(amount, currency)
    text = formats.figure(amount, currency)
    if amount > 0:
        return format_html('<span class="gain">+{}</span>', text)
    return format_html('<span class="loss">{}</span>', text)


@register.inclusion_tag("staff/balance.html")
def balance(label: str, amount: int | None, currency: str, note: str = "") -> dict[str, object]:
    """`{% balance "Available" pence currency "note" %}` within a `<dl class="stats">`."""
    return {"label": label, "amount": amount, "currency": currency, "note": note}
