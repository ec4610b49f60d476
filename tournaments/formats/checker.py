"""Whether a round may be laid out so: written apart from the engines, knowing only what must be true of any pairing.

Every pairing goes through it before it is kept, and each round of a finished tournament can be judged and paired again.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from itertools import combinations

from tournaments.formats import checker_knockout, checker_stages
from tournaments.formats.corrected import known_before
from tournaments.formats.protocol import Format, Pairing, Snapshot
from tournaments.formats.wishes import APART, TOGETHER, in_force


@dataclass(frozen=True, slots=True)
class Fault:
    """`round` it is in, `what` is wrong in plain words."""

    round: int
    what: str


def check(form: Format, snapshot: Snapshot, pairing: Pairing) -> tuple[Fault, ...]:
    """What is wrong with a round, `snapshot` being what was known before it; nothing if it may be played."""
    return tuple(Fault(pairing.round, what) for what in _faults(form, snapshot, pairing))


def _faults(form: Format, snapshot: Snapshot, pairing: Pairing) -> list[str]:
    faults = []
    due = {entrant.entry for entrant in snapshot.entrants if entrant.plays(pairing.round)}
    seated = [entry for table in pairing.tables for entry in table.seats]
    placed = Counter([*seated, *pairing.byes])
    faults += [
        f"entry {entry} is placed {times} times" for entry, times in sorted(placed.items()) if times > 1
    ]
    faults += [f"entry {entry} does not play in this round" for entry in sorted(placed.keys() - due)]
    if snapshot.stages:
        faults += checker_stages.faults(snapshot, pairing)
    elif (lives := checker_knockout.LIVES.get(form.slug)) is not None:
        field = [one.entry for one in sorted(snapshot.entrants, key=lambda one: one.seeding)]
        faults += checker_knockout.faults(snapshot, pairing, lives=lives, field=field)
    else:
        faults += [f"entry {entry} has no place" for entry in sorted(due - placed.keys())]
    numbers = [table.number for table in pairing.tables]
    if numbers != list(range(1, len(numbers) + 1)):
        faults.append("the tables are not numbered from 1 in their order")
    if form.on_bets:
        # Nobody meets anybody there, and there is no seat to be short of.
        return [*faults, *(["not all are at one race"] if len(numbers) > 1 else [])]
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
    """All meetings again and of those kept apart must be told, and nothing may be told that is not so."""
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
    told = {(one.what, one.entries) for one in pairing.relaxed}
    return [f"{what} {entries} is not told" for what, entries in sorted(due - told)] + [
        f"{what} {entries} is told and is not so" for what, entries in sorted(told - due - may)
    ]


def check_all(form: Format, snapshot: Snapshot) -> tuple[Fault, ...]:
    """Judge every round of a tournament and pair it again from what was known then.

    One that was laid out by hand nobody can pair again; it is judged like the others.
    """
    faults: list[Fault] = []
    for pairing in snapshot.played:
        known = before(snapshot, pairing.round)
        faults += check(form, known, pairing)
        if not pairing.by_hand and form.pair(known, pairing.round) != pairing:
            faults.append(Fault(pairing.round, "paired again it comes out otherwise"))
    return tuple(faults)


def before(snapshot: Snapshot, round: int) -> Snapshot:
    """What was known, and said of pairs, when a round was paired."""
    return replace(
        snapshot,
        played=tuple(one for one in snapshot.played if one.round < round),
        results=known_before(snapshot, round),
        superseded=(),
        apart=in_force(snapshot.wishes, APART, round),
        together=in_force(snapshot.wishes, TOGETHER, round),
    )
