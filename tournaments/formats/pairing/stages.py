"""Splits a tournament of two stages into snapshots for each group and for the knockout.

The snapshots contain only their entrants. The knockout's rounds count from 1; tables keep their numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from tournaments.formats.pairing import round_robin
from tournaments.formats.protocol import Pairing, Result, Snapshot, Table


def first_rounds(snapshot: Snapshot) -> int:
    """Return the rounds of the first stage: the requested number, or one cycle of its largest group."""
    return snapshot.stages[0].rounds or max(1, *_lengths(snapshot))


def stage_of(snapshot: Snapshot, round: int) -> int:
    return 1 if round <= first_rounds(snapshot) else 2


def groups(snapshot: Snapshot) -> tuple[tuple[int, ...], ...]:
    """Return the entries of each group, the strongest first. Without groups, there is one."""
    field = [one.entry for one in sorted(snapshot.entrants, key=lambda one: one.seeding)]
    return snaked(field, snapshot.stages[0].groups)


def snaked(field: Sequence[int], groups: int) -> tuple[tuple[int, ...], ...]:
    """Deal the entries back and forth over groups: the best of each, then the second best in reverse order.

    >>> snaked((1, 2, 3, 4, 5, 6, 7), 3)
    ((1, 6, 7), (2, 5), (3, 4))
    """
    into: list[list[int]] = [[] for _ in range(groups)]
    for position, entry in enumerate(field):
        row, column = divmod(position, groups)
        into[column if row % 2 == 0 else groups - 1 - column].append(entry)
    return tuple(map(tuple, into))


def group_of(snapshot: Snapshot) -> Mapping[int, int]:
    """Return the group of each entry, from 1; empty if there is only one."""
    if snapshot.stages[0].groups == 1:
        return {}
    return {entry: number for number, group in enumerate(groups(snapshot), start=1) for entry in group}


def _lengths(snapshot: Snapshot) -> list[int]:
    """Return the rounds of each group; without a request, smaller groups finish earlier."""
    asked = snapshot.stages[0].rounds
    return [
        asked or round_robin.rounds(len(group), preferred=snapshot.preferred) for group in groups(snapshot)
    ]


def last_closed(snapshot: Snapshot) -> int:
    """Return the last round whose results are complete; 0 for none."""
    known = {(result.round, result.table) for result in snapshot.results}
    closed = (
        played.round
        for played in snapshot.played
        if all((played.round, table.number) in known for table in played.tables)
    )
    return max(closed, default=0)


# --- what the other formats are asked ------------------------------------------------------------------


def of_groups(snapshot: Snapshot) -> list[Snapshot]:
    """Return each group as a separate tournament."""
    fields, lengths = groups(snapshot), _lengths(snapshot)
    number = {entry: group for group, field in enumerate(fields) for entry in field}
    played: list[list[Pairing]] = [[] for _ in fields]
    for pairing in snapshot.played:
        for group, part in enumerate(_parted(pairing, number, len(fields))):
            if pairing.round <= lengths[group]:
                played[group].append(part)
    results: list[list[Result]] = [[] for _ in fields]
    for result in snapshot.results:
        if result.round <= lengths[group := number[result.entry]]:
            results[group].append(result)
    members = [set(field) for field in fields]
    return [
        replace(
            snapshot,
            entrants=tuple(one for one in snapshot.entrants if one.entry in members[group]),
            rounds=lengths[group],
            played=tuple(played[group]),
            results=tuple(results[group]),
            stages=(),
        )
        for group in range(len(fields))
    ]


def _parted(pairing: Pairing, number: Mapping[int, int], groups: int) -> list[Pairing]:
    """Return each group's part of a round."""
    tables: list[list[Table]] = [[] for _ in range(groups)]
    byes: list[list[int]] = [[] for _ in range(groups)]
    for table in pairing.tables:
        if len(there := {number[entry] for entry in table.seats}) == 1:
            tables[there.pop()].append(table)
    for entry in pairing.byes:
        byes[number[entry]].append(entry)
    return [Pairing(pairing.round, tuple(tables[group]), tuple(byes[group])) for group in range(groups)]


def of_knockout(snapshot: Snapshot, going_on: Sequence[int]) -> Snapshot:
    """Return the second stage as a separate tournament, seeded in the order of `going_on`."""
    before = first_rounds(snapshot)
    seeding = {entry: number for number, entry in enumerate(going_on, start=1)}
    return replace(
        snapshot,
        entrants=tuple(
            replace(
                one, seeding=seeding[one.entry], first=1, last=None if one.last is None else one.last - before
            )
            for one in snapshot.entrants
            if one.entry in seeding
        ),
        rounds=snapshot.rounds - before,
        played=tuple(replace(one, round=one.round - before) for one in snapshot.played if one.round > before),
        results=tuple(
            replace(one, round=one.round - before) for one in snapshot.results if one.round > before
        ),
        stages=(),
    )


def joined(round: int, parts: Iterable[Pairing]) -> Pairing:
    """Join the groups' tables into one round, numbered throughout."""
    made = list(parts)
    seats = (table.seats for part in made for table in part.tables)
    return Pairing(
        round,
        tuple(Table(number, seated) for number, seated in enumerate(seats, start=1)),
        tuple(sorted(entry for part in made for entry in part.byes)),
        tuple(relaxed for part in made for relaxed in part.relaxed),
    )
