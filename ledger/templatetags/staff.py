"""`{% load staff %}`: states, results, and subjects on pages about money."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal

from django import template
from django.utils.formats import date_format
from django.utils.html import format_html
from django.utils.safestring import SafeString

from ledger.hooks import game_title
from ledger.models import table_name
from ledger.staff.wording import type_of_account
from staff import columns
from staff.subjects import Link

register = template.Library()

register.simple_tag(columns.state)
register.filter(columns.span)


@register.filter
def game(rules: str) -> str:
    """`{{ report.rules|game }}`: the title of the game."""
    return game_title(rules) if rules else "No game"


@register.filter
def stake_table(slug: str) -> str:
    """`{{ report.table|stake_table }}`: the name of the stake table."""
    return table_name(slug)


@register.inclusion_tag("staff/result.html")
def result(label: str, amount: int | None, currency: str, note: str = "") -> dict[str, object]:
    """`{% result "Today" pence currency %}` within a `<dl class="stats">`: a gain or a loss with its sign."""
    return {"label": label, "amount": amount, "currency": currency, "note": note}


@register.simple_tag
def subject(links: Mapping[str, Link], text: str, text_only: bool = False) -> SafeString | str:
    """`{% subject links "game:…" %}`: the subject's name, as a link if it has a page."""
    if not text:
        return "–"
    if text_only:
        links = {text: Link(links[text].text)} if text in links else {}
    return columns.subject_link(text, links)


@register.filter
def percent(basis_points: int | None) -> str:
    """`{{ 250|percent }}`: basis points as per cent; a dash for None."""
    return "–" if basis_points is None else f"{Decimal(basis_points) / 100:.2f}%"


@register.filter
def account_type(row: Mapping[str, str]) -> str:
    """`{{ row|account_type }}`: the accounts of a row of a trial balance, `Players: wallet`."""
    return type_of_account(row["kind"], row["purpose"])


@register.filter
def duration(seconds: int) -> str:
    """`{{ 5400|duration }}`: hours and minutes, `1:30 h`; a dash for zero."""
    return f"{seconds // 3600}:{seconds % 3600 // 60:02} h" if seconds else "–"


@register.filter
def moment(text: str | None) -> SafeString | str:
    """`{{ event.at|moment }}`: a time of an event, `26 Nov 2026 14:05:09`, exact in its title; a dash for None."""
    if not text:
        return "–"
    written = date_format(datetime.fromisoformat(text), "DATETIME_FORMAT")
    return format_html('<time datetime="{0}" title="{0}">{1}</time>', text, written)
