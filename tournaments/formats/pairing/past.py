"""Earlier meetings, byes, and short tables, which later rounds avoid."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import combinations

from tournaments.formats.protocol import RELAXATIONS, Pairing, Relaxed, Snapshot, Table

Pair = tuple[int, int]


def pair(one: int, other: int) -> Pair:
    return (one, other) if one < other else (other, one)


@dataclass(frozen=True, slots=True)
class Past:
    """Meetings and their number, byes, short tables, and first seats."""

    met: Counter[Pair] = field(default_factory=Counter)
    byes: Counter[int] = field(default_factory=Counter)
    short: Counter[int] = field(default_factory=Counter)
    first: Counter[int] = field(default_factory=Counter)
    apart: frozenset[Pair] = frozenset()

    @classmethod
    def of(cls, snapshot: Snapshot, round: int) -> Past:
        """Return what happened before `round`."""
        past = cls(apart=snapshot.apart)
        for played in snapshot.played:
            if played.round < round:
                past.add(played, snapshot.preferred)
        return past

    def add(self, played: Pairing, preferred: int) -> None:
        self.byes.update(played.byes)
        for table in played.tables:
            self.met.update(combinations(sorted(table.seats), 2))
            self.first[table.seats[0]] += 1
            if len(table.seats) < preferred:
                self.short.update(table.seats)

    def relaxed(self, tables: Iterable[Table], byes: Iterable[int], preferred: int) -> tuple[Relaxed, ...]:
        """Return the relaxations that a round requires."""
        found = [Relaxed("bye-again", (entry,)) for entry in byes if self.byes[entry]]
        for table in tables:
            for two in combinations(sorted(table.seats), 2):
                if two in self.apart:
                    found.append(Relaxed("apart", two))
                if self.met[two]:
                    found.append(Relaxed("rematch", two))
            if len(table.seats) < preferred:
                found += [Relaxed("short-again", (entry,)) for entry in table.seats if self.short[entry]]
        return tuple(sorted(found, key=lambda one: (RELAXATIONS.index(one.what), one.entries)))
