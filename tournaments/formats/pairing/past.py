"""What earlier rounds forbid, or make dear, in the round to come."""

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
    """Who has met whom and how often, who has sat out, at a short table, in the first seat."""

    met: Counter[Pair] = field(default_factory=Counter)
    byes: Counter[int] = field(default_factory=Counter)
    short: Counter[int] = field(default_factory=Counter)
    first: Counter[int] = field(default_factory=Counter)
    apart: frozenset[Pair] = frozenset()

    @classmethod
    def of(cls, snapshot: Snapshot, round: int) -> Past:
        """What happened before `round`."""
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
        """What laying out a round so asks to be overlooked."""
        told = [Relaxed("bye-again", (entry,)) for entry in byes if self.byes[entry]]
        for table in tables:
            for two in combinations(sorted(table.seats), 2):
                if two in self.apart:
                    told.append(Relaxed("apart", two))
                if self.met[two]:
                    told.append(Relaxed("rematch", two))
            if len(table.seats) < preferred:
                told += [Relaxed("short-again", (entry,)) for entry in table.seats if self.short[entry]]
        return tuple(sorted(told, key=lambda one: (RELAXATIONS.index(one.what), one.entries)))
