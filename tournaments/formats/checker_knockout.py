"""Who may still be placed where people are knocked out: counted from the results alone, apart from the engines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence, Set

from tournaments.formats import points
from tournaments.formats.protocol import Pairing, Snapshot

LIVES = {"knockout": 1, "double-knockout": 2}
"""By format, with how many losses somebody is out."""


def faults(
    snapshot: Snapshot, pairing: Pairing, *, lives: int, field: Sequence[int], begins: int = 1
) -> list[str]:
    """What is wrong with a round of a knockout of `field`, the strongest first, that begins with round `begins`."""
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
    """Who was not among the best `through` of a table of a round, nor won a table of two; nobody before it is closed.

    Who is level at a table is parted by the order of the field.
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
    """The two who lost the tables before a final for two, if they meet."""
    before = beaten.get(pairing.round - 1, [])
    if snapshot.preferred != 2 or len(alive) > 2 or len(before) != 2:
        return set()
    return set(before) if any(set(table.seats) == set(before) for table in pairing.tables) else set()
