"""Round robin: pairs by the circle method, and larger tables by a movement in which no two meet twice.

The schedule is a movement of positions in the seeding, counted from 0; a round is a tuple of tables of positions.
Entrants who leave are skipped: the others of their table play on if the game has a table of that size, and have
byes otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from tournaments.formats.pairing import swiss_tables
from tournaments.formats.pairing.past import Past
from tournaments.formats.protocol import Pairing, Snapshot, Table, by_entry_order

Round = tuple[tuple[int, ...], ...]

STEPS, LARGEST = 60_000, 40
"""The limits of the search for a rotation: steps, and the largest field."""


def circle(entrants: int) -> tuple[Round, ...]:
    """Return tables of two by the circle method (R. Schurig's tables): one stays, the others move; all meet once.

    The first seat of the fixed position alternates, and one entrant of an odd field has a bye.
    """
    seated = entrants + entrants % 2
    moving = seated - 1
    return tuple(
        tuple(two for two in _round_of_circle(number, moving) if max(two) < entrants)
        for number in range(moving)
    )


def _round_of_circle(number: int, moving: int) -> Round:
    stays = (number, moving) if number % 2 == 0 else (moving, number)
    moved = tuple(
        ((number + step) % moving, (number - step) % moving) for step in range(1, (moving + 1) // 2)
    )
    return (stays, *moved)


def lines(entrants: int, seats: int) -> tuple[Round, ...]:
    """Move as many lines as seats past each other at steps that never coincide; empty if there are no such steps.

    Line g moves g tables a round, so it meets every member of every other line once. With as many lines as tables,
    the lines themselves are the last round, and all have met (the affine plane of that order). The first seat
    rotates.
    """
    length, over = divmod(entrants, seats)
    if over or length < seats or not all(length % step for step in range(2, seats)):
        return ()
    moved = tuple(
        tuple(
            tuple(
                line * length + (table + line * number) % length
                for line in ((number + seat) % seats for seat in range(seats))
            )
            for table in range(length)
        )
        for number in range(length)
    )
    if seats < length:
        return moved
    return (*moved, tuple(tuple(range(line * length, (line + 1) * length)) for line in range(seats)))


def rotation(entrants: int, seats: int) -> tuple[Round, ...]:
    """Let one entrant stay and the others rotate in rings so that all meet once; empty if none is found.

    It exists for 15 at tables of three (T. P. Kirkman's schoolgirls, 1850) and 16 at tables of four, among others.
    """
    length, over = divmod(entrants - 1, seats - 1)
    if over or entrants % seats or (entrants - 1) % length or entrants > LARGEST:
        return ()
    base = _Rings(entrants, seats, length).search()
    if base is None:
        return ()
    return tuple(
        tuple(tuple(_turned(position, number, entrants, length) for position in table) for table in base)
        for number in range(length)
    )


def _turned(position: int, number: int, entrants: int, length: int) -> int:
    if position == entrants - 1:
        return position
    ring, place = divmod(position, length)
    return ring * length + (place + number) % length


@dataclass(slots=True)
class _Rings:
    """The search for a round whose rotations repeat no meeting: each difference between two rings is used once."""

    entrants: int
    seats: int
    length: int
    steps: int = STEPS

    def search(self) -> Round | None:
        # Places are filled before rings: tables that mix the rings are found sooner.
        rings = (self.entrants - 1) // self.length
        order = [ring * self.length + place for place in range(self.length) for ring in range(rings)]
        return next(self._seat((*order, self.entrants - 1), frozenset(), ()), None)

    def _seat(
        self, left: Sequence[int], used: frozenset[tuple[int, int, int]], done: Round
    ) -> Iterator[Round]:
        if not left:
            yield done
            return
        for table, taken in self._tables((left[0],), left[1:], used):
            others = tuple(position for position in left if position not in table)
            yield from self._seat(others, taken, (*done, table))

    def _tables(
        self, table: tuple[int, ...], others: Sequence[int], used: frozenset[tuple[int, int, int]]
    ) -> Iterator[tuple[tuple[int, ...], frozenset[tuple[int, int, int]]]]:
        self.steps -= 1
        if self.steps < 0:
            return
        if len(table) == self.seats:
            yield table, used
            return
        for index, position in enumerate(others):
            taken = self._with(table, position, used)
            if taken is not None:
                yield from self._tables((*table, position), others[index + 1 :], taken)

    def _with(
        self, table: Sequence[int], position: int, used: frozenset[tuple[int, int, int]]
    ) -> frozenset[tuple[int, int, int]] | None:
        taken = set(used)
        for other in table:
            for difference in self._differences(other, position):
                if difference in taken:
                    return None
                taken.add(difference)
        return frozenset(taken)

    def _differences(self, one: int, other: int) -> tuple[tuple[int, int, int], ...]:
        """Return the differences of two positions under all rotations; two for positions of one ring."""
        last = self.entrants - 1
        if last in (one, other):
            return ((-1, min(one, other) // self.length, 0),)
        ring, place = divmod(min(one, other), self.length)
        second, where = divmod(max(one, other), self.length)
        step = (where - place) % self.length
        if ring != second:
            return ((ring, second, step),)
        # A pair half a turn apart returns after half the rotations.
        return ((ring, ring, step), (ring, ring, -step % self.length))


# --- pairing -----------------------------------------------------------------------------------------


NAME = "round-robin@1"


def rounds(entrants: int, *, preferred: int) -> int:
    """Return the rounds of one cycle; at larger tables, the most rounds without a rematch."""
    if preferred == 2:
        return entrants - 1 + entrants % 2
    return max(1, (entrants - 1) // (preferred - 1))


def pair_round(snapshot: Snapshot, round: int) -> Pairing:
    """Return the tables of a round. After its end the schedule repeats; tables of two exchange seats."""
    field = sorted((one.seeding, one.entry) for one in snapshot.entrants if one.first == 1)
    playing = {entrant.entry for entrant in snapshot.present(round)}
    past = Past.of(snapshot, round)
    tables: list[Table] = []
    for planned in planned_round(len(field), round, sizes=snapshot.sizes, preferred=snapshot.preferred):
        left = [entry for position in planned if (entry := field[position][1]) in playing]
        size = max((size for size in snapshot.sizes if size <= len(left)), default=0)
        # If the game has no table for all remaining players, those with the fewest byes sit out.
        kept = sorted(left, key=lambda entry: -past.byes[entry])[:size]
        if size:
            tables.append(Table(len(tables) + 1, tuple(entry for entry in left if entry in kept)))
    byes = tuple(sorted(playing.difference(*(table.seats for table in tables))))
    return Pairing(round, tuple(tables), byes, past.relaxed(tables, byes, snapshot.preferred))


def planned_round(entrants: int, round: int, *, sizes: Sequence[int], preferred: int) -> Round:
    """Return the tables of a round (from 1) of a full field, as positions in its seeding from 0."""
    cycle, number = divmod(round - 1, rounds(entrants, preferred=preferred))
    if preferred > 2:
        return _movement(entrants, tuple(sizes), preferred, number)
    tables = circle(entrants)[number]
    return tables if cycle % 2 == 0 else tuple((other, one) for one, other in tables)


def _movement(entrants: int, sizes: tuple[int, ...], preferred: int, number: int) -> Round:
    """Return round `number` (from 0) of a movement while there is one, and of a search otherwise."""
    regular = _regular(entrants, preferred)
    if number < len(regular):
        return regular[number]
    return _searched(entrants, sizes, preferred, number)[-1]


@lru_cache(maxsize=64)
def _regular(entrants: int, preferred: int) -> tuple[Round, ...]:
    past_each_other = lines(entrants, preferred)
    if len(past_each_other) == rounds(entrants, preferred=preferred):
        return past_each_other
    return rotation(entrants, preferred) or past_each_other


@lru_cache(maxsize=256)
def _searched(entrants: int, sizes: tuple[int, ...], preferred: int, number: int) -> tuple[Round, ...]:
    """Search all rounds up to `number`, since each depends on those before it."""
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
