"""The page of banks and open markets: stakes, reserves, and the result of each outcome."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db.models import Count, F, Q, Sum
from django.http import Http404, HttpRequest, HttpResponse
from django.utils import timezone

from ledger.betting.kinds import Backed, Outlook
from ledger.betting.models import Market, Runner
from ledger.hooks import runner_names
from ledger.models import HoldState
from ledger.reports.purposes import trial_balances
from ledger.staff.actions import VIEW_LEDGER
from ledger.staff.alarms import ledger_alarms
from ledger.staff.banks import UNDER_WAY, banks
from staff import subjects
from staff.dashboard import alarms, shown_to
from staff.pages import page, render

PAGE = 25

MONEY = Q(play="")
"""Markets in which money is bet. Play money is no liability."""


@dataclass(frozen=True, slots=True)
class MarketLine:
    """A market. `reserved` is what the bank holds for it, `takeout` the site's part of the pool now."""

    market: Market
    staked: int
    reserved: int
    takeout: int | None
    runners: tuple[Outlook, ...]

    @property
    def worst(self) -> Outlook | None:
        """The runner whose win costs the site most; the first of several."""
        return min(self.runners, key=lambda runner: runner.result, default=None)


@dataclass(frozen=True, slots=True)
class MarketTotals:
    currency: str
    kind: str
    count: int
    staked: int
    reserved: int


def totals() -> list[MarketTotals]:
    """Return the totals of all open markets, by currency and kind."""
    rows = (
        Market.objects.filter(MONEY, status__in=UNDER_WAY)
        .values_list("currency", "kind")
        .annotate(
            count=Count("pk"),
            staked=Sum(F("escrow__credits") - F("escrow__debits")),
            reserved=Sum("reserve__amount", filter=Q(reserve__state=HoldState.HELD)),
        )
        .order_by("currency", "kind")
    )
    return [MarketTotals(*row[:3], *(part or 0 for part in row[3:])) for row in rows]


def under_way(*, before: Market | None = None, limit: int = PAGE) -> list[MarketLine]:
    """Return the newest open markets, or those opened before another. Two queries, and one for each market on a
    tournament, which names its runners.
    """
    older = Q()
    if before is not None:
        older = Q(opened_at__lt=before.opened_at) | Q(opened_at=before.opened_at, pk__lt=before.pk)
    markets = list(
        Market.objects.filter(older, MONEY, status__in=UNDER_WAY)
        .select_related("escrow", "reserve", "stake_table")
        .order_by("-opened_at", "-pk")[:limit]
    )
    runners: dict[object, list[Runner]] = {}
    for runner in Runner.objects.filter(market__in=markets).order_by("market", "number"):
        runners.setdefault(runner.market_id, []).append(runner)
    return [line(market, runners.get(market.pk, [])) for market in markets]


def line(market: Market, runners: Sequence[Runner]) -> MarketLine:
    staked = sum(runner.stakes for runner in runners)
    reserve = market.reserve
    reserved = reserve.amount if reserve is not None and reserve.state == HoldState.HELD else 0
    rules, terms = market.rules, market.terms
    names = runner_names(market.subject, [runner.name for runner in runners])
    backed = [Backed(names[runner.name], runner.decimal, runner.stakes, runner.returns) for runner in runners]
    return MarketLine(
        market, staked, reserved, rules.takes(terms, staked), tuple(rules.outlook(terms, backed))
    )


@page("staff_banks", "money/banks/", permission=VIEW_LEDGER, listed="Banks and markets", place=10)
def bank_overview(request: HttpRequest) -> HttpResponse:
    now = timezone.now()
    lines, trials = banks(now=now), trial_balances()
    listed = under_way(before=_market(request.GET.get("before", "")))
    return render(
        request,
        "staff/banks.html",
        title="Banks and markets",
        lead="The site's balances, possible payments, and results, as of now.",
        banks=lines,
        trials=trials,
        alarms=shown_to(
            request.user, alarms(now=now, known={ledger_alarms: ledger_alarms(now, lines, trials)})
        ),
        market_totals=totals(),
        markets=listed,
        links=subjects.links(line.market.subject for line in listed),
        older=listed[-1].market.pk if len(listed) == PAGE else None,
    )


def _market(text: str) -> Market | None:
    """Parse a market's id. Raises Http404."""
    if not text:
        return None
    try:
        return Market.objects.get(pk=UUID(text))
    except (ValueError, Market.DoesNotExist) as error:
        raise Http404 from error
