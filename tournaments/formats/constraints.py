"""Pairing constraints: which pairs are kept apart or must meet, and in which rounds."""

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
class Constraint:
    """One constraint on a pair, from round `first` to round `last` (None: until it is released)."""

    what: What
    entries: Two
    first: int
    last: int | None = None

    def holds(self, round: int) -> bool:
        return self.first <= round and (self.last is None or round <= self.last)


def in_force(constraints: Iterable[Constraint], what: What, round: int) -> frozenset[Two]:
    """Return the pairs under a constraint in a round."""
    return frozenset(
        constraint.entries
        for constraint in constraints
        if constraint.what == what and constraint.holds(round)
    )


def released(
    constraints: Iterable[Constraint], what: What, entries: Two, first: int
) -> tuple[Constraint, ...]:
    """Release a constraint. It keeps its effect on rounds before `first`, which are paired already."""
    ended = (
        replace(constraint, last=first - 1)
        if constraint.what == what
        and constraint.entries == entries
        and (constraint.last is None or constraint.last >= first)
        else constraint
        for constraint in constraints
    )
    return tuple(
        constraint for constraint in ended if constraint.last is None or constraint.first <= constraint.last
    )
