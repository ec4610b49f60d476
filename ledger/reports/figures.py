"""Figures of the site's reports, as sums of flows of money. Pure; amounts in pence of one currency.

A flow goes from one side to another: `players` is all accounts of players, `escrow` the money at stake, `external` the
outside; the others are the site's accounts by purpose. A reversal reduces the flow that it reverses.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from datetime import UTC, date, datetime, time, timedelta
from typing import NamedTuple
from zoneinfo import ZoneInfo

PLAYERS, ESCROW, PROMOTION, EXTERNAL = "players", "escrow", "promotion", "external"
GUARANTEES = "guarantees"
"""The site's own bank, `house/bank`, for guaranteed prizes, as opposed to the banks of stake tables."""
TAKING = ("bank", "rake", "takeout", "breakage")
"""The purposes of accounts that hold the site's result."""

AT_PLAY = (PLAYERS, ESCROW)


class Flow(NamedTuple):
    """A flow. `refund`: returned because it was not played for. `of`: the kind of escrow, `game`, `market`, or
    `tournament`. `times` counts transfers, `games` those of them that are the first stake of their game.
    """

    payer: str
    receiver: str
    refund: bool
    of: str
    amount: int
    times: int
    games: int = 0


@dataclass(frozen=True, slots=True)
class Figures:
    """Figures as of the time at which money moved: a stake when taken, winnings when paid.

    games, bets, entries  staked games, bets, and tournament entries taken, including refunded ones; a game counts
               when its first stake is taken
    players    different players who staked; a sum counts a player once per part
    stakes     staked by players; `refunds` is the part returned
    winnings   paid to players: winnings, dividends, prizes
    bank       gain of the banks (negative: loss); `rake`, `takeout`, `breakage` the site's parts
    promotion  returns less stakes of the site's own bots: usually negative
    overlay    added by the site to guaranteed prizes: negative
    liability  the change of what is at stake
    """

    games: int = 0
    bets: int = 0
    entries: int = 0
    players: int = 0
    stakes: int = 0
    refunds: int = 0
    winnings: int = 0
    bank: int = 0
    rake: int = 0
    takeout: int = 0
    breakage: int = 0
    promotion: int = 0
    overlay: int = 0
    liability: int = 0

    def __add__(self, other: Figures) -> Figures:
        return Figures(*(getattr(self, each.name) + getattr(other, each.name) for each in fields(self)))

    @property
    def turnover(self) -> int:
        """Stakes less refunds."""
        return self.stakes - self.refunds

    @property
    def margin(self) -> int:
        """The site's result before promotion and overlay."""
        return self.bank + self.rake + self.takeout + self.breakage

    @property
    def margin_rate(self) -> int | None:
        """The margin in basis points of the turnover, rounded to the nearest; None without turnover.

        >>> Figures(stakes=300, bank=-10).margin_rate
        -333
        """
        if self.turnover <= 0:
            return None
        return (2 * 10_000 * self.margin + self.turnover) // (2 * self.turnover)


def figures(flows: Iterable[Flow], *, players: int = 0) -> Figures:
    """Sum flows into figures, with the given number of different players.

    >>> figures([Flow("players", "escrow", False, "market", 500, 2), Flow("escrow", "takeout", False, "market", 50, 1)])
    Figures(games=0, bets=2, entries=0, players=0, stakes=500, refunds=0, winnings=0, bank=0, rake=0, takeout=50, \
breakage=0, promotion=0, overlay=0, liability=450)
    """
    sums = dict.fromkeys((each.name for each in fields(Figures)), 0)
    sums["players"] = players
    for flow in flows:
        _stake_or_payment(sums, flow)
        _house(sums, flow)
        sums["liability"] += flow.amount * ((flow.receiver == ESCROW) - (flow.payer == ESCROW))
    return Figures(**sums)


def _stake_or_payment(sums: dict[str, int], flow: Flow) -> None:
    if (flow.payer, flow.receiver) == (PLAYERS, ESCROW):
        sums["stakes"] += flow.amount
        sums["games"] += flow.games
        sums["bets"] += flow.times * (flow.of == "market")
        sums["entries"] += flow.times * (flow.of == "tournament")
    elif flow.receiver == PLAYERS and flow.payer in (ESCROW, "bank"):
        sums["refunds" if flow.refund else "winnings"] += flow.amount


def _house(sums: dict[str, int], flow: Flow) -> None:
    for side in (*TAKING, PROMOTION, GUARANTEES):
        figure = "overlay" if side == GUARANTEES else side
        if flow.receiver == side and flow.payer in AT_PLAY:
            sums[figure] += flow.amount
        elif flow.payer == side and flow.receiver in AT_PLAY:
            sums[figure] -= flow.amount


def changes(flows: Iterable[Flow]) -> dict[str, int]:
    """Return the change of each side; all changes add up to zero."""
    found: dict[str, int] = {}
    for flow in flows:
        found[flow.payer] = found.get(flow.payer, 0) - flow.amount
        found[flow.receiver] = found.get(flow.receiver, 0) + flow.amount
    return found


@dataclass(frozen=True, slots=True)
class Day:
    """A day. `begins` belongs to it, `ends` to the next day; both in UTC."""

    date: date
    begins: datetime
    ends: datetime


def begins(day: date, zone: ZoneInfo) -> datetime:
    """Return the first instant of a day: midnight, or the clock change that skips midnight.

    >>> begins(date(2026, 6, 1), ZoneInfo("Europe/London")).isoformat()
    '2026-05-31T23:00:00+00:00'
    """
    return datetime.combine(day, time(), zone).astimezone(UTC)


def days(first: date, last: date, zone: ZoneInfo) -> list[Day]:
    """Return the days from the first to the last, inclusive. A day that the zone skips begins and ends at once.

    >>> (short,) = days(date(2026, 3, 29), date(2026, 3, 29), ZoneInfo("Europe/London"))
    >>> str(short.ends - short.begins)
    '23:00:00'
    """
    dates = [first + timedelta(days=after) for after in range((last - first).days + 2)]
    starts = [begins(each, zone) for each in dates]
    return [Day(*parts) for parts in zip(dates, starts, starts[1:], strict=False)]


def today(now: datetime, zone: ZoneInfo) -> date:
    return now.astimezone(zone).date()
