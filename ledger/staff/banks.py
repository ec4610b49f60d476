"""The site's banks: balance, reserved and available amounts, and results."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import BooleanField, Count, IntegerField, Q, Sum
from django.db.models.expressions import RawSQL

from ledger.betting.models import Market, MarketStatus
from ledger.core.selectors import NOTHING, Balance
from ledger.hooks import pooled_games
from ledger.models import Account, GameStake, HoldState, OwnerKind, Purpose, StakeTable
from ledger.reports.figures import figures, today
from ledger.reports.rollups import Grouping, Period, flows, time_zone
from ledger.stakes.tables import in_force

UNDER_WAY = (MarketStatus.OPEN, MarketStatus.CLOSED, MarketStatus.SETTLING)
NEARLY_FULL = 90
"""Per cent of a bank's bound from which it counts as nearly full."""


PERIODS = {"today": 0, "week": 6, "month": 29}
"""The periods whose results are shown, with the days before today that they contain."""


@dataclass(frozen=True, slots=True)
class Result:
    """The site's gain in each period, in pence; negative for a loss."""

    today: int = 0
    week: int = 0
    month: int = 0

    def __add__(self, other: Result) -> Result:
        return Result(self.today + other.today, self.week + other.week, self.month + other.month)


@dataclass(frozen=True, slots=True)
class Promised:
    """What a bank may have to pay for open games or markets."""

    count: int = 0
    amount: int = 0


@dataclass(frozen=True, slots=True)
class BankLine:
    table: StakeTable
    open: bool
    limit: int | None
    balance: Balance
    games: Promised
    markets: Promised
    result: Result

    @property
    def promised(self) -> int:
        """The cost of all open games and markets in the worst case."""
        return self.games.amount + self.markets.amount

    @property
    def bound(self) -> int:
        """The most that may be reserved: the limit, at most the balance."""
        return self.balance.total if self.limit is None else min(self.limit, self.balance.total)

    @property
    def headroom(self) -> int:
        return max(0, self.bound - self.balance.held)

    @property
    def used(self) -> int:
        """The reserved part of the bound in per cent, rounded down; 100 if the bound is zero."""
        return 100 if self.bound <= 0 else min(100, self.balance.held * 100 // self.bound)

    @property
    def state(self) -> str:
        """`closed`, `unfunded`, `full`, `nearly full`, or `open`."""
        if not self.open:
            return "closed"
        if self.balance.total == 0:
            return "unfunded"
        if self.headroom == 0:
            return "full"
        return "nearly full" if self.used >= NEARLY_FULL else "open"


@dataclass(frozen=True, slots=True)
class Banks:
    """All banks of one currency."""

    currency: str
    lines: tuple[BankLine, ...]

    @property
    def balance(self) -> Balance:
        held, total = (
            sum(line.balance.held for line in self.lines),
            sum(line.balance.total for line in self.lines),
        )
        return Balance(total - held, held, total)

    @property
    def games(self) -> Promised:
        return _together(line.games for line in self.lines)

    @property
    def markets(self) -> Promised:
        return _together(line.markets for line in self.lines)

    @property
    def headroom(self) -> int:
        return sum(line.headroom for line in self.lines)

    @property
    def result(self) -> Result:
        return sum((line.result for line in self.lines), Result())


def banks(*, now: datetime) -> list[Banks]:
    """Return the bank of every stake table that has one, by currency. The number of queries is fixed."""
    tables = list(StakeTable.objects.exclude(rules__in=pooled_games()).order_by("currency", "slug"))
    balances = _balances(tables)
    games, markets, results = _games(), _markets(), _results(now)
    terms = in_force(now)
    lines = [
        BankLine(
            table=table,
            open=table.pk in terms and terms[table.pk].open,
            limit=terms[table.pk].bank_limit if table.pk in terms else None,
            balance=balances.get((table.slug, table.currency), NOTHING),
            games=games.get(table.pk, Promised()),
            markets=markets.get(table.pk, Promised()),
            result=results.get(table.pk, Result()),
        )
        for table in tables
    ]
    currencies = dict.fromkeys(table.currency for table in tables)
    return [
        Banks(currency, tuple(line for line in lines if line.table.currency == currency))
        for currency in currencies
    ]


def _balances(tables: Iterable[StakeTable]) -> dict[tuple[str, str], Balance]:
    owned = Account.objects.filter(
        kind=OwnerKind.HOUSE, purpose=Purpose.BANK, key__in=[table.slug for table in tables]
    )
    return {(each.key, each.currency): Balance(each.available, each.held, each.total) for each in owned}


def _games() -> dict[int, Promised]:
    # The state is part of the SQL, because SQLite does not use a partial index for a parameter.
    open = RawSQL("ledger_gamestake.status = 'open'", (), output_field=BooleanField())
    # The sign keeps SQLite from the index of the stake table, which has the games that have ended as well.
    stake_table = RawSQL("+ledger_gamestake.stake_table_id", (), output_field=IntegerField())
    rows = (
        GameStake.objects.filter(open)
        .annotate(at=stake_table)
        .values_list("at")
        .annotate(count=Count("pk"), amount=Sum("reserve__amount"))
    )
    return {table: Promised(count, amount or 0) for table, count, amount in rows}


def _markets() -> dict[int, Promised]:
    held = Q(reserve__state=HoldState.HELD)
    rows = (
        Market.objects.filter(status__in=UNDER_WAY)
        .values_list("stake_table")
        .annotate(count=Count("pk"), amount=Sum("reserve__amount", filter=held))
    )
    return {table: Promised(count, amount or 0) for table, count, amount in rows}


def _results(now: datetime) -> dict[int, Result]:
    """Return the gain of the banks by stake table in each period, as of the time at which money moved."""
    day = today(now, time_zone())
    first = {name: day - timedelta(days=before) for name, before in PERIODS.items()}
    by = Grouping("f.stake_table || ' ' || CAST(f.day AS text)", "f.stake_table <> 0", at_play=True)
    results: dict[int, Result] = {}
    for currency in set(StakeTable.objects.values_list("currency", flat=True)):
        for key, flowed in flows(Period(currency, min(first.values()), day), by).items():
            table, _, on = key.partition(" ")
            gain = figures(flowed).bank
            counted = {name: gain for name, since in first.items() if on >= str(since)}
            results[int(table)] = results.get(int(table), Result()) + Result(**counted)
    return results


def _together(parts: Iterable[Promised]) -> Promised:
    every = tuple(parts)
    return Promised(sum(part.count for part in every), sum(part.amount for part in every))
