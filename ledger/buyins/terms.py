"""The terms of a pot, fixed before anybody buys in, and what they make of it. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic

from ledger import splits
from ledger.splits import WHOLE, Entry
from ledger.stakes.figures import WINNER_TAKES_ALL, is_split


@dataclass(frozen=True, slots=True)
class Shares(Generic[Entry]):
    """A pot divided: the house's part, and what each entry gets; in pence, together the whole pot."""

    rake: int
    awards: dict[Entry, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class PotTerms:
    """Basis points are of 10,000.

    stake_table  whose bounds the buy-in keeps
    rake         what the house keeps of the pot, rounded down to the penny
    split        the shares of first place, second place …, of what is left
    """

    stake_table: str
    rake: int = 0
    split: tuple[int, ...] = WINNER_TAKES_ALL

    def faults(self) -> list[str]:
        """What is wrong with these terms, each a sentence; none if they can stand."""
        found = []
        if type(self.rake) is not int or not 0 <= self.rake < WHOLE:
            found.append("A rake is 0 to 9,999 basis points.")
        if not is_split(self.split):
            found.append(f"The shares of the places are each at least 1 and together {WHOLE} basis points.")
        return found

    def divide(self, pot: int, places: Sequence[Sequence[Entry]]) -> Shares[Entry]:
        """`places`: who came first, second …; those that share a place divide what their ranks would have won.

        Odd pence go by largest remainder, then by place, then as listed within a place.

        >>> PotTerms(stake_table="club", rake=500, split=(7000, 3000)).divide(1560, [["ann"], ["bob", "eve"]])
        Shares(rake=78, awards={'ann': 1038, 'bob': 222, 'eve': 222})

        Raises ValueError if nobody is there to be paid, or somebody twice.
        """
        rake, rest = splits.rake(pot, self.rake)
        return Shares(rake, splits.prizes(rest, self.split, places))
