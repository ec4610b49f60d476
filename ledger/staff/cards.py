"""The dashboard's cards of the ledger."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from urllib.parse import urlencode

from django.conf import settings
from django.db.models import Q
from django.http import HttpRequest
from django.urls import reverse

from ledger.models import UNDECIDED, Payout, Reconciliation
from ledger.money import money
from ledger.selectors import time_zone, today
from ledger.staff.actions import VIEW_LEDGER
from ledger.staff.reports import result_today
from staff.dashboard import Card, CountCard, register_cards


def today_and_reconciled(request: HttpRequest, now: datetime) -> Iterable[Card]:
    """Return the site's result today, the stakes, and the result of the last reconciliation."""
    if not request.user.has_perm(VIEW_LEDGER):
        return
    currency, day = settings.RACECARD_CURRENCY, str(today(now, time_zone()))
    figures = result_today(currency=currency, now=now)
    query = urlencode({"first": day, "last": day, "currency": currency})
    address = f"{reverse('admin:staff_reports')}?{query}"
    yield Card("Site result today", money(figures.margin, currency), address)
    yield Card("Staked today", money(figures.turnover, currency), address)
    yield _reconciled()


def _reconciled() -> Card:
    last = Reconciliation.objects.order_by("-at", "-id").first()
    address = reverse("admin:staff_banks")
    if last is None:
        return Card("Ledger never reconciled", "–", address)
    found = f"{last.differences} differences" if last.differences else "Agree"
    return Card(f"Ledger reconciled {last.at:%d %b %H:%M} UTC", found, address, bool(last.differences))


register_cards(
    20,
    CountCard(
        "Payouts to review",
        Payout,
        lambda now: Q(state__in=UNDECIDED),
        {"state__in": ",".join(UNDECIDED)},
    ),
)
register_cards(60, today_and_reconciled)
