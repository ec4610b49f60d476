"""`stages`: a Swiss, or a round robin in each of several groups, followed by a knockout of the best.

The other formats play the stages on parts of the snapshot. This module forms the groups, selects the qualifiers,
and combines the standings of both stages.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from math import lcm

from tournaments.formats import sizes as table_sizes
from tournaments.formats.opposed import DoubleKnockout, Knockout, Opposed, RoundRobin, Swiss
from tournaments.formats.pairing import round_robin, stages
from tournaments.formats.pairing.past import Past
from tournaments.formats.protocol import (
    RELAXATIONS,
    Format,
    Measure,
    Pairing,
    Part,
    Reckoning,
    Snapshot,
    Standing,
    added,
)
from tournaments.formats.scoring import tiebreaks
from tournaments.formats.scoring.points import Outing, outings
from tournaments.formats.sizes import CannotBeSeated

Tables = Callable[[Sequence[int]], Iterable[Sequence[int]]]
"""A function from an order of seeds to the tables of the first round."""


class FirstStage:
    """The ranking of the first stage: by the tie-breaks alone if there is one group.

    Over several groups the order is: place in the group; points for each table played, so that groups of unequal
    size compare and byes are no advantage; then the tie-breaks.
    """

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self.rounds = stages.first_rounds(snapshot)
        # A later disqualification in the knockout does not change the first stage.
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
        computed = tuple(Measure(one.name, one.best, one.meaning) for one in known)
        if len(self._parts) == 1:
            return computed
        return (
            Measure("group-place", "fewest", "the place in the group, without entrants who have left"),
            Measure("average", "most", f"points per table, without byes, times {self._unit}"),
            *computed,
        )

    def arithmetic(self) -> dict[int, dict[str, Reckoning]]:
        computed: dict[int, dict[str, Reckoning]] = {}
        for number, part in enumerate(self._parts, start=1):
            reckoned = tiebreaks.arithmetic(part, self._snapshot.columns)
            if len(self._parts) == 1:
                return reckoned
            for entry, place in self._places(reckoned).items():
                computed[entry] = {
                    "group-place": Reckoning(place, (Part(f"in group {number}", place),)),
                    "average": self._average(self._tables[entry]),
                    **reckoned[entry],
                }
        return computed

    def _average(self, tables: Sequence[Outing]) -> Reckoning:
        if not tables:
            return Reckoning(0)
        each = self._unit // len(tables)
        return added(Part(one.kind, one.points * each, one.round, tuple(one.against)) for one in tables)

    def _places(self, reckoned: Mapping[int, Mapping[str, Reckoning]]) -> dict[int, int]:
        """Return the places in the group among the remaining entrants; ties go by the seeding."""
        merits = {
            entry: (self._merit(computed, self._snapshot.columns), self._seeding[entry])
            for entry, computed in reckoned.items()
        }
        return {
            entry: 1 + sum(merits[other] < merit for other in merits if other in self._staying)
            for entry, merit in merits.items()
        }

    def _merit(self, computed: Mapping[str, Reckoning], names: Iterable[str]) -> tuple[int, ...]:
        """Return the sort key; less is better."""
        best = {column.name: column.best for column in self.columns}
        return tuple(
            -computed[name].value if best[name] == "most" else computed[name].value for name in names
        )

    def qualifiers(self, tables: Tables) -> tuple[int, ...]:
        """Return the best remaining entrants in the order in which they are seeded; ties go by the seeding.

        `tables` are those of the knockout's first round, where entrants of one group should not meet.
        """
        computed, names = self.arithmetic(), [column.name for column in self.columns]
        order = sorted(
            self._staying, key=lambda entry: (self._merit(computed[entry], names), self._seeding[entry])
        )[: self._snapshot.stages[0].qualify]
        if len(self._parts) == 1:
            return tuple(order)
        places = {entry: computed[entry]["group-place"].value for entry in order}
        return apart(order, stages.group_of(self._snapshot), places, tables)


def apart(
    order: Sequence[int], group: Mapping[int, int], places: Mapping[int, int], tables: Tables
) -> tuple[int, ...]:
    """Exchange seeds so that entrants of one group do not meet in the first round.

    Each exchange is with the nearest entrant of the same place in another group, and reduces the number of
    meetings. So the winners of groups stay ahead and apart.
    """
    seeds = list(order)
    while (better := _better(seeds, group, places, tables)) is not None:
        seeds = better
    return tuple(seeds)


def _better(
    seeds: Sequence[int], group: Mapping[int, int], places: Mapping[int, int], tables: Tables
) -> list[int] | None:
    """Return one exchange that reduces meetings within groups; None if there is none."""
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
    """Return the entrants who would meet someone of their group."""
    return [
        (one, other)
        for table in tables(seeds)
        for one, other in combinations(table, 2)
        if group[one] == group[other]
    ]


# --- both stages -------------------------------------------------------------------------------------


NAME = "stages@1"

FIRST: Mapping[str, Format] = {known.slug: known for known in (Swiss(), RoundRobin())}
SECOND: Mapping[str, Format] = {known.slug: known for known in (Knockout(), DoubleKnockout())}


class Stages(Opposed):
    slug = "stages"
    name = "Stages"
    counts_points = True
    knocks_out = True

    def rounds(self, entrants: int, *, asked: int, snapshot: Snapshot) -> int:
        """Return the most rounds of both stages; the request is ignored."""
        first, _ = snapshot.stages
        if entrants < first.qualify:
            raise CannotBeSeated(
                f"{first.qualify} should qualify for the knockout, but only {entrants} have entered"
            )
        smallest, over = divmod(entrants, first.groups)
        if smallest < max(self.fewest_entrants, min(snapshot.sizes)):
            raise CannotBeSeated(f"{entrants} do not fill {first.groups} groups with at least one table each")
        lengths = []
        for size in {smallest, smallest + (over > 0)}:
            table_sizes.plan(size, sizes=snapshot.sizes, preferred=snapshot.preferred)
            lengths.append(first.rounds or round_robin.rounds(size, preferred=snapshot.preferred))
        return max(lengths) + most_rounds(snapshot)

    def is_over(self, snapshot: Snapshot) -> bool:
        if not _first_is_over(snapshot):
            return False
        knockout = _knockout(snapshot, _qualifiers(snapshot))
        if len(knockout.entrants) < 2 or stages.last_closed(knockout) >= knockout.rounds:
            return True
        return _second(snapshot).is_over(knockout)

    def takes_constraints(self, snapshot: Snapshot) -> bool:
        return _next(snapshot).takes_constraints(snapshot)

    def takes_manual_pairings(self, snapshot: Snapshot) -> bool:
        return _next(snapshot).takes_manual_pairings(snapshot)

    def algorithm(self, snapshot: Snapshot) -> str:
        """Return the engine of the next round."""
        return f"{NAME}/{_next(snapshot).algorithm(snapshot)}"

    def pair(self, snapshot: Snapshot, round: int) -> Pairing:
        """Return the pairing of a round.

        All groups play in the same rounds until their cycle is complete. The rounds of the knockout continue the
        numbering, and its first round lists the qualifiers.
        """
        if stages.stage_of(snapshot, round) == 1:
            form = _first(snapshot)
            made = (form.pair(part, round) for part in stages.of_groups(snapshot) if round <= part.rounds)
            return _relaxed(stages.joined(round, made))
        known = replace(snapshot, played=tuple(one for one in snapshot.played if one.round < round))
        going_on, before = _qualifiers(known), stages.first_rounds(snapshot)
        if len(going_on) < 2:
            paired = Pairing(round, (), going_on)
        else:
            paired = _second(snapshot).pair(_knockout(known, going_on), round - before)
        # Entrants who met in the first stage may meet again.
        again = Past.of(snapshot, round).relaxed(paired.tables, (), 0)
        computed = replace(paired, round=round, relaxed=tuple({*paired.relaxed, *again}))
        return _relaxed(replace(computed, going_on=going_on if round == before + 1 else ()))

    def columns(self, snapshot: Snapshot) -> tuple[Measure, ...]:
        """Return the columns of the first stage, preceded by those of the knockout once it has begun."""
        first = FirstStage(snapshot).columns
        if not _first_is_over(snapshot):
            return first
        went_on = Measure("went-on", "most", "1 for qualifiers")
        return went_on, *(column for _, column in _columns_of_knockout(snapshot)), *first

    def standings(self, snapshot: Snapshot) -> tuple[Standing, ...]:
        columns = self.columns(snapshot)
        totals = {
            entry: tuple(computed[column.name].value for column in columns)
            for entry, computed in self.arithmetic(snapshot).items()
        }
        return tiebreaks.by_totals(snapshot, totals, columns)

    def arithmetic(self, snapshot: Snapshot) -> dict[int, dict[str, Reckoning]]:
        computed = FirstStage(snapshot).arithmetic()
        if not _first_is_over(snapshot):
            return computed
        going_on, before = _qualifiers(snapshot), stages.first_rounds(snapshot)
        reckoned = _second(snapshot).arithmetic(_knockout(snapshot, going_on))
        for entry, columns in computed.items():
            columns["went-on"] = Reckoning(int(entry in reckoned))
            for name, column in _columns_of_knockout(snapshot):
                of_knockout = reckoned[entry][name] if entry in reckoned else Reckoning(0)
                columns[column.name] = _numbered_on(of_knockout, before, counts_rounds=name == "round")
        return computed


def most_rounds(snapshot: Snapshot) -> int:
    """Return the most rounds the knockout can need.

    Fewer entrants than planned may qualify, and at larger tables fewer entrants can need more rounds. Raises
    CannotBeSeated if the planned number can never come to one table.
    """
    form, qualify = _second(snapshot), snapshot.stages[0].qualify
    most = form.rounds(qualify, asked=0, snapshot=snapshot)
    if form.slug == "knockout" and snapshot.preferred > 2:
        most = max([most, *(_rounds_of(snapshot, fewer, 0) for fewer in range(2, qualify))])
    return most


def reached(snapshot: Snapshot) -> Mapping[int, int]:
    """Return the stage that each entry has reached, from 1."""
    going_on = _qualifiers(snapshot) if _first_is_over(snapshot) else ()
    return {one.entry: 2 if one.entry in going_on else 1 for one in snapshot.entrants}


def knockout(snapshot: Snapshot) -> Snapshot | None:
    """Return the second stage as a separate tournament with rounds from 1; None during the first stage."""
    return _knockout(snapshot, _qualifiers(snapshot)) if _first_is_over(snapshot) else None


def _first(snapshot: Snapshot) -> Format:
    return FIRST[snapshot.stages[0].format]


def _second(snapshot: Snapshot) -> Format:
    return SECOND[snapshot.stages[1].format]


def _next(snapshot: Snapshot) -> Format:
    """Return the engine and snapshot of the next round."""
    round = 1 + max((played.round for played in snapshot.played), default=0)
    return _first(snapshot) if stages.stage_of(snapshot, round) == 1 else _second(snapshot)


def _first_is_over(snapshot: Snapshot) -> bool:
    return stages.last_closed(snapshot) >= stages.first_rounds(snapshot)


def _qualifiers(snapshot: Snapshot) -> tuple[int, ...]:
    """Return the qualifiers as listed by the knockout's first round, or the current ones before it."""
    first = FirstStage(snapshot)
    for played in snapshot.played:
        if played.round == first.rounds + 1 and played.going_on:
            return played.going_on
    none = replace(snapshot, played=(), results=())

    def tables(order: Sequence[int]) -> Iterable[Sequence[int]]:
        if len(order) < 2:
            return []
        paired = _second(snapshot).pair(stages.of_knockout(none, order), 1)
        return [table.seats for table in paired.tables]

    return first.qualifiers(tables)


def _knockout(snapshot: Snapshot, going_on: Sequence[int]) -> Snapshot:
    """Return the format of the second stage for that many entrants."""
    part = stages.of_knockout(snapshot, going_on)
    return replace(part, rounds=_rounds_of(snapshot, len(going_on), part.rounds))


def _rounds_of(snapshot: Snapshot, entrants: int, otherwise: int) -> int:
    try:
        return _second(snapshot).rounds(entrants, asked=0, snapshot=snapshot)
    except CannotBeSeated:
        return otherwise


def _columns_of_knockout(snapshot: Snapshot) -> list[tuple[str, Measure]]:
    """Return the columns with the names that the knockout gives them."""
    return [
        (column.name, Measure(f"knockout-{column.name}", column.best, f"in the knockout: {column.meaning}"))
        for column in _second(snapshot).columns(snapshot)
    ]


def _numbered_on(reckoning: Reckoning, before: int, *, counts_rounds: bool) -> Reckoning:
    """Return the pairing with the numbering of the whole tournament."""
    parts = tuple(
        replace(part, round=None if part.round is None else part.round + before) for part in reckoning.parts
    )
    value = reckoning.value
    return Reckoning(value + before if counts_rounds and value else value, parts)


def _relaxed(pairing: Pairing) -> Pairing:
    """Return the relaxations in their usual order."""
    computed = sorted(pairing.relaxed, key=lambda one: (RELAXATIONS.index(one.what), one.entries))
    return replace(pairing, relaxed=tuple(computed))
