"""Knockout: a bracket at tables of two, and larger tables of which the best go on.

Who wins a table is told by the measures in their order, and where all are equal by the seeding: somebody has to go on.
"""

from __future__ import annotations

from collections.abc import Sequence

from tournaments.formats import sizes as table_sizes
from tournaments.formats.pairing.past import Past
from tournaments.formats.points import outings
from tournaments.formats.protocol import Pairing, Snapshot, Table

NAME = "knockout@1"


def rounds(entrants: int, *, sizes: Sequence[int], preferred: int, through: int) -> int:
    """How many rounds until one table decides. Raises CannotBeSeated if so many cannot come to one."""
    left, number = entrants, 1
    while (left := _left_after(left, sizes, preferred, through)) > 1:
        number += 1
    return number


def _left_after(entrants: int, sizes: Sequence[int], preferred: int, through: int) -> int:
    if entrants in sizes and entrants <= preferred:
        return 1
    if preferred == 2:
        return (entrants + 1) // 2
    plan = table_sizes.plan(entrants, sizes=sizes, preferred=preferred)
    return plan.byes + sum(_go_on(size, through) for size in plan.tables)


def _go_on(size: int, through: int) -> int:
    return max(1, min(through, size - 1))


def pair_round(snapshot: Snapshot, round: int) -> Pairing:
    """The tables of a round, in the order of the bracket; its last round has the match for the third place too.

    Who has left is passed over: whoever would have met them goes on.
    """
    if snapshot.preferred == 2:
        return _bracket_round(snapshot, round)
    return _table_round(snapshot, round)


# --- tables of two -------------------------------------------------------------------------------------


Slots = list[int | None]


def _bracket_round(snapshot: Snapshot, round: int) -> Pairing:
    told = _Told(snapshot)
    slots = _first_slots(snapshot)
    for number in range(1, round):
        slots = [told.winner(number, one, other) for one, other in _couples(slots)]
    playing = {entrant.entry for entrant in snapshot.present(round)}
    couples = [_standing(two, playing) for two in _couples(slots)]
    if len(slots) == 2 and round > 1 and (losers := _losers(told, snapshot, round - 1, playing)):
        couples.append(losers)
    tables = [two for two in couples if len(two) == 2]
    byes = tuple(sorted(two[0] for two in couples if len(two) == 1))
    numbered = tuple(Table(number, two) for number, two in enumerate(tables, start=1))
    return Pairing(round, numbered, byes, Past.of(snapshot, round).relaxed(numbered, (), 2))


def _first_slots(snapshot: Snapshot) -> Slots:
    """The seeds in the order of the bracket: the best two can only meet in the end, and byes fall to the best."""
    field = sorted((one.seeding, one.entry) for one in snapshot.entrants if one.first == 1)
    order = [0]
    while len(order) < len(field):
        order = [seed for upper in order for seed in (upper, 2 * len(order) - 1 - upper)]
    return [field[seed][1] if seed < len(field) else None for seed in order]


def _couples(slots: Slots) -> list[tuple[int | None, int | None]]:
    return list(zip(slots[::2], slots[1::2], strict=True))


def _standing(two: tuple[int | None, int | None], playing: set[int]) -> tuple[int, ...]:
    return tuple(entry for entry in two if entry is not None and entry in playing)


def _losers(told: _Told, snapshot: Snapshot, round: int, playing: set[int]) -> tuple[int, ...]:
    """Who lost the two tables before the last, if both still play."""
    lost = [
        entry
        for table in snapshot.played[round - 1].tables
        for entry in table.seats
        if entry not in told.best(table, round, 1) and entry in playing
    ]
    return tuple(lost) if len(lost) == 2 else ()


class _Told:
    """What the rounds played say about who goes on."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._seeding = {entrant.entry: entrant.seeding for entrant in snapshot.entrants}
        self._outings = {
            (entry, one.round): one for entry, rounds in outings(snapshot).items() for one in rounds
        }

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

    def winner(self, round: int, one: int | None, other: int | None) -> int | None:
        """Who goes on of two slots: who won their table, or who was there alone."""
        for table in self._snapshot.played[round - 1].tables:
            if one in table.seats and other in table.seats:
                return self.order(table, round)[0]
        present = {entrant.entry for entrant in self._snapshot.present(round)}
        standing = _standing((one, other), present)
        return standing[0] if standing else None


# --- larger tables -------------------------------------------------------------------------------------


def _table_round(snapshot: Snapshot, round: int) -> Pairing:
    told = _Told(snapshot)
    alive = _alive(snapshot, told, round)
    playing = {entrant.entry for entrant in snapshot.present(round)}
    field = [entry for entry in alive if entry in playing]
    if len(field) < 2:
        return Pairing(round, (), tuple(field))
    if len(field) in snapshot.sizes and len(field) <= snapshot.preferred:
        plan = table_sizes.Sizes((len(field),), 0)
    else:
        plan = table_sizes.plan_or_sit_out(len(field), sizes=snapshot.sizes, preferred=snapshot.preferred)
    byes = tuple(sorted(field[: plan.byes]))
    tables = _snaked(field[plan.byes :], plan.tables)
    numbered = tuple(Table(number, tuple(table)) for number, table in enumerate(tables, start=1))
    past = Past.of(snapshot, round)
    return Pairing(round, numbered, byes, past.relaxed(numbered, (), 0))


def _snaked(field: Sequence[int], planned: Sequence[int]) -> list[list[int]]:
    """To and fro over the tables, so that their strength is even; a full table is passed over."""
    tables: list[list[int]] = [[] for _ in planned]
    order = [*range(len(planned)), *reversed(range(len(planned)))]
    left = iter(field)
    for _ in range(max(planned, default=0)):
        for number in order:
            if len(tables[number]) < planned[number] and (entry := next(left, None)) is not None:
                tables[number].append(entry)
    return tables


def _alive(snapshot: Snapshot, told: _Told, round: int) -> list[int]:
    """Who goes on into a round, the best first: by their place at the last table, then by seeding; byes lead."""
    if round == 1:
        return [entry for _, entry in sorted((one.seeding, one.entry) for one in snapshot.entrants)]
    played = snapshot.played[round - 2]
    seeding = {entrant.entry: entrant.seeding for entrant in snapshot.entrants}
    going_on = [(0, seeding[entry], entry) for entry in played.byes]
    for table in played.tables:
        best = told.best(table, round - 1, _go_on(len(table.seats), snapshot.through))
        going_on += [(place, seeding[entry], entry) for place, entry in enumerate(best, start=1)]
    return [entry for *_, entry in sorted(going_on)]


# --- the end -------------------------------------------------------------------------------------------


def reached(snapshot: Snapshot) -> dict[int, tuple[int, int]]:
    """By entry the last closed round it came to (0: none) and its place there: 1 to go on or win, 3 and 4 for those who
    play for the third place. Who sat out went on."""
    told = _Told(snapshot)
    far = {entrant.entry: (0, 0) for entrant in snapshot.entrants}
    for played in snapshot.played:
        if not told.is_closed(played):
            continue
        far |= dict.fromkeys(played.byes, (played.round, 1))
        final = snapshot.preferred == 2 and played.round == snapshot.rounds
        for table in played.tables:
            ahead = 2 * (table.number - 1) if final else 0
            for place, entry in enumerate(told.order(table, played.round), start=1):
                far[entry] = (played.round, ahead + place)
    return far
