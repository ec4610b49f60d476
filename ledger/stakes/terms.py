"""The terms of a stake table and of a pot: bounds of stakes, pay table, bank limit, rake, and split. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Generic

from ledger import splits
from ledger.splits import WHOLE, Entry

MOST = 10**11
"""Pence of one stake or of a bank's limit, at most one transfer (`ledger.money.MOST_PENCE`)."""

MOST_PLACES = 64
WINNER_TAKES_ALL = (WHOLE,)


@dataclass(frozen=True, slots=True)
class Figures:
    """Figures of a stake table. Amounts are pence, basis points are of 10,000.

    minimum, maximum, step  of a stake, which is a multiple of the step
    default     the stake that is proposed
    win_rate    the pay table, as the game writes it; empty if the game has none
    bank_limit  the most that open games may reserve on the bank together; None: its whole balance
    open        whether games are dealt
    rake        the site's part of a pool of buy-ins, in basis points
    split       basis points of the rest by place, 10,000 together; one place: the winner takes all
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
        """Return the faults of these figures, one sentence each."""
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
        """Return the figures as columns of a row of terms."""
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


@dataclass(frozen=True, slots=True)
class Shares(Generic[Entry]):
    """A divided pot: the site's rake and the award of each entry, in pence; together the whole pot."""

    rake: int
    awards: dict[Entry, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class PotTerms:
    """Terms of a pot. Basis points are of 10,000.

    stake_table  the table whose bounds apply to the buy-in
    rake         the site's part of the pot, rounded down to the penny
    split        the shares of the places in the rest
    """

    stake_table: str
    rake: int = 0
    split: tuple[int, ...] = WINNER_TAKES_ALL

    def faults(self) -> list[str]:
        """Return the faults of these terms, one sentence each."""
        found = []
        if type(self.rake) is not int or not 0 <= self.rake < WHOLE:
            found.append("A rake is 0 to 9,999 basis points.")
        if not is_split(self.split):
            found.append(f"The shares of the places are each at least 1 and together {WHOLE} basis points.")
        return found

    def divide(self, pot: int, places: Sequence[Sequence[Entry]]) -> Shares[Entry]:
        """Divide a pot among `places`, first place first. Entries that share a place divide the shares of their ranks.

        Odd pence go by largest remainder, then by place, then in the order within a place.

        >>> PotTerms(stake_table="club", rake=500, split=(7000, 3000)).divide(1560, [["ann"], ["bob", "eve"]])
        Shares(rake=78, awards={'ann': 1038, 'bob': 222, 'eve': 222})

        Raises ValueError if there is no entry, or an entry occurs twice.
        """
        rake, rest = splits.rake(pot, self.rake)
        return Shares(rake, splits.prizes(rest, self.split, places))
