"""The figures of a stake table: what may be staked, what is paid, what the bank risks. Pure."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from ledger.splits import WHOLE

MOST = 10**11
"""Pence of one stake or of a bank's limit: what one transfer can move (`ledger.fields.MOST_PENCE`)."""

MOST_PLACES = 64
WINNER_TAKES_ALL = (WHOLE,)


@dataclass(frozen=True, slots=True)
class Figures:
    """Amounts are pence, basis points are of 10,000.

    minimum, maximum, step  of a stake; every stake is a multiple of the step
    default     what is proposed to the player
    win_rate    the pay table, as the game writes it; empty where the game has none
    bank_limit  the most that open games may reserve on the bank together; None: all the bank has
    open        whether games are dealt
    rake        basis points of a pool of buy-ins that the house keeps
    split       basis points of what is left by place, 10,000 together; one place: the winner takes all
    """

    minimum: int
    maximum: int
    step: int
    default: int
    win_rate: str = ""
    bank_limit: int | None = None
    open: bool = True
    rake: int = 0
    split: tuple[int, ...] = WINNER_TAKES_ALL

    def faults(self) -> list[str]:
        """What is wrong with these figures, each a sentence; none if they can stand."""
        amounts = (self.minimum, self.maximum, self.step, self.default)
        if not all(_is_whole(amount, 1, MOST) for amount in amounts):
            return [f"Minimum, maximum, step and default are 1 to {MOST:,} pence."]
        found = []
        if not self.minimum <= self.default <= self.maximum:
            found.append("The default lies between the minimum and the maximum.")
        if any(amount % self.step for amount in (self.minimum, self.default, self.maximum)):
            found.append("Minimum, default and maximum are multiples of the step.")
        if self.bank_limit is not None and not _is_whole(self.bank_limit, 0, MOST):
            found.append(f"The bank's limit is 0 to {MOST:,} pence, or none.")
        if type(self.open) is not bool:
            found.append("A table is open or it is not.")
        if not _is_whole(self.rake, 0, WHOLE - 1):
            found.append(f"A rake is 0 to {WHOLE - 1:,} basis points.")
        if not is_split(self.split):
            found.append(
                f"A split has 1 to {MOST_PLACES} places of 1 basis point or more, {WHOLE:,} together."
            )
        return found

    def columns(self) -> dict[str, Any]:
        """As a row of terms has them."""
        return {**asdict(self), "split": list(self.split)}

    def takes(self, stake: object) -> bool:
        return type(stake) is int and self.minimum <= stake <= self.maximum and stake % self.step == 0


def is_split(shares: tuple[int, ...]) -> bool:
    return (
        1 <= len(shares) <= MOST_PLACES
        and all(_is_whole(share, 1, WHOLE) for share in shares)
        and sum(shares) == WHOLE
    )


def _is_whole(amount: object, least: int, most: int) -> bool:
    return type(amount) is int and least <= amount <= most
