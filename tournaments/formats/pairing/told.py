"""What the rounds played say about who goes on, for formats that knock out."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Protocol, TypeVar

from tournaments.formats.points import outings
from tournaments.formats.protocol import Pairing, Snapshot, Table

Slot = int | None
"""A place in a bracket and who has come to it; None where nobody has."""
Couple = tuple[Slot, Slot]

Place = TypeVar("Place")
"""What stands in a bracket: who has come to a slot, or, where a bracket is drawn, where they will come from."""


class Tells(Protocol[Place]):
    """What takes a bracket from one round to the next."""

    def winner(self, round: int, couple: tuple[Place, Place], /) -> Place: ...

    def loser(self, round: int, couple: tuple[Place, Place], /) -> Place: ...


def go_on(size: int, through: int) -> int:
    """How many of a table of that size go on where `through` should: at least one, and never all."""
    return max(1, min(through, size - 1))


def standing(slots: Sequence[Slot], playing: set[int] | frozenset[int]) -> tuple[int, ...]:
    """Who of these slots is there to play."""
    return tuple(entry for entry in slots if entry is not None and entry in playing)


def couples(slots: Sequence[Place]) -> list[tuple[Place, Place]]:
    """Neighbours meet."""
    return list(zip(slots[::2], slots[1::2], strict=True))


class Told:
    """The tables in their order: by the measures, and where all are equal by the seeding."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._seeding = {entrant.entry: entrant.seeding for entrant in snapshot.entrants}
        self._outings = {
            (entry, one.round): one for entry, rounds in outings(snapshot).items() for one in rounds
        }
        self._tables = {
            (entry, played.round): table
            for played in snapshot.played
            for table in played.tables
            for entry in table.seats
        }
        self.present = cache(lambda round: frozenset(entrant.entry for entrant in snapshot.present(round)))

    def is_closed(self, played: Pairing) -> bool:
        return all((entry, played.round) in self._outings for table in played.tables for entry in table.seats)

    def order(self, table: Table, round: int) -> list[int]:
        """Who sat at a table, the best first."""
        return sorted(
            table.seats,
            key=lambda entry: (-self._outings[entry, round].points, self._seeding[entry]),
        )

    def best(self, table: Table, round: int, many: int) -> list[int]:
        return self.order(table, round)[:many]

    def winner(self, round: int, couple: Couple) -> Slot:
        """Who goes on of two slots: who won their table, or who was there alone."""
        if (table := self._table_of(round, couple)) is not None:
            return self.order(table, round)[0]
        there = standing(couple, self.present(round))
        return there[0] if there else None

    def loser(self, round: int, couple: Couple) -> Slot:
        """Who lost the table of two slots; None where they did not meet."""
        table = self._table_of(round, couple)
        return self.order(table, round)[1] if table is not None else None

    def _table_of(self, round: int, couple: Couple) -> Table | None:
        one, other = couple
        if one is None or other is None:
            return None
        table = self._tables.get((one, round))
        return table if table is not None and other in table.seats else None
