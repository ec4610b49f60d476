"""Checks a round against the rules of pairing. It shares no code with the engines and knows only what every pairing
must satisfy.

Every pairing is checked before it is stored. Each round of a finished tournament can be checked and paired again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import replace
from itertools import combinations

from core.checks import Fault
from tournaments import formats
from tournaments.formats.constraints import APART, TOGETHER, in_force
from tournaments.formats.protocol import Format, Pairing, Snapshot
from tournaments.formats.scoring import points


def check(form: Format, snapshot: Snapshot, pairing: Pairing) -> tuple[Fault, ...]:
    """Return the faults of a round against the `snapshot` from which it was paired."""
    return tuple(_fault(pairing, why) for why in _faults(form, snapshot, pairing))


def _faults(form: Format, snapshot: Snapshot, pairing: Pairing) -> list[str]:
    faults = []
    due = {entrant.entry for entrant in snapshot.entrants if entrant.plays(pairing.round)}
    seated = [entry for table in pairing.tables for entry in table.seats]
    placed = Counter([*seated, *pairing.byes])
    faults += [
        f"entry {entry} is seated {times} times" for entry, times in sorted(placed.items()) if times > 1
    ]
    faults += [f"entry {entry} does not play in this round" for entry in sorted(placed.keys() - due)]
    if snapshot.stages:
        faults += stage_faults(snapshot, pairing)
    elif form.lives:
        field = [one.entry for one in sorted(snapshot.entrants, key=lambda one: one.seeding)]
        faults += knockout_faults(snapshot, pairing, lives=form.lives, field=field)
    else:
        faults += [f"entry {entry} has no place" for entry in sorted(due - placed.keys())]
    numbers = [table.number for table in pairing.tables]
    if numbers != list(range(1, len(numbers) + 1)):
        faults.append("the tables are not numbered from 1 in their order")
    if form.on_bets:
        # A race has no opponents and no short tables.
        return [*faults, *(["not all entrants are at one race"] if len(numbers) > 1 else [])]
    faults += [
        f"table {table.number} has {len(table.seats)} seats"
        for table in pairing.tables
        if len(table.seats) not in snapshot.sizes
    ]
    at = {entry: table.number for table in pairing.tables for entry in table.seats}
    faults += [
        f"entries {one} and {other} must meet"
        for one, other in sorted(snapshot.together)
        if not pairing.by_hand and one in due and other in due and at.get(one, 0) != at.get(other, -1)
    ]
    return faults + _faults_of_relaxing(snapshot, pairing)


def _faults_of_relaxing(snapshot: Snapshot, pairing: Pairing) -> list[str]:
    """Return the faults of `relaxed`, which must list exactly the rematches and the pairs that were not kept apart."""
    met: Counter[tuple[int, int]] = Counter()
    sat_out: Counter[int] = Counter()
    at_short: Counter[int] = Counter()
    for earlier in snapshot.played:
        sat_out.update(earlier.byes)
        for table in earlier.tables:
            met.update(combinations(sorted(table.seats), 2))
            if len(table.seats) < snapshot.preferred:
                at_short.update(table.seats)
    now = [two for table in pairing.tables for two in combinations(sorted(table.seats), 2)]
    short = [
        entry for table in pairing.tables if len(table.seats) < snapshot.preferred for entry in table.seats
    ]
    due = {("rematch", two) for two in now if met[two]} | {
        ("apart", two) for two in now if two in snapshot.apart
    }
    may = {("bye-again", (entry,)) for entry in pairing.byes if sat_out[entry]}
    may |= {("short-again", (entry,)) for entry in short if at_short[entry]}
    recorded = {(one.what, one.entries) for one in pairing.relaxed}
    return [f"{what} {entries} is not recorded" for what, entries in sorted(due - recorded)] + [
        f"{what} {entries} is recorded but does not occur" for what, entries in sorted(recorded - due - may)
    ]


def check_all(form: Format, snapshot: Snapshot) -> tuple[Fault, ...]:
    """Check every round of a tournament and pair it again from what was known then.

    Manual pairings are checked but not paired again.
    """
    faults: list[Fault] = []
    for pairing in snapshot.played:
        known = before(snapshot, pairing.round)
        faults += check(form, known, pairing)
        if not pairing.by_hand and form.pair(known, pairing.round) != pairing:
            faults.append(_fault(pairing, "the engine pairs it otherwise"))
    return tuple(faults)


def _fault(pairing: Pairing, why: str) -> Fault:
    return Fault("tournaments", "pairings", f"round:{pairing.round}", why)


def before(snapshot: Snapshot, round: int) -> Snapshot:
    """Return the snapshot from which a round was paired."""
    return replace(
        snapshot,
        played=tuple(one for one in snapshot.played if one.round < round),
        results=snapshot.results_before(round),
        superseded=(),
        apart=in_force(snapshot.constraints, APART, round),
        together=in_force(snapshot.constraints, TOGETHER, round),
    )


# --- knockout ----------------------------------------------------------------------------------------


def knockout_faults(
    snapshot: Snapshot, pairing: Pairing, *, lives: int, field: Sequence[int], begins: int = 1
) -> list[str]:
    """Return the faults of a knockout round. `field` has the strongest first; `begins` is the knockout's first
    round.
    """
    beaten = {
        played.round: losers(snapshot, played, field)
        for played in snapshot.played
        if begins <= played.round < pairing.round
    }
    lost = Counter(entry for entries in beaten.values() for entry in entries)
    due = {one.entry for one in snapshot.present(pairing.round)}.intersection(field)
    alive = {entry for entry in due if lost[entry] < lives}
    placed = {entry for table in pairing.tables for entry in table.seats}.union(pairing.byes)
    found = [f"entry {entry} has no place" for entry in sorted(alive - placed)]
    may = alive.union(_for_the_third_place(snapshot, pairing, alive, beaten) if lives == 1 else ())
    for entry in sorted(placed - may):
        if entry not in field:
            found.append(f"entry {entry} is not in the knockout")
        elif lost[entry] >= lives:
            found.append(f"entry {entry} is out: it has lost {lost[entry]} of {lives}")
    return found


def losers(snapshot: Snapshot, played: Pairing, field: Sequence[int]) -> list[int]:
    """Return the entrants who were not among the best `through` of a table of a closed round.

    Equal entrants are ordered by the field.
    """
    places = points.places(snapshot, played.round)
    seeding = {entry: number for number, entry in enumerate(field)}
    lost: list[int] = []
    for table in played.tables:
        if table.number in places:
            order = sorted((places[table.number][entry], seeding[entry], entry) for entry in table.seats)
            lost += [entry for *_, entry in order[max(1, min(snapshot.through, len(order) - 1)) :]]
    return lost


def _for_the_third_place(
    snapshot: Snapshot, pairing: Pairing, alive: Set[int], beaten: dict[int, list[int]]
) -> set[int]:
    """Return the losers of the tables before a final of two, if they meet."""
    before = beaten.get(pairing.round - 1, [])
    if snapshot.preferred != 2 or len(alive) > 2 or len(before) != 2:
        return set()
    return set(before) if any(set(table.seats) == set(before) for table in pairing.tables) else set()


# --- stages ------------------------------------------------------------------------------------------


def stage_faults(snapshot: Snapshot, pairing: Pairing) -> list[str]:
    """Return the faults that are specific to tournaments of two stages."""
    first = _lengths(snapshot)
    before = max(first.values())
    if pairing.round <= before:
        return _of_groups(snapshot, pairing, first)
    if pairing.round == before + 1:
        found = _qualifier_faults(snapshot, pairing) + _cycle_faults(snapshot, before)
        field = pairing.going_on
    else:
        found = ["the qualifiers were recorded before"] if pairing.going_on else []
        field = next(one.going_on for one in snapshot.played if one.round == before + 1)
    lives = formats.get(snapshot.stages[1].format).lives
    return found + knockout_faults(snapshot, pairing, lives=lives, field=field, begins=before + 1)


def _groups(snapshot: Snapshot) -> dict[int, int]:
    """Return the group of each entry, dealt back and forth over the groups in the order of the seeding."""
    groups = snapshot.stages[0].groups
    walk = [*range(1, groups + 1), *range(groups, 0, -1)]
    seeded = sorted((one.seeding, one.entry) for one in snapshot.entrants)
    return {entry: walk[place % len(walk)] for place, (_, entry) in enumerate(seeded)}


def _lengths(snapshot: Snapshot) -> Mapping[int, int]:
    """Return the rounds of each group: the requested number, or one cycle if it is shorter."""
    stage, others = snapshot.stages[0], snapshot.preferred - 1
    sizes = Counter(_groups(snapshot).values())
    return {
        group: stage.rounds or (size - 1 + size % 2 if others == 1 else max(1, (size - 1) // others))
        for group, size in sizes.items()
    }


def _of_groups(snapshot: Snapshot, pairing: Pairing, lengths: Mapping[int, int]) -> list[str]:
    group = _groups(snapshot)
    found = ["entrants qualify before the first stage is over"] if pairing.going_on else []
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


def _cycle_faults(snapshot: Snapshot, before: int) -> list[str]:
    """Check a complete cycle at tables of two: every two remaining entrants of a group have met once per cycle."""
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


def _qualifier_faults(snapshot: Snapshot, pairing: Pairing) -> list[str]:
    """Check the qualifiers: the right number, each once, and the best of every group; by points in Swiss."""
    stage, group = snapshot.stages[0], _groups(snapshot)
    there = {one.entry for one in snapshot.present(pairing.round)}
    going_on = set(pairing.going_on)
    due = min(stage.qualify, len(there))
    found = [f"entry {entry} has left and cannot qualify" for entry in sorted(going_on - there)]
    if len(pairing.going_on) != due or len(going_on) != due:
        found.append(f"{len(pairing.going_on)} qualify, and {due} should")
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
            found += [
                f"entry {entry} does not qualify, with more points than one that does" for entry in ahead
            ]
    return found
