"""The dashboard: figures, alarms, and recent staff activity. Read-only, and only what the reader may open."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
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

from accounts.models import Player, StaffAction
from jobs.models import Job
from ledger.models import UNDECIDED, Payout, Reconciliation, StakeTable
from ledger.money import money
from ledger.selectors import time_zone, today, valid_uuids
from ledger.staff import subjects
from ledger.staff.alarms import Alarm, alarms, shown_to
from ledger.staff.pages import VIEW_LEDGER
from ledger.staff.reports import result_today
from ledger.staff.subjects import Link
from tournaments.selectors import STALLED


@dataclass(frozen=True, slots=True)
class Tile:
    """A figure on the dashboard, and the address of its list."""

    label: str
    figure: str
    url: str
    is_alert: bool = False


@dataclass(frozen=True, slots=True)
class Counted:
    """A count of rows of `model`, shown to readers who may see the list of `behind`, or of the model itself."""

    label: str
    model: str
    where: Callable[[datetime], Q]
    listed: Mapping[str, str]
    """The list's query parameters for the same rows."""
    behind: str = ""
    alerts: bool = False


def _with(**where: Any) -> Callable[[datetime], Q]:
    return lambda now: Q(**where)


COUNTED = (
    Counted("Tables waiting", "games.GameRecord", _with(status="open"), {"status__exact": "open"}),
    Counted("Games in progress", "games.GameRecord", _with(status="active"), {"status__exact": "active"}),
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
        "Stalled tournaments",
        "tournaments.Tournament",
        lambda now: STALLED,
        {"stands_still": "yes"},
        alerts=True,
    ),
    Counted(
        "Rounds in progress",
        "tournaments.Round",
        _with(state="open"),
        {"status__exact": "running"},
        behind="tournaments.Tournament",
    ),
    Counted(
        "Payouts to review",
        "ledger.Payout",
        _with(state__in=UNDECIDED),
        {"state__in": ",".join(UNDECIDED)},
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
    Counted("Failed jobs", "jobs.Job", _with(failed__isnull=False), {"state": "failed"}, alerts=True),
)


def tiles(site: AdminSite, request: HttpRequest) -> list[Tile]:
    """The counts that this reader may open, and the site's result today."""
    now = timezone.now()
    return [*_counts(site, request, now), *_money(site, request, now)]


def needs(request: HttpRequest) -> list[Alarm] | None:
    """The alarms, for readers who may see the ledger; None for others."""
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
        else:  # only the rows of the reader's own list
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
    page = reverse(f"{site.name}:staff_reports")
    address = f"{page}?{urlencode({'first': day, 'last': day, 'currency': currency})}"
    yield Tile("Site result today", money(figures.margin, currency), address)
    yield Tile("Staked today", money(figures.turnover, currency), address)
    yield _reconciled(site)


def _reconciled(site: AdminSite) -> Tile:
    """The result of the last reconciliation."""
    last = Reconciliation.objects.order_by("-at", "-id").first()
    address = reverse(f"{site.name}:staff_banks")
    if last is None:
        return Tile("Ledger never reconciled", "–", address)
    found = f"{last.differences} differences" if last.differences else "Agree"
    return Tile(f"The books, reconciled {last.at:%d %b %H:%M} UTC", found, address, bool(last.differences))


SEEN = 10
SEE_ALL = "accounts.view_staffaction"

Names = Callable[[Collection[str]], Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class Recent:
    at: datetime
    who: str
    what: str
    subject: Link | None
    made: Link | None
    reason: str


def recent(request: HttpRequest) -> list[Recent]:
    """The latest staff actions, newest first: of all staff, for readers who may see them, else the reader's own."""
    found = StaffAction.objects.order_by("-id")
    if not request.user.has_perm(SEE_ALL):
        found = found.filter(actor=str(request.user.pk))
    rows = list(found[:SEEN])
    links = _links({about for row in rows for about in (row.subject, row.made) if about}, request.user)
    names = dict(Player.objects.filter(pk__in={row.actor for row in rows}).values_list("pk", "username"))
    return [
        Recent(
            at=row.at,
            who=names.get(row.actor, "the command line"),
            what=row.action.replace("-", " ").capitalize(),
            subject=links.get(row.subject),
            made=links.get(row.made),
            reason=row.visible_reason,
        )
        for row in rows
    ]


# --- what it was about --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Kind:
    """The label and page of an object `kind:key`, for readers with the permission."""

    view: str
    permission: str
    word: str = ""
    names: Names | None = None


def _players(keys: Collection[str]) -> Mapping[str, str]:
    known = Player.objects.filter(pk__in=valid_uuids(keys)).values_list("pk", "username")
    return {str(pk): name for pk, name in known}


def _jobs(keys: Collection[str]) -> Mapping[str, str]:
    known = Job.objects.filter(pk__in=_numbers(keys)).values_list("pk", "key")
    return {str(pk): key for pk, key in known}


def _payouts(keys: Collection[str]) -> Mapping[str, str]:
    known = Payout.objects.filter(pk__in=valid_uuids(keys)).values_list("pk", "reference")
    return {str(pk): f"payout {reference}" for pk, reference in known}


def _numbers(keys: Iterable[str]) -> list[int]:
    return [int(key) for key in keys if key.isascii() and key.isdigit() and len(key) < 19]


KINDS = {
    "player": Kind("accounts_player_change", "accounts.view_player", names=_players),
    "job": Kind("jobs_job_change", "jobs.view_job", names=_jobs),
    "payout": Kind("ledger_payout_change", "ledger.view_payout", names=_payouts),
    "transfer": Kind("ledger_transfer_change", "ledger.view_transfer", "its transfer"),
    "market": Kind("ledger_market_change", "ledger.view_market", "market"),
    "batch": Kind("ledger_payoutbatch_change", "ledger.view_payoutbatch", "batch"),
    "freeze": Kind("ledger_freeze_change", "ledger.view_freeze", "its freeze"),
    "limitchange": Kind("ledger_limitchange_change", "ledger.view_limitchange", "its limit"),
    "playstop": Kind("ledger_playstop_change", "ledger.view_playstop", "its stop"),
}
"""The kinds that only staff pages name; games, tournaments, and disputes register theirs."""

WITH_THEIR_ID = ("market", "batch")


def _links(about: Collection[str], reader: Any) -> dict[str, Link]:
    by_kind: dict[str, set[str]] = {}
    for subject in about:
        kind, _, key = subject.partition(":")
        by_kind.setdefault(kind, set()).add(key)
    found = subjects.links(subject for subject in about if subject.partition(":")[0] not in KINDS)
    for kind, keys in by_kind.items():
        if (known := KINDS.get(kind)) is not None:
            names = known.names(keys) if known.names else {}
            for key in keys:
                found[f"{kind}:{key}"] = _link(known, kind, key, names, reader)
    return found | _banks(by_kind.get("house", ()), reader)


def _link(known: Kind, kind: str, key: str, names: Mapping[str, str], reader: Any) -> Link:
    text = (
        names.get(key, subjects.short(f"{kind}:{key}"))
        if kind in WITH_THEIR_ID or known.names
        else known.word
    )
    is_there = known.names is None or key in names
    may = is_there and reader.has_perm(known.permission)
    return Link(text, reverse(f"admin:{known.view}", args=[key]) if may else "")


def _banks(slugs: Collection[str], reader: Any) -> dict[str, Link]:
    """The stake tables of banks, which name them."""
    may = reader.has_perm("ledger.view_staketable")
    known = StakeTable.objects.filter(slug__in=slugs).values_list("slug", "pk")
    return {
        f"house:{slug}": Link(slug, reverse("admin:ledger_staketable_change", args=[pk]) if may else "")
        for slug, pk in known
    }
