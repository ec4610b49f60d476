"""The terms of a market, fixed when it is opened. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from ledger.betting.pools import STEPS
from ledger.betting.wagers import ON_DRAW, REFUND
from ledger.splits import WHOLE

PLAY_CURRENCY = "XXX"
"""ISO 4217's code where no currency is involved: of play money, which is worth nothing outside its event."""

FIXED = "fixed"
POOL = "pool"
KINDS = (FIXED, POOL)

MOST_RUNNERS = 512


@dataclass(frozen=True, slots=True)
class Terms:
    """Basis points are of 10,000; amounts are pence.

    margin       fixed odds: what the house keeps of a fair return
    takeout      pool: what the house keeps of the pool
    step         pool: 0 divides to the penny; 1 or 10 rounds the dividend per 100 pence down to that
    on_draw      what becomes of bets where nobody won
    cancellable  whether a bet may be taken back while the betting that it was made in is open
    in_running   whether the market opens again, at new prices, after it was closed
    cap          fixed: the most that the bank may have to pay beyond the stakes; pool: the most that may be staked
    stake_table  whose bounds every stake keeps, and whose bank pays fixed odds
    """

    margin: int = 0
    takeout: int = 0
    step: int = 0
    on_draw: str = REFUND
    cancellable: bool = True
    in_running: bool = False
    cap: int | None = None
    stake_table: str = "race-bets"

    def faults(self, kind: str) -> list[str]:
        """What is wrong with these terms for a market of this kind, each a sentence; none if they can stand."""
        found = []
        if not all(type(part) is int and 0 <= part < WHOLE for part in (self.margin, self.takeout)):
            found.append("Margin and takeout are 0 to 9,999 basis points.")
        elif (self.takeout if kind == FIXED else self.margin) != 0:
            found.append("Fixed odds have a margin, a pool has a takeout.")
        if type(self.step) is not int or self.step not in (STEPS if kind == POOL else (0,)):
            found.append("A dividend is rounded down to 1 or 10 pence, or not at all (0).")
        if self.on_draw not in ON_DRAW:
            found.append(f"on_draw is one of {', '.join(ON_DRAW)}.")
        if self.in_running and kind != FIXED:
            found.append("Only a market of fixed odds opens again.")
        if self.cap is not None and (type(self.cap) is not int or not 1 <= self.cap <= 10**11):
            found.append("A cap is 1 to 100,000,000,000 pence.")
        return found
