"""Markets that are not settled yet: what is staked, and what the house has to pay for each way it may end."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.db.models import Count, F, Q, Sum

from ledger.betting import pools
from ledger.betting.models import Market, MarketKind, Runner
from ledger.models import HoldState
from ledger.office.banks import UNDER_WAY
from ledger.splits import rake

PAGE = 25

MONEY = Q(play="")
"""Markets in which money is bet: play money is nobody's liability."""


@dataclass(frozen=True, slots=True)
class RunnerLine:
    """`pays` is what would be paid out if this runner wins alone; `result` what the house would have won by it."""

    name: str
    price: str
    staked: int
    pays: int
    result: int


@dataclass(frozen=True, slots=True)
class MarketLine:
    """`reserved` is what the bank holds for it; `takeout` what the house keeps of the pool as it stands."""

    market: Market
    staked: int
    reserved: int
    takeout: int | None
    runners: tuple[RunnerLine, ...]

    @property
    def worst(self) -> RunnerLine | None:
        """The runner whose win costs the house most; the first of several."""
        return min(self.runners, key=lambda runner: runner.result, default=None)


@dataclass(frozen=True, slots=True)
class MarketTotals:
    currency: str
    kind: str
    count: int
    staked: int
    reserved: int


def totals() -> list[MarketTotals]:
    """Of all markets under way, by currency and kind."""
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
    """The newest markets under way, or those opened before another; two queries for any number of runners."""
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
    if market.kind == MarketKind.FIXED:
        return MarketLine(market, staked, reserved, None, tuple(_fixed(runners, staked)))
    takeout = rake(staked, market.takeout)[0]
    return MarketLine(market, staked, reserved, takeout, tuple(_pool(market, runners, staked)))


def _fixed(runners: Iterable[Runner], staked: int) -> Iterable[RunnerLine]:
    for runner in runners:
        yield RunnerLine(runner.name, runner.price, runner.stakes, runner.returns, staked - runner.returns)


def _pool(market: Market, runners: Sequence[Runner], staked: int) -> Iterable[RunnerLine]:
    """A pool pays out of itself: the house wins its takeout, and loses by nobody. `price` is the dividend a unit.

    As `pools.divide` would: everything goes back where fewer than two runners are backed, or the winner is not.
    """
    contested = sum(runner.stakes > 0 for runner in runners) > 1
    for runner in runners:
        backed = runner.stakes
        if not backed or not contested:
            yield RunnerLine(runner.name, "", backed, staked, 0)
            continue
        taken = min(rake(staked, market.takeout)[0], staked - backed)
        unit = pools.dividend(staked - taken, backed, market.step or 1)
        yield RunnerLine(runner.name, f"{unit / pools.UNIT:.2f}", backed, staked - taken, taken)
