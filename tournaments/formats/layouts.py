"""A round that somebody has laid out: what speaks against it, what should be known of it, how it differs from ours."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from tournaments.formats import checker
from tournaments.formats.pairing.past import Past
from tournaments.formats.protocol import Format, Pairing, Snapshot, Table
from tournaments.formats.sizes import CannotBeSeated
from tournaments.formats.wishes import Two

ALGORITHM = "by-hand"
"""What stands for an engine in the record of such a round."""


@dataclass(frozen=True, slots=True)
class Caution:
    """What does not forbid a layout, but must be told. `what` is one of `protocol.RELAXATIONS`; `split`, of two who
    were to meet; or `more-byes`, of all who sit out where fewer would have to."""

    what: str
    entries: tuple[int, ...]
    says: str

    def document(self) -> dict[str, Any]:
        return {"what": self.what, "entries": list(self.entries)}


@dataclass(frozen=True, slots=True)
class Comparison:
    """`alike` counts the tables at which the same sit; the pairs meet, and the entries sit out, in one of both only."""

    alike: int
    only_here: tuple[Two, ...]
    only_engine: tuple[Two, ...]
    byes_only_here: tuple[int, ...]
    byes_only_engine: tuple[int, ...]


def layout(known: Snapshot, round: int, tables: Sequence[Sequence[int]], byes: Sequence[int]) -> Pairing:
    """The round as it is recorded: tables in the order given, each from seat 0, and what they ask to be overlooked."""
    numbered = tuple(Table(number, tuple(seats)) for number, seats in enumerate(tables, start=1))
    sitting_out = tuple(sorted(byes))
    told = Past.of(known, round).relaxed(numbered, sitting_out, known.preferred)
    return Pairing(round, numbered, sitting_out, told, by_hand=True)


def faults(form: Format, known: Snapshot, pairing: Pairing) -> tuple[str, ...]:
    """Why it cannot be played, in plain words; nothing if it can."""
    found = [fault.what for fault in checker.check(form, known, pairing)]
    return tuple(found if pairing.tables else ["nobody sits at a table", *found])


def of_the_engine(form: Format, known: Snapshot, round: int) -> Pairing | None:
    """The round as the format would lay it out; None where it finds no way."""
    try:
        return form.pair(known, round)
    except CannotBeSeated:
        return None


def cautions(known: Snapshot, pairing: Pairing, engine: Pairing | None) -> tuple[Caution, ...]:
    return tuple(_cautions(known, pairing, engine))


def _cautions(known: Snapshot, pairing: Pairing, engine: Pairing | None) -> Iterator[Caution]:
    for told in pairing.relaxed:
        yield Caution(told.what, told.entries, _says(told.what, known, told.entries))
    due = {entrant.entry for entrant in known.present(pairing.round)}
    at = {entry: table.number for table in pairing.tables for entry in table.seats}
    for one, other in sorted(known.together):
        if {one, other} <= due and at.get(one, 0) != at.get(other, -1):
            yield Caution("split", (one, other), f"entries {one} and {other} were to meet")
    if engine is not None and len(pairing.byes) > len(engine.byes):
        says = f"{len(pairing.byes)} sit out, where {len(engine.byes)} would do, and a bye is worth a win"
        yield Caution("more-byes", pairing.byes, says)


def _says(what: str, known: Snapshot, entries: Sequence[int]) -> str:
    named = " and ".join(map(str, entries))
    match what:
        case "rematch":
            rounds = [
                str(played.round)
                for played in known.played
                if any(set(entries) <= set(table.seats) for table in played.tables)
            ]
            return f"entries {named} have met in round {' and '.join(rounds)}"
        case "apart":
            return f"entries {named} are to be kept apart"
        case "bye-again":
            return f"entry {named} has sat out before"
    return f"entry {named} has been at a short table before"


def compare(pairing: Pairing, engine: Pairing) -> Comparison:
    here, there = _meetings(pairing), _meetings(engine)
    sets = {frozenset(table.seats) for table in engine.tables}
    return Comparison(
        alike=sum(frozenset(table.seats) in sets for table in pairing.tables),
        only_here=tuple(sorted(here - there)),
        only_engine=tuple(sorted(there - here)),
        byes_only_here=tuple(sorted(set(pairing.byes) - set(engine.byes))),
        byes_only_engine=tuple(sorted(set(engine.byes) - set(pairing.byes))),
    )


def _meetings(pairing: Pairing) -> set[Two]:
    return {
        (one, other)
        for table in pairing.tables
        for one, other in combinations(sorted(table.seats), 2)
        if one != other
    }
