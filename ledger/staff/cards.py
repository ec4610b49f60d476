"""The dashboard's cards of the ledger, and the payouts in its work queue."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from urllib.parse import urlencode

from django.conf import settings
from django.db.models import Q
from django.http import HttpRequest
from django.urls import reverse

from ledger.core.models import player_owner
from ledger.core.selectors import usernames
from ledger.models import UNDECIDED, Payout, Reconciliation
from ledger.money import figure, money
from ledger.payouts.actions import PAY, Approve, MakeBatch
from ledger.payouts.models import PayoutKind, PayoutState, PayoutStep
from ledger.selectors import time_zone, today
from ledger.staff.actions import VIEW_LEDGER
from ledger.staff.alarms import PAID_WITHIN, PAYOUT
from ledger.staff.reports import newest_days
from staff.charts import Sparkline
from staff.dashboard import MOST_NAMED, OLDEST, Card, CountCard, Task, register_cards, register_tasks

COURSE = 14
"""Days of the line next to a figure."""


def today_and_reconciled(request: HttpRequest, now: datetime) -> Iterable[Card]:
    """Return today's money with its course, and the result of the last reconciliation."""
    if not request.user.has_perm(VIEW_LEDGER):
        return
    currency, day = settings.RACECARD_CURRENCY, today(now, time_zone())
    days = newest_days(currency=currency, last=day, count=COURSE)
    query = urlencode({"first": day - timedelta(days=COURSE - 1), "last": day, "currency": currency})
    address = f"{reverse('admin:staff_reports')}?{query}"

    def card(label: str, of: list[int]) -> Card:
        line = Sparkline(of, lambda pence: money(pence, currency))
        return Card(label, figure(of[-1], currency), address, sparkline=line)

    yield card("Site result today", [each.figures.margin for each in days])
    yield card("Staked today", [each.figures.turnover for each in days])
    yield card("Deposited today", [each.deposits for each in days])
    yield card("Paid out today", [each.withdrawals for each in days])
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
        is_work=True,
    ),
)
register_cards(-10, today_and_reconciled)


# --- work ----------------------------------------------------------------------------------------------


@register_tasks
def payouts_to_decide(request: HttpRequest, now: datetime) -> Iterator[Task]:
    """Yield the oldest payouts that this reader may approve."""
    if not Approve.may(request.user):
        return
    # By state, so that an index carries the order.
    found = [
        payout
        for state in UNDECIDED
        for payout in Payout.objects.filter(state=state).order_by("requested_at")[:OLDEST]
    ]
    mine = player_owner(str(request.user.pk))
    checked = PayoutStep.objects.filter(payout__in=found, becomes=PayoutState.CHECKED, actor=mine)
    own = set(checked.values_list("payout", flat=True))
    waiting = [one for one in found if one.pk not in own and mine not in (one.payee, one.requested_by)]
    names = usernames(one.player for one in waiting)
    for payout in sorted(waiting, key=lambda one: one.requested_at)[:OLDEST]:
        second = payout.state == PayoutState.CHECKED
        yield Task(
            PAYOUT,
            names.get(payout.player, "Erased player"),
            reverse("admin:ledger_payout_change", args=[payout.pk]),
            payout.requested_at,
            Approve.label,
            reverse(f"admin:{Approve.page}", args=[payout.pk]),
            detail=f"{payout.get_kind_display()} {payout.reference}{', second approval' if second else ''}",
            amount=money(payout.amount, payout.currency),
            is_urgent=now - payout.requested_at > PAID_WITHIN,
        )


@register_tasks
def payouts_to_send(request: HttpRequest, now: datetime) -> Iterator[Task]:
    """Yield one task for the approved withdrawals that are in no batch for the bank."""
    if not request.user.has_perm(PAY):
        return
    currency = settings.RACECARD_CURRENCY
    approved = Payout.objects.filter(
        kind=PayoutKind.WITHDRAWAL, state=PayoutState.APPROVED, batch=None, currency=currency
    )
    found = list(approved.order_by("requested_at").values_list("requested_at", "amount")[:MOST_NAMED])
    if found:
        yield Task(
            PAYOUT,
            "1 approved withdrawal" if len(found) == 1 else f"{len(found)} approved withdrawals",
            f"{reverse('admin:ledger_payout_changelist')}?state__exact={PayoutState.APPROVED.value}",
            found[0][0],
            MakeBatch.label,
            reverse(f"admin:{MakeBatch.page}"),
            detail="Not in a batch for the bank yet",
            amount=money(sum(amount for _, amount in found), currency),
            is_urgent=now - found[0][0] > PAID_WITHIN,
        )
