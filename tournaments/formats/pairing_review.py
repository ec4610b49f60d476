"""Review of a manual pairing: faults, warnings, and differences from the engine's pairing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from tournaments.formats import checker
from tournaments.formats.constraints import Two
from tournaments.formats.pairing.past import Past
from tournaments.formats.protocol import Format, Pairing, Snapshot, Table
from tournaments.formats.sizes import CannotBeSeated

ALGORITHM = "by-hand"
"""The algorithm name of a manual pairing."""


@dataclass(frozen=True, slots=True)
class Caution:
    """A warning that does not forbid a pairing.

    `what` is one of `protocol.RELAXATIONS`; `split`, for two who were to meet; or `more-byes`, for all who sit out
    when fewer byes are possible.
    """

    what: str
    entries: tuple[int, ...]
    message: str

    def document(self) -> dict[str, Any]:
        return {"what": self.what, "entries": list(self.entries)}


@dataclass(frozen=True, slots=True)
class Comparison:
    """A comparison with the engine's pairing. `same_tables` counts equal tables; the pairs and byes are those of one
    pairing only.
    """

    same_tables: int
    pairs_only_manual: tuple[Two, ...]
    pairs_only_engine: tuple[Two, ...]
    byes_only_manual: tuple[int, ...]
    byes_only_engine: tuple[int, ...]


def layout(known: Snapshot, round: int, tables: Sequence[Sequence[int]], byes: Sequence[int]) -> Pairing:
    """Return the manual pairing: tables in the given order, each from seat 0, and their relaxations."""
    numbered = tuple(Table(number, tuple(seats)) for number, seats in enumerate(tables, start=1))
    sitting_out = tuple(sorted(byes))
    relaxed = Past.of(known, round).relaxed(numbered, sitting_out, known.preferred)
    return Pairing(round, numbered, sitting_out, relaxed, by_hand=True)


def faults(form: Format, known: Snapshot, pairing: Pairing) -> tuple[str, ...]:
    """Return the reasons why it cannot be played, in plain words."""
    found = [fault.why for fault in checker.check(form, known, pairing)]
    return tuple(found if pairing.tables else ["a table has no entries", *found])


def of_the_engine(form: Format, known: Snapshot, round: int) -> Pairing | None:
    """Return the format's own pairing of the round; None if it finds none."""
    try:
        return form.pair(known, round)
    except CannotBeSeated:
        return None


def cautions(known: Snapshot, pairing: Pairing, engine: Pairing | None) -> tuple[Caution, ...]:
    return tuple(_cautions(known, pairing, engine))


def _cautions(known: Snapshot, pairing: Pairing, engine: Pairing | None) -> Iterator[Caution]:
    for relaxed in pairing.relaxed:
        yield Caution(relaxed.what, relaxed.entries, _message(relaxed.what, known, relaxed.entries))
    due = {entrant.entry for entrant in known.present(pairing.round)}
    at = {entry: table.number for table in pairing.tables for entry in table.seats}
    for one, other in sorted(known.together):
        if {one, other} <= due and at.get(one, 0) != at.get(other, -1):
            yield Caution("split", (one, other), f"entries {one} and {other} were to meet")
    if engine is not None and len(pairing.byes) > len(engine.byes):
        message = (
            f"there are {len(pairing.byes)} byes, each scored as a win, where {len(engine.byes)} suffice"
        )
        yield Caution("more-byes", pairing.byes, message)


def _message(what: str, known: Snapshot, entries: Sequence[int]) -> str:
    named = " and ".join(map(str, entries))
    match what:
        case "rematch":
            rounds = [
                str(played.round)
                for played in known.played
                if any(set(entries) <= set(table.seats) for table in played.tables)
            ]
            return f"entries {named} have met before, in round {' and '.join(rounds)}"
        case "apart":
            return f"entries {named} are to be kept apart"
        case "bye-again":
            return f"entry {named} has had a bye before"
    return f"entry {named} has been at a short table before"


def compare(pairing: Pairing, engine: Pairing) -> Comparison:
    here, there = _meetings(pairing), _meetings(engine)
    sets = {frozenset(table.seats) for table in engine.tables}
    return Comparison(
        same_tables=sum(frozenset(table.seats) in sets for table in pairing.tables),
        pairs_only_manual=tuple(sorted(here - there)),
        pairs_only_engine=tuple(sorted(there - here)),
        byes_only_manual=tuple(sorted(set(pairing.byes) - set(engine.byes))),
        byes_only_engine=tuple(sorted(set(engine.byes) - set(pairing.byes))),
    )


def _meetings(pairing: Pairing) -> set[Two]:
    return {
        (one, other)
        for table in pairing.tables
        for one, other in combinations(sorted(table.seats), 2)
        if one != other
    }
