"""`stages`: a Swiss, or a round robin in each of several groups, then a knockout of the best.

The formats there are do the work: each is handed its part of the snapshot. What is of this format is who is in which
group, who goes on, and how the two stages make one standing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from tournaments.formats import ranking
from tournaments.formats import sizes as table_sizes
from tournaments.formats.first_stage import FirstStage
from tournaments.formats.pairing import round_robin, stages
from tournaments.formats.pairing.past import Past
from tournaments.formats.pointed import DoubleKnockout, Knockout, Opposed, RoundRobin, Swiss
from tournaments.formats.protocol import (
    RELAXATIONS,
    Format,
    Measure,
    Pairing,
    Reckoning,
    Snapshot,
    Standing,
)
from tournaments.formats.sizes import CannotBeSeated

NAME = "stages@1"

FIRST: Mapping[str, Format] = {known.slug: known for known in (Swiss(), RoundRobin())}
SECOND: Mapping[str, Format] = {known.slug: known for known in (Knockout(), DoubleKnockout())}


class Stages(Opposed):
    slug = "stages"
    name = "Stages"
    fewest_rounds = 0
    counts_points = True
    knocks_out = True
    on_bets = False

    def rounds(self, entrants: int, *, asked: int, snapshot: Snapshot) -> int:
        """Of the first stage and, at the most, of the knockout, whatever is asked for."""
        first, _ = snapshot.stages
        if entrants < first.qualify:
            raise CannotBeSeated(
                f"{first.qualify} should go on to the knockout, and only {entrants} have entered"
            )
        smallest, over = divmod(entrants, first.groups)
        if smallest < max(self.fewest_entrants, min(snapshot.sizes)):
            raise CannotBeSeated(f"{entrants} cannot fill {first.groups} groups, of which each fills a table")
        lengths = []
        for size in {smallest, smallest + (over > 0)}:
            table_sizes.plan(size, sizes=snapshot.sizes, preferred=snapshot.preferred)
            lengths.append(first.rounds or round_robin.rounds(size, preferred=snapshot.preferred))
        return max(lengths) + most_rounds(snapshot)

    def is_over(self, snapshot: Snapshot) -> bool:
        if not _first_is_over(snapshot):
            return False
        knockout = _knockout(snapshot, _going_on(snapshot))
        if len(knockout.entrants) < 2 or stages.last_closed(knockout) >= knockout.rounds:
            return True
        return _second(snapshot).is_over(knockout)

    def heeds_wishes(self, snapshot: Snapshot) -> bool:
        return _next(snapshot).heeds_wishes(snapshot)

    def takes_layouts(self, snapshot: Snapshot) -> bool:
        return _next(snapshot).takes_layouts(snapshot)

    def algorithm(self, snapshot: Snapshot) -> str:
        """Of the round that comes next."""
        return f"{NAME}/{_next(snapshot).algorithm(snapshot)}"

    def pair(self, snapshot: Snapshot, round: int) -> Pairing:
        """All groups play in the same rounds; one that has played its cycle is through. The rounds of the knockout are
        numbered on, and its first one tells who goes on."""
        if stages.stage_of(snapshot, round) == 1:
            form = _first(snapshot)
            made = (form.pair(part, round) for part in stages.of_groups(snapshot) if round <= part.rounds)
            return _relaxed(stages.joined(round, made))
        known = replace(snapshot, played=tuple(one for one in snapshot.played if one.round < round))
        going_on, before = _going_on(known), stages.first_rounds(snapshot)
        if len(going_on) < 2:
            paired = Pairing(round, (), going_on)
        else:
            paired = _second(snapshot).pair(_knockout(known, going_on), round - before)
        # Who has met in the first stage meets again.
        again = Past.of(snapshot, round).relaxed(paired.tables, (), 0)
        told = replace(paired, round=round, relaxed=tuple({*paired.relaxed, *again}))
        return _relaxed(replace(told, going_on=going_on if round == before + 1 else ()))

    def columns(self, snapshot: Snapshot) -> tuple[Measure, ...]:
        """During the first stage its own; then those of the knockout before them, so that they part who is level."""
        first = FirstStage(snapshot).columns
        if not _first_is_over(snapshot):
            return first
        went_on = Measure("went-on", "most", "1 for who goes on from the first stage")
        return went_on, *(column for _, column in _columns_of_knockout(snapshot)), *first

    def standings(self, snapshot: Snapshot) -> tuple[Standing, ...]:
        columns = self.columns(snapshot)
        totals = {
            entry: tuple(told[column.name].value for column in columns)
            for entry, told in self.arithmetic(snapshot).items()
        }
        return ranking.by_totals(snapshot, totals, columns)

    def arithmetic(self, snapshot: Snapshot) -> dict[int, dict[str, Reckoning]]:
        told = FirstStage(snapshot).arithmetic()
        if not _first_is_over(snapshot):
            return told
        going_on, before = _going_on(snapshot), stages.first_rounds(snapshot)
        reckoned = _second(snapshot).arithmetic(_knockout(snapshot, going_on))
        for entry, columns in told.items():
            columns["went-on"] = Reckoning(int(entry in reckoned))
            for name, column in _columns_of_knockout(snapshot):
                of_knockout = reckoned[entry][name] if entry in reckoned else Reckoning(0)
                columns[column.name] = _numbered_on(of_knockout, before, counts_rounds=name == "round")
        return told


def most_rounds(snapshot: Snapshot) -> int:
    """The most rounds the knockout can take. Fewer may go on than should, and at larger tables fewer can take longer.

    Raises CannotBeSeated if as many as should go on cannot come to one table.
    """
    form, qualify = _second(snapshot), snapshot.stages[0].qualify
    most = form.rounds(qualify, asked=0, snapshot=snapshot)
    if form.slug == "knockout" and snapshot.preferred > 2:
        most = max([most, *(_rounds_of(snapshot, fewer, 0) for fewer in range(2, qualify))])
    return most


def reached(snapshot: Snapshot) -> Mapping[int, int]:
    """By entry the stage that it has come to, from 1."""
    going_on = _going_on(snapshot) if _first_is_over(snapshot) else ()
    return {one.entry: 2 if one.entry in going_on else 1 for one in snapshot.entrants}


def knockout(snapshot: Snapshot) -> Snapshot | None:
    """The second stage as a tournament of its own, its rounds counted from 1; None while the first one goes on."""
    return _knockout(snapshot, _going_on(snapshot)) if _first_is_over(snapshot) else None


def _first(snapshot: Snapshot) -> Format:
    return FIRST[snapshot.stages[0].format]


def _second(snapshot: Snapshot) -> Format:
    return SECOND[snapshot.stages[1].format]


def _next(snapshot: Snapshot) -> Format:
    """What pairs the round that comes next."""
    round = 1 + max((played.round for played in snapshot.played), default=0)
    return _first(snapshot) if stages.stage_of(snapshot, round) == 1 else _second(snapshot)


def _first_is_over(snapshot: Snapshot) -> bool:
    return stages.last_closed(snapshot) >= stages.first_rounds(snapshot)


def _going_on(snapshot: Snapshot) -> tuple[int, ...]:
    """As the knockout's first round tells it; before that, as it would be now."""
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

    return first.going_on(tables)


def _knockout(snapshot: Snapshot, going_on: Sequence[int]) -> Snapshot:
    """The second stage, of the rounds that so many need."""
    part = stages.of_knockout(snapshot, going_on)
    return replace(part, rounds=_rounds_of(snapshot, len(going_on), part.rounds))


def _rounds_of(snapshot: Snapshot, entrants: int, otherwise: int) -> int:
    try:
        return _second(snapshot).rounds(entrants, asked=0, snapshot=snapshot)
    except CannotBeSeated:
        return otherwise


def _columns_of_knockout(snapshot: Snapshot) -> list[tuple[str, Measure]]:
    """With the names that the knockout itself gives them."""
    return [
        (column.name, Measure(f"knockout-{column.name}", column.best, f"in the knockout: {column.meaning}"))
        for column in _second(snapshot).columns(snapshot)
    ]


def _numbered_on(reckoning: Reckoning, before: int, *, counts_rounds: bool) -> Reckoning:
    """As the rounds of the whole tournament are numbered."""
    parts = tuple(
        replace(part, round=None if part.round is None else part.round + before) for part in reckoning.parts
    )
    value = reckoning.value
    return Reckoning(value + before if counts_rounds and value else value, parts)


def _relaxed(pairing: Pairing) -> Pairing:
    """With what could not be kept in the order in which it is told everywhere."""
    told = sorted(pairing.relaxed, key=lambda one: (RELAXATIONS.index(one.what), one.entries))
    return replace(pairing, relaxed=tuple(told))
