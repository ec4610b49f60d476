"""What bets come to when their market is settled. Pure: pence in, pence out.

`pools` and `prices` judge wagers; both answer a `Judgement`, so whoever pays need not know which it was.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

REFUND = "refund"
LOSE = "lose"
ON_DRAW = (REFUND, LOSE)
"""What becomes of bets where nobody won (RULEBOOK 2 (3))."""


@dataclass(frozen=True, slots=True)
class Wager:
    """A bet as it is judged. `odds`: those to one that it was made at, None in a pool.

    `void`: its stake goes back whatever the result: it was made after the off, or its runner withdrew.
    """

    runner: str
    stake: int
    odds: Fraction | None = None
    void: bool = False


@dataclass(frozen=True, slots=True)
class Judgement:
    """What each wager gets back, in their order, and what the house takes.

    returns   pence to pay; 0 for those that lost
    refunded  whether a wager has its stake back because it was not decided
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
