"""What can be played at stake tables. The ledger knows no games: whoever keeps them registers each here at start-up."""

from __future__ import annotations

from typing import Protocol

from ledger.stakes.errors import BadStakeTable
from ledger.stakes.figures import Figures


class Kind(Protocol):
    """A game that is played for money."""

    @property
    def pooled(self) -> bool:
        """Whether its players play for their own pot, so that no bank stands behind its tables."""
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
