"""The terms of a market, fixed when it opens, and the wagers that they are applied to. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

REFUND = "refund"
LOSE = "lose"
ON_DRAW = (REFUND, LOSE)
"""The possible treatments of bets if no runner won (RULEBOOK 2 (3))."""


@dataclass(frozen=True, slots=True)
class Wager:
    """A bet as it is judged. `odds` are the odds to one at which it was made, None in a pool.

    A `void` wager is refunded whatever the result: it was made after the start, or its runner withdrew.
    """

    runner: str
    stake: int
    odds: Fraction | None = None
    void: bool = False


@dataclass(frozen=True, slots=True)
class Judgement:
    """The return of each wager, in order, and the site's part.

    returns   pence to pay; 0 for a lost wager
    refunded  whether a wager is refunded instead of decided
    """

    returns: list[int]
    refunded: list[bool]
    takeout: int = 0
    breakage: int = 0

    @property
    def paid(self) -> int:
        return sum(self.returns)


def refund_all(wagers: Sequence[Wager]) -> Judgement:
    return Judgement([wager.stake for wager in wagers], [True] * len(wagers))


PLAY_CURRENCY = "XXX"
"""ISO 4217's code for no currency, used for play money, which has no value outside its event."""

MOST_RUNNERS = 512

STEPS = (0, 1, 10)
"""Steps to which the dividend of a pool is rounded down: not at all, to whole pence, or to ten pence per unit."""


@dataclass(frozen=True, slots=True)
class Terms:
    """Terms. Basis points are of 10,000; amounts are pence.

    margin       fixed odds: the site's part of a fair return
    takeout      pool: the site's part of the pool
    step         pool: 0 divides to the penny; 1 or 10 rounds the dividend per 100 pence down to that
    on_draw      what happens to bets if no runner won
    cancellable  whether a bet may be cancelled while its betting round is open
    in_running   whether the market reopens at new prices after it was closed
    cap          fixed: the most that the bank may pay beyond the stakes; pool: the most that may be staked
    stake_table  the table whose bounds apply to every stake and whose bank pays fixed odds
    """

    margin: int = 0
    takeout: int = 0
    step: int = 0
    on_draw: str = REFUND
    cancellable: bool = True
    in_running: bool = False
    cap: int | None = None
    stake_table: str = "race-bets"
