"""Knockout: a bracket at tables of two, and larger tables from which the best advance.

Tables are decided by the measures in their order, and by the seeding if all are equal.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from tournaments.formats import sizes as table_sizes
from tournaments.formats.pairing.advancement import Slot, TableOrders, advancing_from, couples, standing
from tournaments.formats.pairing.past import Past
from tournaments.formats.protocol import Pairing, Snapshot, Table

NAME = "knockout@1"

Member = TypeVar("Member")
"""A member of a field: an entry, or the origin of one."""


def rounds(entrants: int, *, sizes: Sequence[int], preferred: int, through: int) -> int:
    """Return the rounds until one table decides. Raises CannotBeSeated if one table can never seat the rest."""
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
    return plan.byes + sum(advancing_from(size, through) for size in plan.tables)


def pair_round(snapshot: Snapshot, round: int) -> Pairing:
    """Return the tables of a round in the order of the bracket; the last round includes the match for third place.

    The opponent of an entrant who has left advances.
    """
    if snapshot.preferred == 2:
        return _bracket_round(snapshot, round)
    return _table_round(snapshot, round)


# --- tables of two -------------------------------------------------------------------------------------


def _bracket_round(snapshot: Snapshot, round: int) -> Pairing:
    played_tables = TableOrders(snapshot)
    slots = _slots(snapshot, played_tables, round)
    playing = {entrant.entry for entrant in snapshot.present(round)}
    meeting = [standing(two, playing) for two in couples(slots)]
    if len(slots) == 2 and round > 1 and (losers := _losers(played_tables, snapshot, round - 1, playing)):
        meeting.append(losers)
    tables = [two for two in meeting if len(two) == 2]
    byes = tuple(sorted(two[0] for two in meeting if len(two) == 1))
    numbered = tuple(Table(number, two) for number, two in enumerate(tables, start=1))
    return Pairing(round, numbered, byes, Past.of(snapshot, round).relaxed(numbered, (), 2))


def _slots(snapshot: Snapshot, played_tables: TableOrders, round: int) -> list[Slot]:
    """Return the entries in the slots of a round."""
    slots = first_slots(snapshot)
    for number in range(1, round):
        slots = [played_tables.winner(number, couple) for couple in couples(slots)]
    return slots


def first_slots(snapshot: Snapshot) -> list[Slot]:
    """Return the seeds in the order of the bracket: the best two can only meet in the final, and the best have the
    byes.
    """
    field = sorted((one.seeding, one.entry) for one in snapshot.entrants if one.first == 1)
    order = [0]
    while len(order) < len(field):
        order = [seed for upper in order for seed in (upper, 2 * len(order) - 1 - upper)]
    return [field[seed][1] if seed < len(field) else None for seed in order]


def _losers(played_tables: TableOrders, snapshot: Snapshot, round: int, playing: set[int]) -> tuple[int, ...]:
    """Return the losers of the two tables before the last, if both still play."""
    lost = [
        entry
        for table in snapshot.played[round - 1].tables
        for entry in table.seats
        if entry not in played_tables.best(table, round, 1) and entry in playing
    ]
    return tuple(lost) if len(lost) == 2 else ()


# --- larger tables -------------------------------------------------------------------------------------


def _table_round(snapshot: Snapshot, round: int) -> Pairing:
    field = still_in(snapshot, TableOrders(snapshot), round)
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
    """Deal the members back and forth over the tables, so that the tables are equally strong; full tables are
    skipped.
    """
    tables: list[list[Member]] = [[] for _ in planned]
    order = [*range(len(planned)), *reversed(range(len(planned)))]
    left = iter(field)
    for _ in range(max(planned, default=0)):
        for number in order:
            if len(tables[number]) < planned[number] and (entry := next(left, None)) is not None:
                tables[number].append(entry)
    return tables


def still_in(snapshot: Snapshot, played_tables: TableOrders, round: int) -> list[int]:
    """Return the remaining entrants of a round, the best first."""
    playing = played_tables.present(round)
    return [entry for entry in _alive(snapshot, played_tables, round) if entry in playing]


def _alive(snapshot: Snapshot, played_tables: TableOrders, round: int) -> list[int]:
    """Return the entrants who advance into a round: byes, then by place at the last table, then by seeding."""
    if round == 1:
        return [entry for _, entry in sorted((one.seeding, one.entry) for one in snapshot.entrants)]
    played = snapshot.played[round - 2]
    seeding = {entrant.entry: entrant.seeding for entrant in snapshot.entrants}
    going_on = [(0, seeding[entry], entry) for entry in played.byes]
    for table in played.tables:
        best = played_tables.best(table, round - 1, advancing_from(len(table.seats), snapshot.through))
        going_on += [(place, seeding[entry], entry) for place, entry in enumerate(best, start=1)]
    return [entry for *_, entry in sorted(going_on)]


# --- the end -------------------------------------------------------------------------------------------


def is_over(snapshot: Snapshot) -> bool:
    """Return whether the closed rounds have decided: one entrant is left, one table seated all, or the rest fill
    none.

    A match for third place that can still be played delays the end.
    """
    played_tables = TableOrders(snapshot)
    closed = _last_closed(snapshot, played_tables)
    if snapshot.preferred == 2:
        slots = _slots(snapshot, played_tables, closed + 1)
        if len(slots) < 2:
            return True
        left = standing(slots, played_tables.present(closed + 1))
        return len(left) < 2 and not _bracket_round(snapshot, closed + 1).tables
    if closed and decides(snapshot.played[closed - 1], snapshot):
        return True
    field = still_in(snapshot, played_tables, closed + 1)
    return len(field) < 2 or not planned(snapshot, len(field)).tables


def decides(played: Pairing, snapshot: Snapshot) -> bool:
    """Return whether a round was the table that seats all remaining entrants."""
    return len(played.tables) == 1 and not played.byes and len(played.tables[0].seats) <= snapshot.preferred


def _last_closed(snapshot: Snapshot, played_tables: TableOrders) -> int:
    return max((played.round for played in snapshot.played if played_tables.is_closed(played)), default=0)


def reached(snapshot: Snapshot) -> dict[int, tuple[int, int]]:
    """Return by entry the last closed round reached (0: none) and the place there.

    Place 1 advances or wins; 3 and 4 play for third place. A bye advances. If all others have left before the last
    round, the remaining entrant counts as having reached it.
    """
    played_tables = TableOrders(snapshot)
    far = {entrant.entry: (0, 0) for entrant in snapshot.entrants}
    lost: set[int] = set()
    for played in snapshot.played:
        if not played_tables.is_closed(played):
            continue
        far |= dict.fromkeys(played.byes, (played.round, 1))
        beaten = lost
        for table in played.tables:
            # An entrant who has lost before can only play for third place.
            ahead = 2 if snapshot.preferred == 2 and beaten.issuperset(table.seats) else 0
            order = played_tables.order(table, played.round)
            lost = lost.union(order[advancing_from(len(order), snapshot.through) :])
            for place, entry in enumerate(order, start=1):
                far[entry] = (played.round, ahead + place)
    closed = _last_closed(snapshot, played_tables)
    if (
        0 < closed < snapshot.rounds
        and not decides(snapshot.played[closed - 1], snapshot)
        and is_over(snapshot)
    ):
        left = played_tables.present(closed + 1) - lost
        far |= dict.fromkeys(left, (closed + 1, 1))
    return far
