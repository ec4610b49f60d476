"""Entries that must meet, brought to one table of a round that is laid out already."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from tournaments.formats.sizes import CannotBeSeated
from tournaments.formats.wishes import Two

Tables = list[list[int]]
Cost = Callable[[Tables], tuple[int, ...]]


def brought_together(tables: Tables, pairs: Sequence[Two], cost: Cost) -> Tables:
    """The tables with both of each pair at one; nobody is in two pairs. Each time by the exchange that costs least.

    Raises CannotBeSeated where the tables have no room for so many pairs: then there is no way at all, since every pair
    sits at a table with as many as may be.
    """
    settled: set[int] = set()
    for one, other in pairs:
        if _table_of(tables, one) is not _table_of(tables, other):
            ways = list(_one_moves(tables, (one, other), settled)) or list(
                _both_move(tables, (one, other), settled)
            )
            if not ways:
                raise CannotBeSeated(f"entries {one} and {other} find no room at one table")
            tables = min(ways, key=lambda way: (cost(way), way))
        settled.update((one, other))
    return tables


def _one_moves(tables: Tables, two: Two, settled: set[int]) -> Iterator[Tables]:
    """One of the two changes places with somebody at the other's table."""
    for moving, staying in (two, two[::-1]):
        for somebody in _free(_table_of(tables, staying), {*two, *settled}):
            yield _exchanged(tables, [(moving, somebody)])


def _both_move(tables: Tables, two: Two, settled: set[int]) -> Iterator[Tables]:
    """Where all others at both their tables are settled: they change places with two at the first table that can."""
    for table in tables:
        free = _free(table, {*two, *settled})
        if not set(two) & set(table) and len(free) > 1:
            yield _exchanged(tables, list(zip(two, free, strict=False)))
            return


def _free(table: Iterable[int], taken: set[int]) -> list[int]:
    return [entry for entry in table if entry not in taken]


def _table_of(tables: Tables, entry: int) -> list[int]:
    return next(table for table in tables if entry in table)


def _exchanged(tables: Tables, couples: Iterable[Two]) -> Tables:
    places = {}
    for one, other in couples:
        places[one], places[other] = other, one
    return [[places.get(entry, entry) for entry in table] for table in tables]
