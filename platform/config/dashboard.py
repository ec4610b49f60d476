"""What the back office's first page says of the house now. Only reads, and only what the reader may open as well."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from django.apps import apps
from django.conf import settings
from django.contrib.admin import AdminSite
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone

from ledger.formats import money
from ledger.office.alarms import Alarm, alarms, shown_to
from ledger.office.pages import VIEW_LEDGER
from ledger.office.today import result_today
from ledger.payouts import states
from ledger.reconciliation.models import Reconciliation
from ledger.records.days import today
from ledger.records.reports import time_zone
from tournaments.alarms import STANDS_STILL


@dataclass(frozen=True, slots=True)
class Tile:
    """A figure on the first page, and the list behind it."""

    label: str
    figure: str
    url: str
    is_alert: bool = False


@dataclass(frozen=True, slots=True)
class Counted:
    """How many of `model` there are `where`; shown to who may see the list of `behind`, the model's own if empty."""

    label: str
    model: str
    where: Callable[[datetime], Q]
    listed: Mapping[str, str]
    """The list's own query for the same rows."""
    behind: str = ""
    alerts: bool = False


def _with(**where: Any) -> Callable[[datetime], Q]:
    return lambda now: Q(**where)


COUNTED = (
    Counted("Tables waiting", "games.GameRecord", _with(status="open"), {"status__exact": "open"}),
    Counted("Games being played", "games.GameRecord", _with(status="active"), {"status__exact": "active"}),
    Counted(
        "Tournaments open for entries",
        "tournaments.Tournament",
        _with(status="published"),
        {"status__exact": "published"},
    ),
    Counted(
        "Tournaments running", "tournaments.Tournament", _with(status="running"), {"status__exact": "running"}
    ),
    Counted(
        "Tournaments that stand still",
        "tournaments.Tournament",
        lambda now: STANDS_STILL,
        {"stands_still": "yes"},
        alerts=True,
    ),
    Counted(
        "Rounds being played",
        "tournaments.Round",
        _with(state="open"),
        {"status__exact": "running"},
        behind="tournaments.Tournament",
    ),
    Counted(
        "Payouts to decide",
        "ledger.Payout",
        _with(state__in=states.UNDECIDED),
        {"state__in": ",".join(states.UNDECIDED)},
    ),
    Counted(
        "Disputes to rule on",
        "disputes.Dispute",
        _with(status__in=["open", "appealed"]),
        {"status__in": "open,appealed"},
    ),
    Counted(
        "Rulings to approve",
        "disputes.Dispute",
        _with(status="proposed"),
        {"status__exact": "proposed"},
    ),
    Counted(
        "Players",
        "accounts.Player",
        _with(is_active=True, is_bot=False),
        {"is_bot__exact": "0", "is_active__exact": "1"},
    ),
    Counted(
        "Jobs due now", "jobs.Job", lambda now: Q(done=None, failed=None, due__lte=now), {"state": "waiting"}
    ),
    Counted("Jobs given up", "jobs.Job", _with(failed__isnull=False), {"state": "failed"}, alerts=True),
)


def tiles(site: AdminSite, request: HttpRequest) -> list[Tile]:
    """The counts of what is registered with the site and open to this reader, and what the house won today."""
    now = timezone.now()
    return [*_counts(site, request, now), *_money(site, request, now)]


def needs(request: HttpRequest) -> list[Alarm] | None:
    """What needs somebody, for those who may see the books; None for others."""
    if not request.user.has_perm(VIEW_LEDGER):
        return None
    return shown_to(request.user, alarms(now=timezone.now()))


def _counts(site: AdminSite, request: HttpRequest, now: datetime) -> Iterable[Tile]:
    for counted in COUNTED:
        listed = apps.get_model(counted.behind or counted.model)
        if not site.is_registered(listed) or not site.get_model_admin(listed).has_view_permission(request):
            continue
        if counted.behind:
            rows: QuerySet[Any] = apps.get_model(counted.model)._default_manager.all()
        else:  # what the reader's own list shows, and no more
            rows = site.get_model_admin(listed).get_queryset(request)
        count = rows.filter(counted.where(now)).count()
        page = reverse(f"{site.name}:{listed._meta.app_label}_{listed._meta.model_name}_changelist")
        address = f"{page}?{urlencode(counted.listed)}"
        yield Tile(counted.label, str(count), address, counted.alerts and count > 0)


def _money(site: AdminSite, request: HttpRequest, now: datetime) -> Iterable[Tile]:
    if not request.user.has_perm(VIEW_LEDGER):
        return
    currency, day = settings.RACECARD_CURRENCY, str(today(now, time_zone()))
    figures = result_today(currency=currency, now=now)
    page = reverse(f"{site.name}:office_reports")
    address = f"{page}?{urlencode({'first': day, 'last': day, 'currency': currency})}"
    yield Tile("The house's result today", money(figures.margin, currency), address)
    yield Tile("Staked today", money(figures.turnover, currency), address)
    yield _reconciled(site)


def _reconciled(site: AdminSite) -> Tile:
    """What the last reconciliation found; an alarm says more of it."""
    last = Reconciliation.objects.order_by("-at", "-id").first()
    address = reverse(f"{site.name}:office_banks")
    if last is None:
        return Tile("The books were never reconciled", "–", address)
    found = f"{last.differences} differences" if last.differences else "Agree"
    return Tile(f"The books, reconciled {last.at:%d %b %H:%M} UTC", found, address, bool(last.differences))
