"""Winners and losers of played rounds, for knockout formats."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Protocol, TypeVar

from tournaments.formats.protocol import Pairing, Snapshot, Table
from tournaments.formats.scoring.points import outings

Slot = int | None
"""The entry in a slot of a bracket; None if it is empty."""
Couple = tuple[Slot, Slot]

Place = TypeVar("Place")
"""An entry, or the origin of one when a bracket is drawn."""


class Advancement(Protocol[Place]):
    """The results that take a bracket from one round to the next."""

    def winner(self, round: int, couple: tuple[Place, Place], /) -> Place: ...

    def loser(self, round: int, couple: tuple[Place, Place], /) -> Place: ...


def advancing_from(size: int, through: int) -> int:
    """Return how many of a table of that size advance if `through` should: at least one, and never all."""
    return max(1, min(through, size - 1))


def standing(slots: Sequence[Slot], playing: set[int] | frozenset[int]) -> tuple[int, ...]:
    """Return the entries of these slots that can play."""
    return tuple(entry for entry in slots if entry is not None and entry in playing)


def couples(slots: Sequence[Place]) -> list[tuple[Place, Place]]:
    """Return neighbouring slots as pairs."""
    return list(zip(slots[::2], slots[1::2], strict=True))


class TableOrders:
    """The order of each table: by the measures, and by the seeding if all are equal."""

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
        """Return the entries of a table, the best first."""
        return sorted(
            table.seats,
            key=lambda entry: (-self._outings[entry, round].points, self._seeding[entry]),
        )

    def best(self, table: Table, round: int, many: int) -> list[int]:
        return self.order(table, round)[:many]

    def winner(self, round: int, couple: Couple) -> Slot:
        """Return the entry that advances from two slots: the winner of their table, or the only one present."""
        if (table := self._table_of(round, couple)) is not None:
            return self.order(table, round)[0]
        there = standing(couple, self.present(round))
        return there[0] if there else None

    def loser(self, round: int, couple: Couple) -> Slot:
        """Return the loser of two slots; None if they did not meet."""
        table = self._table_of(round, couple)
        return self.order(table, round)[1] if table is not None else None

    def _table_of(self, round: int, couple: Couple) -> Table | None:
        one, other = couple
        if one is None or other is None:
            return None
        table = self._tables.get((one, round))
        return table if table is not None and other in table.seats else None
