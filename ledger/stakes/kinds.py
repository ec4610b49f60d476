"""What can be played at stake tables. The ledger knows no games: whoever keeps them registers each here at start-up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from ledger.stakes.errors import BadStakeTable
from ledger.stakes.figures import Figures


@dataclass(frozen=True, slots=True)
class Prospects:
    """What a stake can come to, in pence.

    card, most, even_at  against the house: what each card pays, all of them, and how many give the stake back
    pot, rake, places    among players: what all put in, what the house keeps, what each place gets if none is shared
    """

    card: int | None = None
    most: int | None = None
    even_at: int | None = None
    pot: int | None = None
    rake: int | None = None
    places: tuple[int, ...] = ()


class Kind(Protocol):
    """A game that is played for money."""

    @property
    def pooled(self) -> bool:
        """Whether its players play for their own pot, so that no bank stands behind its tables."""
        ...

    @property
    def from_cash(self) -> bool:
        """Whether a player pays from cash; otherwise from a play session."""
        ...

    def mode_faults(self, mode: str) -> list[str]:
        """What is wrong with a mode, each a sentence."""
        ...

    def faults(self, mode: str, figures: Figures) -> list[str]:
        """Why these figures, sound in themselves, are none for this game, each a sentence."""
        ...

    def risk(self, mode: str, figures: Figures) -> int:
        """Pence that the bank may lose by one game at the maximum stake; 0 where it risks nothing of its own."""
        ...

    def prospects(self, mode: str, figures: Figures, *, stake: int, seats: int) -> Prospects:
        """What a stake that the figures take can come to, at a table of so many seats."""
        ...


_kinds: dict[str, Kind] = {}


def register(rules: str, kind: Kind) -> None:
    _kinds[rules] = kind


def without_bank() -> list[str]:
    """The games at whose tables the players play for their own pot."""
    return sorted(rules for rules, kind in _kinds.items() if kind.pooled)


def registered() -> list[str]:
    """The games that are played for money."""
    return sorted(_kinds)


def kind_of(rules: str) -> Kind:
    """Raises BadStakeTable for a game that is not played for money, or is none."""
    found = _kinds.get(rules)
    if found is None:
        raise BadStakeTable(f"For money one plays {', '.join(registered())}.")
    return found
