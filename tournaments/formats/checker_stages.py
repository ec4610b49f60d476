"""A round of a tournament of stages, judged from the terms, the seeding and the results, apart from the engines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from itertools import combinations

from tournaments.formats import checker_knockout, points
from tournaments.formats.protocol import Pairing, Snapshot


def faults(snapshot: Snapshot, pairing: Pairing) -> list[str]:
    """What is wrong with it beyond what is wrong in any format."""
    first = _lengths(snapshot)
    before = max(first.values())
    if pairing.round <= before:
        return _of_groups(snapshot, pairing, first)
    if pairing.round == before + 1:
        found = _of_going_on(snapshot, pairing) + _of_cycles(snapshot, before)
        field = pairing.going_on
    else:
        found = ["who goes on was told before"] if pairing.going_on else []
        field = next(one.going_on for one in snapshot.played if one.round == before + 1)
    lives = checker_knockout.LIVES[snapshot.stages[1].format]
    return found + checker_knockout.faults(snapshot, pairing, lives=lives, field=field, begins=before + 1)


def _groups(snapshot: Snapshot) -> dict[int, int]:
    """By entry its group, counted by walking to and fro past the groups in the order of the seeding."""
    groups = snapshot.stages[0].groups
    walk = [*range(1, groups + 1), *range(groups, 0, -1)]
    seeded = sorted((one.seeding, one.entry) for one in snapshot.entrants)
    return {entry: walk[place % len(walk)] for place, (_, entry) in enumerate(seeded)}


def _lengths(snapshot: Snapshot) -> Mapping[int, int]:
    """By group, in how many rounds it plays: as many as asked for, or until all have met, as far as that goes."""
    stage, others = snapshot.stages[0], snapshot.preferred - 1
    sizes = Counter(_groups(snapshot).values())
    return {
        group: stage.rounds or (size - 1 + size % 2 if others == 1 else max(1, (size - 1) // others))
        for group, size in sizes.items()
    }


def _of_groups(snapshot: Snapshot, pairing: Pairing, lengths: Mapping[int, int]) -> list[str]:
    group = _groups(snapshot)
    found = ["nobody goes on before the first stage is over"] if pairing.going_on else []
    found += [
        f"table {table.number} mixes groups"
        for table in pairing.tables
        if len({group.get(entry) for entry in table.seats}) > 1
    ]
    placed = {entry for table in pairing.tables for entry in table.seats}.union(pairing.byes)
    playing = {entry for entry, number in group.items() if pairing.round <= lengths[number]}
    due = {one.entry for one in snapshot.present(pairing.round)}
    found += [f"entry {entry} has no place" for entry in sorted(due & playing - placed)]
    return found + [
        f"entry {entry} has played its cycle" for entry in sorted((placed & group.keys()) - playing)
    ]


def _of_cycles(snapshot: Snapshot, before: int) -> list[str]:
    """In a whole cycle at tables of two all of a group who have stayed have met, each other one once."""
    first = [played for played in snapshot.played if played.round <= before]
    stage = snapshot.stages[0]
    if stage.rounds or snapshot.preferred != 2 or any(played.by_hand for played in first):
        return []
    met = Counter(frozenset(table.seats) for played in first for table in played.tables)
    group = _groups(snapshot)
    stayed = sorted(one.entry for one in snapshot.present(before + 1))
    return [
        f"entries {one} and {other} of one group have met {met[frozenset((one, other))]} times"
        for one, other in combinations(stayed, 2)
        if group[one] == group[other] and met[frozenset((one, other))] != 1
    ]


def _of_going_on(snapshot: Snapshot, pairing: Pairing) -> list[str]:
    """As many as should and can, each once, the best of every group; by points, where these come first."""
    stage, group = snapshot.stages[0], _groups(snapshot)
    there = {one.entry for one in snapshot.present(pairing.round)}
    going_on = set(pairing.going_on)
    due = min(stage.qualify, len(there))
    found = [f"entry {entry} has left and cannot go on" for entry in sorted(going_on - there)]
    if len(pairing.going_on) != due or len(going_on) != due:
        found.append(f"{len(pairing.going_on)} go on, and {due} should")
    left = Counter(group[entry] for entry in there)
    chosen = Counter(group[entry] for entry in going_on if entry in group)
    found += [
        f"of group {number} only {chosen[number]} go on"
        for number in sorted(left)
        if chosen[number] < min(left[number], stage.qualify // stage.groups)
    ]
    if snapshot.columns[:1] == ("points",):
        won = points.so_far(snapshot, pairing.round)
        for number in sorted(chosen):
            worst = min(won[entry] for entry in going_on if group.get(entry) == number)
            ahead = sorted(
                entry for entry in there - going_on if group[entry] == number and won[entry] > worst
            )
            found += [f"entry {entry} does not go on, with more points than who does" for entry in ahead]
    return found
