"""A tournament of two stages cut into what the other formats know: a snapshot for each group, and one for the knockout.

Whom a snapshot has is restricted, and the knockout's rounds count from 1; tables keep their numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from tournaments.formats.pairing import round_robin
from tournaments.formats.protocol import Pairing, Result, Snapshot, Table


def first_rounds(snapshot: Snapshot) -> int:
    """How many rounds the first stage has: as many as asked for, or one cycle of its largest group."""
    return snapshot.stages[0].rounds or max(1, *_lengths(snapshot))


def stage_of(snapshot: Snapshot, round: int) -> int:
    return 1 if round <= first_rounds(snapshot) else 2


def groups(snapshot: Snapshot) -> tuple[tuple[int, ...], ...]:
    """The entries of each group, the strongest first; without groups all are in one."""
    field = [one.entry for one in sorted(snapshot.entrants, key=lambda one: one.seeding)]
    return snaked(field, snapshot.stages[0].groups)


def snaked(field: Sequence[int], groups: int) -> tuple[tuple[int, ...], ...]:
    """The best of each group in order, then the second best in the other direction, and so on.

    >>> snaked((1, 2, 3, 4, 5, 6, 7), 3)
    ((1, 6, 7), (2, 5), (3, 4))
    """
    into: list[list[int]] = [[] for _ in range(groups)]
    for position, entry in enumerate(field):
        row, column = divmod(position, groups)
        into[column if row % 2 == 0 else groups - 1 - column].append(entry)
    return tuple(map(tuple, into))


def group_of(snapshot: Snapshot) -> Mapping[int, int]:
    """By entry the number of its group, from 1; nobody where there is but one."""
    if snapshot.stages[0].groups == 1:
        return {}
    return {entry: number for number, group in enumerate(groups(snapshot), start=1) for entry in group}


def _lengths(snapshot: Snapshot) -> list[int]:
    """How many rounds each group plays: where nothing is asked for, a smaller one is through sooner."""
    asked = snapshot.stages[0].rounds
    return [
        asked or round_robin.rounds(len(group), preferred=snapshot.preferred) for group in groups(snapshot)
    ]


def last_closed(snapshot: Snapshot) -> int:
    """The last round of which all results are there; 0 for none."""
    known = {(result.round, result.table) for result in snapshot.results}
    closed = (
        played.round
        for played in snapshot.played
        if all((played.round, table.number) in known for table in played.tables)
    )
    return max(closed, default=0)


# --- what the other formats are asked ------------------------------------------------------------------


def of_groups(snapshot: Snapshot) -> list[Snapshot]:
    """Each group as a tournament of its own."""
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
    """What each group has of a round."""
    tables: list[list[Table]] = [[] for _ in range(groups)]
    byes: list[list[int]] = [[] for _ in range(groups)]
    for table in pairing.tables:
        if len(there := {number[entry] for entry in table.seats}) == 1:
            tables[there.pop()].append(table)
    for entry in pairing.byes:
        byes[number[entry]].append(entry)
    return [Pairing(pairing.round, tuple(tables[group]), tuple(byes[group])) for group in range(groups)]


def of_knockout(snapshot: Snapshot, going_on: Sequence[int]) -> Snapshot:
    """The second stage as a tournament of its own, seeded in the order of `going_on`."""
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
    """A round of all groups, its tables numbered throughout."""
    made = list(parts)
    seats = (table.seats for part in made for table in part.tables)
    return Pairing(
        round,
        tuple(Table(number, seated) for number, seated in enumerate(seats, start=1)),
        tuple(sorted(entry for part in made for entry in part.byes)),
        tuple(relaxed for part in made for relaxed in part.relaxed),
    )
