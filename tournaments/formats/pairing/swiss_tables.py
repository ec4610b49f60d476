"""Swiss rounds at tables of more than two: slices of the field by points, mended by exchanges until nobody meets again.

Those of equal points are dealt to their tables like cards, so that the strongest sit apart. Then whoever would meet
somebody again changes places with the nearest who would not. In a small field a round is laid out with an eye to those
that follow: only so that they can still be had without anybody meeting again, if there is such a way.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from random import Random

from tournaments.formats import sizes
from tournaments.formats.pairing.brought import brought_together
from tournaments.formats.pairing.completion import Budget, can_go_on, partitions
from tournaments.formats.pairing.past import Past, pair
from tournaments.formats.points import so_far
from tournaments.formats.protocol import Pairing, Snapshot, Table
from tournaments.formats.sizes import CannotBeSeated
from tournaments.formats.tiebreaks import lot

NAME = "swiss-tables@1"

SMALL = 24
"""Entrants up to which rounds are looked for that leave a way to go on."""
CANDIDATES, LOOK_AHEAD = 4_000, 60_000
"""How many ways a small field's round is chosen from, and the steps of the search through what may follow."""
RESTARTS, RESTARTED = 60, 96
"""How often a field up to `RESTARTED`, in which exchanges find no way, is dealt again."""

Tables = list[list[int]]


def pair_round(snapshot: Snapshot, round: int) -> Pairing:
    """The tables of a Swiss round, the best first; everybody sits out if not one can be filled.

    The first seat goes to who has had it least often, the others follow by lot. `together` is kept whatever it costs;
    raises CannotBeSeated where there is no way to.
    """
    field = _Field(snapshot, round)
    byes, seated = field.sit_out()
    tables = _lay_out(field, seated, rounds_to_come=snapshot.rounds - round) if seated else []
    tables = brought_together(tables, field.together, field.total)
    ordered = sorted(tables, key=lambda table: sorted(field.order[entry] for entry in table))
    numbered = tuple(Table(number, field.seats(table)) for number, table in enumerate(ordered, start=1))
    return Pairing(round, numbered, byes, field.past.relaxed(numbered, byes, snapshot.preferred))


class _Field:
    """Who plays, in the order of the slices, and what a table of them costs."""

    def __init__(self, snapshot: Snapshot, round: int) -> None:
        self.past = Past.of(snapshot, round)
        self.preferred = snapshot.preferred
        self.points = so_far(snapshot, round)
        self._lots = (snapshot.lot, round)
        ranking = sorted(
            snapshot.present(round), key=lambda one: (-self.points[one.entry], one.seeding, one.entry)
        )
        self.ranking = [entrant.entry for entrant in ranking]
        self.order = {entry: number for number, entry in enumerate(self.ranking)}
        self.plan = sizes.plan_or_sit_out(len(ranking), sizes=snapshot.sizes, preferred=snapshot.preferred)
        self.together = [
            two for two in sorted(snapshot.together) if two[0] in self.order and two[1] in self.order
        ]

    def sit_out(self) -> tuple[tuple[int, ...], list[int]]:
        """Who has the byes, and all others in ranking order: the last of those who have had the fewest.

        Raises CannotBeSeated where somebody would have to who must meet somebody.
        """
        awaited = {entry for two in self.together for entry in two}
        free = [entry for entry in self.ranking if entry not in awaited]
        worst = sorted(free, key=lambda entry: (self.past.byes[entry], -self.order[entry]))
        if len(worst) < self.plan.byes:
            raise CannotBeSeated(
                f"{self.plan.byes} must sit out, and all but {len(worst)} must meet somebody"
            )
        byes = set(worst[: self.plan.byes])
        return tuple(sorted(byes)), [entry for entry in self.ranking if entry not in byes]

    def seats(self, table: Sequence[int]) -> tuple[int, ...]:
        text, round = self._lots
        return tuple(
            sorted(table, key=lambda entry: (self.past.first[entry], lot(text, f"seat|{round}", entry)))
        )

    def overlooked(self, table: Sequence[int]) -> tuple[int, int, int]:
        """What this table would ask to be overlooked: pairs kept apart, short tables again, meetings again."""
        apart = again = 0
        for two in combinations(table, 2):
            known = pair(*two)
            apart += known in self.past.apart
            again += self.past.met.get(known, 0)
        short = sum(self.past.short[entry] for entry in table) if len(table) < self.preferred else 0
        return apart, short, again

    def stirring(self, seated: Sequence[int]) -> str:
        """What the lots of another deal are drawn from."""
        return repr((*self._lots, *seated))

    def may_sit(self, table: Sequence[int]) -> bool:
        return not any(self.overlooked(table))

    def cost(self, table: Sequence[int]) -> tuple[int, int, int, int]:
        """The last is the spread of its points."""
        points = [self.points[entry] for entry in table]
        mean = sum(points) // len(points)
        return (*self.overlooked(table), sum((one - mean) ** 2 for one in points))

    def total(self, tables: Tables) -> tuple[int, ...]:
        return tuple(map(sum, zip(*map(self.cost, tables), strict=True)))

    def is_free(self, tables: Tables) -> bool:
        return not any(any(self.overlooked(table)) for table in tables)


# --- laying out ----------------------------------------------------------------------------------------


def _lay_out(field: _Field, seated: Sequence[int], *, rounds_to_come: int) -> Tables:
    tables = _mend(field, _slices(field, seated))
    if len(seated) <= SMALL:
        return _with_foresight(field, seated, tables, rounds_to_come)
    if len(seated) <= RESTARTED and not field.is_free(tables):
        return _dealt_again(field, seated, tables)
    return tables


def _slices(field: _Field, seated: Sequence[int]) -> Tables:
    """Tables from the top, the odd ones last."""
    in_order = sorted(field.plan.tables, key=lambda size: (size != field.preferred, -size))
    return _cut(in_order, _dealt(field, seated))


def _cut(planned: Sequence[int], entries: Iterable[int]) -> Tables:
    left = iter(entries)
    return [[next(left) for _ in range(size)] for size in planned]


def _dealt(field: _Field, seated: Sequence[int]) -> Iterator[int]:
    """Those of equal points in turn to as many tables as they fill."""
    groups: dict[int, list[int]] = {}
    for entry in seated:
        groups.setdefault(field.points[entry], []).append(entry)
    for group in groups.values():
        tables = -(-len(group) // field.preferred)
        for first in range(tables):
            yield from group[first::tables]


def _mend(field: _Field, tables: Tables) -> Tables:
    """Exchange whom a table must overlook something for with somebody near, as long as that makes it better."""
    waiting = [number for number, table in enumerate(tables) if any(field.overlooked(table))]
    while waiting:
        number = waiting.pop(0)
        swap = _best_swap(field, tables, number)
        if swap is None:
            continue
        seat, other, place = swap
        tables[number][seat], tables[other][place] = tables[other][place], tables[number][seat]
        waiting = sorted({*waiting, *(one for one in (number, other) if any(field.overlooked(tables[one])))})
    return tables


def _best_swap(field: _Field, tables: Tables, number: int) -> tuple[int, int, int] | None:
    """(seat, other table, place there) of the best exchange at the least distance; None if none makes it better."""
    here = tables[number]
    if not any(field.overlooked(here)):
        return None
    for distance in range(1, len(tables)):
        best: tuple[tuple[int, ...], tuple[int, int, int]] | None = None
        for other in (number - distance, number + distance):
            if not 0 <= other < len(tables):
                continue
            there = tables[other]
            now = _added(field.cost(here), field.cost(there))
            for seat, place in ((seat, place) for seat in range(len(here)) for place in range(len(there))):
                mine = [*here[:seat], there[place], *here[seat + 1 :]]
                theirs = [*there[:place], here[seat], *there[place + 1 :]]
                after = _added(field.cost(mine), field.cost(theirs))
                if after[:3] < now[:3] and (best is None or after < best[0]):
                    best = after, (seat, other, place)
        if best is not None:
            return best[1]
    return None


def _added(one: tuple[int, ...], other: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(map(sum, zip(one, other, strict=True)))


# --- small fields --------------------------------------------------------------------------------------


def _dealt_again(field: _Field, seated: Sequence[int], tables: Tables) -> Tables:
    """The best of several deals in which neighbours have changed places, by lots that follow from the field itself."""
    chance = Random(field.stirring(seated))  # noqa: S311 (to be repeated by anybody, not to be secret)
    best = tables
    for restart in range(1, RESTARTS + 1):
        reach = len(seated) * restart / RESTARTS
        stirred = sorted(seated, key=lambda entry: field.order[entry] + chance.random() * reach)
        tried = _mend(field, _cut(field.plan.tables, stirred))
        if field.total(tried) < field.total(best):
            best = tried
        if field.is_free(best):
            break
    return best


def _with_foresight(field: _Field, seated: Sequence[int], tables: Tables, rounds_to_come: int) -> Tables:
    """The cheapest of the ways found after which most of the rounds to come can be had, or else the best for now."""
    met = {two for two, times in field.past.met.items() if times}
    ways = [tables] if field.is_free(tables) else []
    found = partitions(seated, field.plan.tables, met, Budget(LOOK_AHEAD), field.may_sit)
    ways += [[list(table) for table in way] for way, _ in zip(found, range(CANDIDATES), strict=False)]
    if not ways:
        return _dealt_again(field, seated, tables)
    ways.sort(key=field.total)
    for rounds in range(rounds_to_come, 0, -1):
        steps = Budget(LOOK_AHEAD // rounds_to_come)
        for way in ways:
            more = {pair(*two) for table in way for two in combinations(table, 2)}
            if can_go_on(seated, field.plan.tables, rounds, {*met, *more}, steps):
                return way
            if steps.steps < 0:
                break
    return ways[0]
