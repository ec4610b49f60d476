"""What the organizer has said about pairs of entries: who is kept apart, who must meet, and in which rounds."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

What = Literal["apart", "together"]
APART: What = "apart"
TOGETHER: What = "together"

Two = tuple[int, int]
"""Two entries, the smaller first."""


@dataclass(frozen=True, slots=True)
class Wish:
    """Of a pair, from round `first` to round `last` (None: until it is taken back)."""

    what: What
    entries: Two
    first: int
    last: int | None = None

    def holds(self, round: int) -> bool:
        return self.first <= round and (self.last is None or round <= self.last)


def in_force(wishes: Iterable[Wish], what: What, round: int) -> frozenset[Two]:
    """The pairs of which that was said for a round."""
    return frozenset(wish.entries for wish in wishes if wish.what == what and wish.holds(round))


def released(wishes: Iterable[Wish], what: What, entries: Two, first: int) -> tuple[Wish, ...]:
    """What was said holds for the rounds before `first` alone, which are laid out already."""
    told = (
        replace(wish, last=first - 1)
        if wish.what == what and wish.entries == entries and (wish.last is None or wish.last >= first)
        else wish
        for wish in wishes
    )
    return tuple(wish for wish in told if wish.last is None or wish.first <= wish.last)
