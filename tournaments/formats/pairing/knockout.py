"""Knockout: a bracket at tables of two, and larger tables of which the best go on.

Who wins a table is told by the measures in their order, and where all are equal by the seeding: somebody has to go on.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from tournaments.formats import sizes as table_sizes
from tournaments.formats.pairing.past import Past
from tournaments.formats.pairing.told import Slot, Told, couples, go_on, standing
from tournaments.formats.protocol import Pairing, Snapshot, Table

NAME = "knockout@1"

Member = TypeVar("Member")
"""Of a field: an entry, or where somebody will come from."""


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
    slots = _slots(snapshot, told, round)
    playing = {entrant.entry for entrant in snapshot.present(round)}
    meeting = [standing(two, playing) for two in couples(slots)]
    if len(slots) == 2 and round > 1 and (losers := _losers(told, snapshot, round - 1, playing)):
        meeting.append(losers)
    tables = [two for two in meeting if len(two) == 2]
    byes = tuple(sorted(two[0] for two in meeting if len(two) == 1))
    numbered = tuple(Table(number, two) for number, two in enumerate(tables, start=1))
    return Pairing(round, numbered, byes, Past.of(snapshot, round).relaxed(numbered, (), 2))


def _slots(snapshot: Snapshot, told: Told, round: int) -> list[Slot]:
    """Who has come to which slot of a round."""
    slots = first_slots(snapshot)
    for number in range(1, round):
        slots = [told.winner(number, couple) for couple in couples(slots)]
    return slots


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
    field = still_in(snapshot, Told(snapshot), round)
    if len(field) < 2:
        return Pairing(round, (), tuple(field))
    plan = planned(snapshot, len(field))
    byes = tuple(sorted(field[: plan.byes]))
    tables = snaked(field[plan.byes :], plan.tables)
    numbered = tuple(Table(number, tuple(table)) for number, table in enumerate(tables, start=1))
    past = Past.of(snapshot, round)
    return Pairing(round, numbered, byes, past.relaxed(numbered, (), 0))


def planned(snapshot: Snapshot, left: int) -> table_sizes.Sizes:
    if left in snapshot.sizes and left <= snapshot.preferred:
        return table_sizes.Sizes((left,), 0)
    return table_sizes.plan_or_sit_out(left, sizes=snapshot.sizes, preferred=snapshot.preferred)


def snaked(field: Sequence[Member], planned: Sequence[int]) -> list[list[Member]]:
    """To and fro over the tables, so that their strength is even; a full table is passed over."""
    tables: list[list[Member]] = [[] for _ in planned]
    order = [*range(len(planned)), *reversed(range(len(planned)))]
    left = iter(field)
    for _ in range(max(planned, default=0)):
        for number in order:
            if len(tables[number]) < planned[number] and (entry := next(left, None)) is not None:
                tables[number].append(entry)
    return tables


def still_in(snapshot: Snapshot, told: Told, round: int) -> list[int]:
    """Who is still in and plays a round, the best first."""
    playing = told.present(round)
    return [entry for entry in _alive(snapshot, told, round) if entry in playing]


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


def is_over(snapshot: Snapshot) -> bool:
    """Whether the rounds that are closed have decided: one is left, one table seated all, or who is left fills none.

    A match for the third place that can still be played is waited for.
    """
    told = Told(snapshot)
    closed = _last_closed(snapshot, told)
    if snapshot.preferred == 2:
        slots = _slots(snapshot, told, closed + 1)
        if len(slots) < 2:
            return True
        left = standing(slots, told.present(closed + 1))
        return len(left) < 2 and not _bracket_round(snapshot, closed + 1).tables
    if closed and decides(snapshot.played[closed - 1], snapshot):
        return True
    field = still_in(snapshot, told, closed + 1)
    return len(field) < 2 or not planned(snapshot, len(field)).tables


def decides(played: Pairing, snapshot: Snapshot) -> bool:
    """Whether a round was the one table that seats all who are left."""
    return len(played.tables) == 1 and not played.byes and len(played.tables[0].seats) <= snapshot.preferred


def _last_closed(snapshot: Snapshot, told: Told) -> int:
    return max((played.round for played in snapshot.played if told.is_closed(played)), default=0)


def reached(snapshot: Snapshot) -> dict[int, tuple[int, int]]:
    """By entry the last closed round it came to (0: none) and its place there: 1 to go on or win, 3 and 4 for those who
    play for the third place. Who sat out went on; where the others have left before the last round, who is still in has
    come to the round that need not be played."""
    told = Told(snapshot)
    far = {entrant.entry: (0, 0) for entrant in snapshot.entrants}
    lost: set[int] = set()
    for played in snapshot.played:
        if not told.is_closed(played):
            continue
        far |= dict.fromkeys(played.byes, (played.round, 1))
        beaten = lost
        for table in played.tables:
            # Who has lost before can only play for the third place.
            ahead = 2 if snapshot.preferred == 2 and beaten.issuperset(table.seats) else 0
            order = told.order(table, played.round)
            lost = lost.union(order[go_on(len(order), snapshot.through) :])
            for place, entry in enumerate(order, start=1):
                far[entry] = (played.round, ahead + place)
    closed = _last_closed(snapshot, told)
    if (
        0 < closed < snapshot.rounds
        and not decides(snapshot.played[closed - 1], snapshot)
        and is_over(snapshot)
    ):
        left = told.present(closed + 1) - lost
        far |= dict.fromkeys(left, (closed + 1, 1))
    return far
