"""Movements: whole schedules of tables in which nobody meets twice, made by moving everybody in a regular way.

Positions count from 0; a round is a tuple of tables of positions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

Round = tuple[tuple[int, ...], ...]

STEPS, LARGEST = 60_000, 40
"""How long a rotation is looked for, and for how many entrants at most."""


def circle(entrants: int) -> tuple[Round, ...]:
    """Tables of two: one stays, the others move round (R. Schurig's tables); all meet once.

    The first seat of the one who stays changes in turn, and the odd one out of an odd field meets nobody.
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
    """As many lines as seats move past each other at steps that never coincide; empty where there are no such steps.

    Line g moves g tables a round, so it meets everybody of every other line once. With as many lines as tables the
    lines themselves are the last round: then all have met (the affine plane of that order). The first seat goes round.
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
    """One stays and the others go round in rings, all of them meeting once; empty if none is found.

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
    """The search for a round whose turns repeat no meeting: every difference between two rings is used once."""

    entrants: int
    seats: int
    length: int
    steps: int = STEPS

    def search(self) -> Round | None:
        # Place by place rather than ring by ring: tables that mix the rings are found soonest.
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
        """What the meeting of two positions becomes under all turns; two for positions of one ring."""
        last = self.entrants - 1
        if last in (one, other):
            return ((-1, min(one, other) // self.length, 0),)
        ring, place = divmod(min(one, other), self.length)
        second, where = divmod(max(one, other), self.length)
        step = (where - place) % self.length
        if ring != second:
            return ((ring, second, step),)
        # Half a turn apart is the same pair again after half the turns.
        return ((ring, ring, step), (ring, ring, -step % self.length))
