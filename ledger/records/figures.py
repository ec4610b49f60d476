"""What the house's reports count, as sums over flows of money. Pure; every amount in pence, of one currency.

A flow goes from one side to another: `players` is whatever belongs to a player, `escrow` what is at stake, the others
are the house's accounts by their purpose, `external` is the world. The reversal of a transfer counts as less of the
flow that it takes back, not as a flow of its own.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import NamedTuple

PLAYERS, ESCROW, PROMOTION, EXTERNAL = "players", "escrow", "promotion", "external"
GUARANTEES = "guarantees"
"""The house's own bank, `house/bank`, as against those of stake tables: guaranteed prizes are kept there."""
TAKING = ("bank", "rake", "takeout", "breakage")
"""Where the house's result is kept."""

AT_PLAY = (PLAYERS, ESCROW)


class Flow(NamedTuple):
    """`refund`: what went back because it was not played for. `of`: whose escrow, `game`, `market` or `tournament`."""

    payer: str
    receiver: str
    refund: bool
    of: str
    amount: int
    times: int


@dataclass(frozen=True, slots=True)
class Figures:
    """Each figure as of the time when the money moved: a stake when it was taken, winnings when they were paid.

    games, bets, entries  staked games, bets and tournament entries that were taken (refunded ones too)
    players    different players who staked; a sum of figures counts who is in several more than once
    stakes     what players staked; `refunds` what of it they got back
    winnings   what players were paid: winnings, dividends, prizes
    bank       what banks gained (negative: lost); `rake`, `takeout`, `breakage` what was kept there
    promotion  what the house's own stakes brought back less what they were: usually negative
    overlay    what the house added to the prizes that it had guaranteed: negative
    liability  by how much more is at stake than before
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
        """What was really played for."""
        return self.stakes - self.refunds

    @property
    def margin(self) -> int:
        """The house's result before promotion and overlay."""
        return self.bank + self.rake + self.takeout + self.breakage

    @property
    def margin_rate(self) -> int | None:
        """The margin in basis points of the turnover, to the nearest; None where nothing was played for.

        >>> Figures(stakes=300, bank=-10).margin_rate
        -333
        """
        if self.turnover <= 0:
            return None
        return (2 * 10_000 * self.margin + self.turnover) // (2 * self.turnover)


def figures(flows: Iterable[Flow], *, games: int = 0, players: int = 0) -> Figures:
    """What flows come to. How many different games and players there were, they do not say.

    >>> figures([Flow("players", "escrow", False, "market", 500, 2), Flow("escrow", "takeout", False, "market", 50, 1)])
    Figures(games=0, bets=2, entries=0, players=0, stakes=500, refunds=0, winnings=0, bank=0, rake=0, takeout=50, \
breakage=0, promotion=0, overlay=0, liability=450)
    """
    sums = dict.fromkeys((each.name for each in fields(Figures)), 0)
    sums["games"], sums["players"] = games, players
    for flow in flows:
        _stake_or_payment(sums, flow)
        _house(sums, flow)
        sums["liability"] += flow.amount * ((flow.receiver == ESCROW) - (flow.payer == ESCROW))
    return Figures(**sums)


def _stake_or_payment(sums: dict[str, int], flow: Flow) -> None:
    if (flow.payer, flow.receiver) == (PLAYERS, ESCROW):
        sums["stakes"] += flow.amount
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
    """By how much each side has more afterwards; all together nothing."""
    found: dict[str, int] = {}
    for flow in flows:
        found[flow.payer] = found.get(flow.payer, 0) - flow.amount
        found[flow.receiver] = found.get(flow.receiver, 0) + flow.amount
    return found
