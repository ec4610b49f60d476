"""The first of two stages: how it ranks its entrants, over all groups, and who of them goes on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from math import lcm

from tournaments.formats import ranking, tiebreaks
from tournaments.formats.pairing import stages
from tournaments.formats.points import Outing, outings
from tournaments.formats.protocol import Measure, Part, Reckoning, Snapshot, added

Tables = Callable[[Sequence[int]], Iterable[Sequence[int]]]
"""An order of seeds to the tables of the first round that it makes."""


class FirstStage:
    """Ranked by the tie-breaks alone where all are in one group.

    Over several groups the place in the group comes first; then the points won at the tables, for each of them, so that
    groups of unequal size compare and nobody gains by sitting out; then the tie-breaks in their order.
    """

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self.rounds = stages.first_rounds(snapshot)
        # Who is disqualified later, in the knockout, leaves the first stage as it was.
        level = replace(
            snapshot, entrants=tuple(replace(one, disqualified=False) for one in snapshot.entrants)
        )
        self._parts = stages.of_groups(level)
        self._seeding = {one.entry: one.seeding for one in snapshot.entrants}
        self._staying = {one.entry for one in snapshot.present(self.rounds + 1)}
        self._tables = {
            entry: [one for one in rounds if one.kind != "bye"]
            for part in self._parts
            for entry, rounds in outings(part).items()
        }
        self._unit = lcm(*(len(tables) for tables in self._tables.values() if tables))

    @property
    def columns(self) -> tuple[Measure, ...]:
        known = (tiebreaks.get(name) for name in self._snapshot.columns)
        told = tuple(Measure(one.name, one.best, one.meaning) for one in known)
        if len(self._parts) == 1:
            return told
        return (
            Measure("group-place", "fewest", "the place in its group, not counting who has left"),
            Measure("average", "most", f"points for each table, byes left out, times {self._unit}"),
            *told,
        )

    def arithmetic(self) -> dict[int, dict[str, Reckoning]]:
        told: dict[int, dict[str, Reckoning]] = {}
        for number, part in enumerate(self._parts, start=1):
            reckoned = ranking.arithmetic(part, self._snapshot.columns)
            if len(self._parts) == 1:
                return reckoned
            for entry, place in self._places(reckoned).items():
                told[entry] = {
                    "group-place": Reckoning(place, (Part(f"in group {number}", place),)),
                    "average": self._average(self._tables[entry]),
                    **reckoned[entry],
                }
        return told

    def _average(self, tables: Sequence[Outing]) -> Reckoning:
        if not tables:
            return Reckoning(0)
        each = self._unit // len(tables)
        return added(Part(one.kind, one.points * each, one.round, tuple(one.against)) for one in tables)

    def _places(self, reckoned: Mapping[int, Mapping[str, Reckoning]]) -> dict[int, int]:
        """In the group: one more than of those who are still there are ahead; who is level goes by the seeding."""
        merits = {
            entry: (self._merit(told, self._snapshot.columns), self._seeding[entry])
            for entry, told in reckoned.items()
        }
        return {
            entry: 1 + sum(merits[other] < merit for other in merits if other in self._staying)
            for entry, merit in merits.items()
        }

    def _merit(self, told: Mapping[str, Reckoning], names: Iterable[str]) -> tuple[int, ...]:
        """Less is better."""
        best = {column.name: column.best for column in self.columns}
        return tuple(-told[name].value if best[name] == "most" else told[name].value for name in names)

    def going_on(self, tables: Tables) -> tuple[int, ...]:
        """The best who are still there, in the order in which they are seeded; who is level goes by the seeding.

        `tables` are those of the knockout's first round: there nobody should meet somebody of their own group.
        """
        told, names = self.arithmetic(), [column.name for column in self.columns]
        order = sorted(
            self._staying, key=lambda entry: (self._merit(told[entry], names), self._seeding[entry])
        )[: self._snapshot.stages[0].qualify]
        if len(self._parts) == 1:
            return tuple(order)
        places = {entry: told[entry]["group-place"].value for entry in order}
        return apart(order, stages.group_of(self._snapshot), places, tables)


def apart(
    order: Sequence[int], group: Mapping[int, int], places: Mapping[int, int], tables: Tables
) -> tuple[int, ...]:
    """Whoever would meet somebody of the own group in the first round changes seeds with the nearest of the same place
    in another group, if then fewer do. So the winners of groups stay ahead, and apart."""
    seeds = list(order)
    while (better := _better(seeds, group, places, tables)) is not None:
        seeds = better
    return tuple(seeds)


def _better(
    seeds: Sequence[int], group: Mapping[int, int], places: Mapping[int, int], tables: Tables
) -> list[int] | None:
    """One exchange after which fewer meet somebody of their own group; None if there is none."""
    meeting = _meetings(seeds, group, tables)
    for entry in sorted({max(two, key=seeds.index) for two in meeting}, key=seeds.index):
        here = seeds.index(entry)
        same = (
            there for there, other in enumerate(seeds) if places[other] == places[entry] and there != here
        )
        for there in sorted(same, key=lambda there: (abs(there - here), there)):
            tried = list(seeds)
            tried[here], tried[there] = tried[there], tried[here]
            if len(_meetings(tried, group, tables)) < len(meeting):
                return tried
    return None


def _meetings(seeds: Sequence[int], group: Mapping[int, int], tables: Tables) -> list[tuple[int, int]]:
    """Who would meet somebody of the own group."""
    return [
        (one, other)
        for table in tables(seeds)
        for one, other in combinations(table, 2)
        if group[one] == group[other]
    ]
