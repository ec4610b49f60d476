"""What a format is asked and what it answers. Snapshots in, results out: no clock, no lots, no database.

An entrant is the number of an entry, counted from 1 in entry order; that order is the last thing anything is sorted by,
so the same snapshot gives the same answer in every process.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

Ended = Literal["finished", "expired", "void"]


@dataclass(frozen=True, slots=True)
class Measure:
    """One number of a score; a tournament's measures in order are its published tie order."""

    name: str
    best: Literal["most", "fewest"]
    meaning: str

    def document(self) -> dict[str, Any]:
        return {"name": self.name, "best": self.best, "meaning": self.meaning}


@dataclass(frozen=True, slots=True)
class Result:
    """What one entrant got out of one game: a number for each measure of the tournament."""

    round: int
    table: int
    deal: int
    entry: int
    ended: Ended
    score: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Everything a format may know. `entrants` are those who play, in entry order."""

    entrants: tuple[int, ...]
    rounds: int
    games: int
    measures: tuple[Measure, ...]
    results: tuple[Result, ...] = ()


@dataclass(frozen=True, slots=True)
class Table:
    """One table of a round, numbered from 1, and who sits at it from seat 0."""

    number: int
    seats: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Standing:
    """A place, shared by all who are equal in every measure. `totals` stand in the order of the measures."""

    place: int
    entry: int
    totals: tuple[int, ...]
    games: int

    def document(self) -> dict[str, Any]:
        return {"place": self.place, "entry": self.entry, "totals": list(self.totals), "games": self.games}


class Format(Protocol):
    @property
    def slug(self) -> str: ...

    @property
    def name(self) -> str: ...

    @property
    def fewest_entrants(self) -> int: ...

    def suits(self, seats: Sequence[int]) -> bool:
        """Whether a game that is played by these numbers of seats can be played in this format."""

    def tables(self, snapshot: Snapshot, round: int) -> tuple[Table, ...]:
        """Who meets whom in a round."""

    def deal(self, *, tables: int, game: int, table: int) -> int:
        """The number `d` of the deal that a table's game is played with (RULEBOOK 1, Fairness)."""

    def sharers(self, *, deal: int, table: int) -> str:
        """A text that is equal for all games of a round which share that deal."""

    def standings(self, snapshot: Snapshot) -> tuple[Standing, ...]: ...


def ranked(
    totals: Sequence[tuple[int, tuple[int, ...], int]], measures: Sequence[Measure]
) -> tuple[Standing, ...]:
    """Places for (entry, totals, games): best first by each measure in turn, equals share a place in entry order."""

    def merit(row: tuple[int, tuple[int, ...], int]) -> tuple[int, ...]:
        return tuple(
            -total if measure.best == "most" else total
            for total, measure in zip(row[1], measures, strict=True)
        )

    standings: list[Standing] = []
    last: tuple[int, ...] | None = None
    for position, row in enumerate(sorted(totals, key=lambda row: (merit(row), row[0])), start=1):
        place = standings[-1].place if standings and merit(row) == last else position
        standings.append(Standing(place=place, entry=row[0], totals=row[1], games=row[2]))
        last = merit(row)
    return tuple(standings)
