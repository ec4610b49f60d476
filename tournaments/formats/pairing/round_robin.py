"""Everybody against everybody: pairs by the circle, larger tables by a movement in which nobody meets twice.

The schedule follows from the field as it was when the entries closed, so it can be printed before the first round. Who
leaves later leaves a gap: the others play on at a smaller table of the game, or sit out where there is none.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from tournaments.formats.pairing import movements, swiss_tables
from tournaments.formats.pairing.movements import Round
from tournaments.formats.pairing.past import Past
from tournaments.formats.protocol import Pairing, Snapshot, Table, by_entry_order

NAME = "round-robin@1"


def rounds(entrants: int, *, preferred: int) -> int:
    """At tables of two until all have met; at larger ones as many as there may be before somebody must meet again."""
    if preferred == 2:
        return entrants - 1 + entrants % 2
    return max(1, (entrants - 1) // (preferred - 1))


def pair_round(snapshot: Snapshot, round: int) -> Pairing:
    """The tables of a round of the schedule; beyond its end it begins again, tables of two with the seats exchanged."""
    field = sorted((one.seeding, one.entry) for one in snapshot.entrants if one.first == 1)
    playing = {entrant.entry for entrant in snapshot.present(round)}
    past = Past.of(snapshot, round)
    tables: list[Table] = []
    for planned in planned_round(len(field), round, sizes=snapshot.sizes, preferred=snapshot.preferred):
        left = [entry for position in planned if (entry := field[position][1]) in playing]
        size = max((size for size in snapshot.sizes if size <= len(left)), default=0)
        # Where the game has no table for all who are left, those sit out who have done so the least.
        kept = sorted(left, key=lambda entry: -past.byes[entry])[:size]
        if size:
            tables.append(Table(len(tables) + 1, tuple(entry for entry in left if entry in kept)))
    byes = tuple(sorted(playing.difference(*(table.seats for table in tables))))
    return Pairing(round, tuple(tables), byes, past.relaxed(tables, byes, snapshot.preferred))


def planned_round(entrants: int, round: int, *, sizes: Sequence[int], preferred: int) -> Round:
    """The tables of a round (from 1) of a whole field, as positions in its seeding from 0."""
    cycle, number = divmod(round - 1, rounds(entrants, preferred=preferred))
    if preferred > 2:
        return _movement(entrants, tuple(sizes), preferred, number)
    tables = movements.circle(entrants)[number]
    return tables if cycle % 2 == 0 else tuple((other, one) for one, other in tables)


def _movement(entrants: int, sizes: tuple[int, ...], preferred: int, number: int) -> Round:
    """Round `number` (from 0) of a movement as far as there is one; then, and elsewhere from the start, of a search."""
    regular = _regular(entrants, preferred)
    if number < len(regular):
        return regular[number]
    return _searched(entrants, sizes, preferred, number)[-1]


@lru_cache(maxsize=64)
def _regular(entrants: int, preferred: int) -> tuple[Round, ...]:
    past_each_other = movements.lines(entrants, preferred)
    if len(past_each_other) == rounds(entrants, preferred=preferred):
        return past_each_other
    return movements.rotation(entrants, preferred) or past_each_other


@lru_cache(maxsize=256)
def _searched(entrants: int, sizes: tuple[int, ...], preferred: int, number: int) -> tuple[Round, ...]:
    """All rounds up to `number`: what the next may be depends on every one before it."""
    regular = _regular(entrants, preferred)
    known = regular if number <= len(regular) else _searched(entrants, sizes, preferred, number - 1)
    field = Snapshot(
        by_entry_order(range(1, entrants + 1)),
        rounds(entrants, preferred=preferred),
        games=1,
        measures=(),
        played=tuple(_as_played(tables, number) for number, tables in enumerate(known, start=1)),
        sizes=sizes,
        preferred=preferred,
    )
    found = swiss_tables.pair_round(field, number + 1)
    return (*known, tuple(tuple(entry - 1 for entry in table.seats) for table in found.tables))


def _as_played(tables: Round, number: int) -> Pairing:
    seated = (tuple(position + 1 for position in table) for table in tables)
    return Pairing(number, tuple(Table(table, seats) for table, seats in enumerate(seated, start=1)))
