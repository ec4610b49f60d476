"""Knockout: a bracket at tables of two, and larger tables of which the best go on.

Who wins a table is told by the measures in their order, and where all are equal by the seeding: somebody has to go on.
"""

from __future__ import annotations

from collections.abc import Sequence

from tournaments.formats import sizes as table_sizes
from tournaments.formats.pairing.past import Past
from tournaments.formats.pairing.told import Slot, Told, couples, go_on, standing
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
    return plan.byes + sum(go_on(size, through) for size in plan.tables)


def pair_round(snapshot: Snapshot, round: int) -> Pairing:
    """The tables of a round, in the order of the bracket; its last round has the match for the third place too.

    Who has left is passed over: whoever would have met them goes on.
    """
    if snapshot.preferred == 2:
        return _bracket_round(snapshot, round)
    return _table_round(snapshot, round)


# --- tables of two -------------------------------------------------------------------------------------


def _bracket_round(snapshot: Snapshot, round: int) -> Pairing:
    told = Told(snapshot)
    slots = first_slots(snapshot)
    for number in range(1, round):
        slots = [told.winner(number, couple) for couple in couples(slots)]
    playing = {entrant.entry for entrant in snapshot.present(round)}
    meeting = [standing(two, playing) for two in couples(slots)]
    if len(slots) == 2 and round > 1 and (losers := _losers(told, snapshot, round - 1, playing)):
        meeting.append(losers)
    tables = [two for two in meeting if len(two) == 2]
    byes = tuple(sorted(two[0] for two in meeting if len(two) == 1))
    numbered = tuple(Table(number, two) for number, two in enumerate(tables, start=1))
    return Pairing(round, numbered, byes, Past.of(snapshot, round).relaxed(numbered, (), 2))


def first_slots(snapshot: Snapshot) -> list[Slot]:
    """The seeds in the order of the bracket: the best two can only meet in the end, and byes fall to the best."""
    field = sorted((one.seeding, one.entry) for one in snapshot.entrants if one.first == 1)
    order = [0]
    while len(order) < len(field):
        order = [seed for upper in order for seed in (upper, 2 * len(order) - 1 - upper)]
    return [field[seed][1] if seed < len(field) else None for seed in order]


def _losers(told: Told, snapshot: Snapshot, round: int, playing: set[int]) -> tuple[int, ...]:
    """Who lost the two tables before the last, if both still play."""
    lost = [
        entry
        for table in snapshot.played[round - 1].tables
        for entry in table.seats
        if entry not in told.best(table, round, 1) and entry in playing
    ]
    return tuple(lost) if len(lost) == 2 else ()


# --- larger tables -------------------------------------------------------------------------------------


def _table_round(snapshot: Snapshot, round: int) -> Pairing:
    told = Told(snapshot)
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
    tables = snaked(field[plan.byes :], plan.tables)
    numbered = tuple(Table(number, tuple(table)) for number, table in enumerate(tables, start=1))
    past = Past.of(snapshot, round)
    return Pairing(round, numbered, byes, past.relaxed(numbered, (), 0))


def snaked(field: Sequence[int], planned: Sequence[int]) -> list[list[int]]:
    """To and fro over the tables, so that their strength is even; a full table is passed over."""
    tables: list[list[int]] = [[] for _ in planned]
    order = [*range(len(planned)), *reversed(range(len(planned)))]
    left = iter(field)
    for _ in range(max(planned, default=0)):
        for number in order:
            if len(tables[number]) < planned[number] and (entry := next(left, None)) is not None:
                tables[number].append(entry)
    return tables


def _alive(snapshot: Snapshot, told: Told, round: int) -> list[int]:
    """Who goes on into a round, the best first: by their place at the last table, then by seeding; byes lead."""
    if round == 1:
        return [entry for _, entry in sorted((one.seeding, one.entry) for one in snapshot.entrants)]
    played = snapshot.played[round - 2]
    seeding = {entrant.entry: entrant.seeding for entrant in snapshot.entrants}
    going_on = [(0, seeding[entry], entry) for entry in played.byes]
    for table in played.tables:
        best = told.best(table, round - 1, go_on(len(table.seats), snapshot.through))
        going_on += [(place, seeding[entry], entry) for place, entry in enumerate(best, start=1)]
    return [entry for *_, entry in sorted(going_on)]


# --- the end -------------------------------------------------------------------------------------------


def reached(snapshot: Snapshot) -> dict[int, tuple[int, int]]:
    """By entry the last closed round it came to (0: none) and its place there: 1 to go on or win, 3 and 4 for those who
    play for the third place. Who sat out went on."""
    told = Told(snapshot)
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
