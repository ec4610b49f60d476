"""What a ruling does, in the words in which it is shown before it is made. Pure.

The same document is made by a preview, by the ruling and by its approval: what it says is what was done, or nothing
was.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from eventstore.chain import canonical

Document = dict[str, Any]


class Change(NamedTuple):
    """What somebody (`player:…`, `house`, `house:…`) has more after a ruling, or less; in pence."""

    owner: str
    currency: str
    amount: int


@dataclass(frozen=True, slots=True)
class Effects:
    """`was` and `becomes` are results; `tournament` what a correction changes there; `plays` how the game goes on."""

    was: Document
    becomes: Document
    money: Sequence[Change] = ()
    tournament: Document | None = None
    plays: str | None = None
    bets: int = 0
    """That are paid anew by a job, being many; their money is counted in `money` as if they were."""

    @property
    def changes_anything(self) -> bool:
        return bool(self.money or self.tournament or self.plays or self.was != self.becomes)

    def document(self) -> Document:
        return {
            "result": {"was": self.was, "becomes": self.becomes},
            "money": [
                {"owner": one.owner, "currency": one.currency, "change": one.amount} for one in self.money
            ],
            "tournament": self.tournament,
            "plays": self.plays,
            "bets_paid_later": self.bets,
        }

    def moved(self) -> dict[str, int]:
        """By currency what somebody has more by it, summed: as much as others have less."""
        sums: dict[str, int] = {}
        for one in self.money:
            sums[one.currency] = sums.get(one.currency, 0) + max(one.amount, 0)
        return sums


def digest(document: Mapping[str, Any]) -> str:
    """SHA-256, hex."""
    return hashlib.sha256(canonical(document)).hexdigest()


@dataclass(frozen=True, slots=True)
class Done:
    """A remedy that was carried out: its effects, where what it moved stands in the books, and the game by which
    play goes on."""

    effects: Effects
    caused: Sequence[Document] = field(default_factory=list)
    game: Any = None


def needs_second(effects: Effects, limits: Mapping[str, int]) -> bool:
    """Whether more is moved than one person may move. Where a currency has no limit, that is any money at all."""
    return any(amount > limits.get(currency, 0) for currency, amount in effects.moved().items())
