"""Swiss pairings at tables of more than two: slices by points, improved by exchanges until no two meet again.

Small fields are searched for rounds after which further rounds without rematches exist.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import combinations
from random import Random

from tournaments.formats import sizes
from tournaments.formats.constraints import Two
from tournaments.formats.pairing.past import Pair, Past, pair
from tournaments.formats.protocol import Pairing, Snapshot, Table
from tournaments.formats.scoring.points import so_far
from tournaments.formats.scoring.tiebreaks import lot
from tournaments.formats.sizes import CannotBeSeated

Tables = list[list[int]]
Cost = Callable[[Tables], tuple[int, ...]]


def brought_together(tables: Tables, pairs: Sequence[Two], cost: Cost) -> Tables:
    """Exchange entrants so that each pair shares a table, at the least cost for each pair. No entrant is in two
    pairs.

    Raises CannotBeSeated if the tables have no room. Then no solution exists, since every pair already sits at a
    table with as many pairs as possible.
    """
    settled: set[int] = set()
    for one, other in pairs:
        if _table_of(tables, one) is not _table_of(tables, other):
            ways = list(_one_moves(tables, (one, other), settled)) or list(
                _both_move(tables, (one, other), settled)
            )
            if not ways:
                raise CannotBeSeated(f"entries {one} and {other} find no room at one table")
            tables = min(ways, key=lambda way: (cost(way), way))
        settled.update((one, other))
    return tables


def _one_moves(tables: Tables, two: Two, settled: set[int]) -> Iterator[Tables]:
    """Yield exchanges that move one of the two to the other's table."""
    for moving, staying in (two, two[::-1]):
        for other in _free(_table_of(tables, staying), {*two, *settled}):
            yield _exchanged(tables, [(moving, other)])


def _both_move(tables: Tables, two: Two, settled: set[int]) -> Iterator[Tables]:
    """Yield exchanges that move both to the first table with room, if all others at their tables are fixed."""
    for table in tables:
        free = _free(table, {*two, *settled})
        if not set(two) & set(table) and len(free) > 1:
            yield _exchanged(tables, list(zip(two, free, strict=False)))
            return


def _free(table: Iterable[int], taken: set[int]) -> list[int]:
    return [entry for entry in table if entry not in taken]


def _table_of(tables: Tables, entry: int) -> list[int]:
    return next(table for table in tables if entry in table)


def _exchanged(tables: Tables, couples: Iterable[Two]) -> Tables:
    places = {}
    for one, other in couples:
        places[one], places[other] = other, one
    return [[places.get(entry, entry) for entry in table] for table in tables]


# --- pairing -----------------------------------------------------------------------------------------


NAME = "swiss-tables@1"

SMALL = 24
"""The largest field that is searched for further rounds."""
CANDIDATES, LOOK_AHEAD = 4_000, 60_000
"""The number of candidate rounds of a small field, and the steps of the look-ahead search."""
RESTARTS, RESTARTED = 60, 96
"""The number of redeals for a field up to `RESTARTED` that exchanges cannot solve."""


def pair_round(snapshot: Snapshot, round: int) -> Pairing:
    """Return the tables of a Swiss round, the best first; all have byes if no table can be filled.

    The first seat goes to the entrant who has had it least often, and the others follow by lot. `together` is
    always satisfied. Raises CannotBeSeated if it cannot be.
    """
    field = _Field(snapshot, round)
    byes, seated = field.sit_out()
    tables = _lay_out(field, seated, rounds_to_come=snapshot.rounds - round) if seated else []
    tables = brought_together(tables, field.together, field.total)
    ordered = sorted(tables, key=lambda table: sorted(field.order[entry] for entry in table))
    numbered = tuple(Table(number, field.seats(table)) for number, table in enumerate(ordered, start=1))
    return Pairing(round, numbered, byes, field.past.relaxed(numbered, byes, snapshot.preferred))


class _Field:
    """The entrants in slicing order, and the cost of a table."""

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
        """Return the byes and the remaining entrants: the last of those with the fewest byes sit out.

        Raises CannotBeSeated if an entrant in a required pair would have to sit out.
        """
        awaited = {entry for two in self.together for entry in two}
        free = [entry for entry in self.ranking if entry not in awaited]
        worst = sorted(free, key=lambda entry: (self.past.byes[entry], -self.order[entry]))
        if len(worst) < self.plan.byes:
            raise CannotBeSeated(
                f"{self.plan.byes} must sit out, but only {len(worst)} have no required meeting"
            )
        byes = set(worst[: self.plan.byes])
        return tuple(sorted(byes)), [entry for entry in self.ranking if entry not in byes]

    def seats(self, table: Sequence[int]) -> tuple[int, ...]:
        text, round = self._lots
        return tuple(
            sorted(table, key=lambda entry: (self.past.first[entry], lot(text, f"seat|{round}", entry)))
        )

    def overlooked(self, table: Sequence[int]) -> tuple[int, int, int]:
        """Return the relaxations of this table: separated pairs, repeated short tables, and rematches."""
        apart = again = 0
        for two in combinations(table, 2):
            known = pair(*two)
            apart += known in self.past.apart
            again += self.past.met.get(known, 0)
        short = sum(self.past.short[entry] for entry in table) if len(table) < self.preferred else 0
        return apart, short, again

    def stirring(self, seated: Sequence[int]) -> str:
        """Return the text from which the lots of another deal are drawn."""
        return repr((*self._lots, *seated))

    def may_sit(self, table: Sequence[int]) -> bool:
        return not any(self.overlooked(table))

    def cost(self, table: Sequence[int]) -> tuple[int, int, int, int]:
        """Return the cost of a table. The last component is the spread of its points."""
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
    """Return tables from the top; odd sizes come last."""
    in_order = sorted(field.plan.tables, key=lambda size: (size != field.preferred, -size))
    return _cut(in_order, _dealt(field, seated))


def _cut(planned: Sequence[int], entries: Iterable[int]) -> Tables:
    left = iter(entries)
    return [[next(left) for _ in range(size)] for size in planned]


def _dealt(field: _Field, seated: Sequence[int]) -> Iterator[int]:
    """Deal entrants of equal points in turn to the tables that they fill."""
    groups: dict[int, list[int]] = {}
    for entry in seated:
        groups.setdefault(field.points[entry], []).append(entry)
    for group in groups.values():
        tables = -(-len(group) // field.preferred)
        for first in range(tables):
            yield from group[first::tables]


def _mend(field: _Field, tables: Tables) -> Tables:
    """Exchange entrants who need a relaxation with near ones, as long as that improves the round."""
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
    """Return the best exchange at the least distance as (seat, other table, place there); None if none improves."""
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
    """Return the best of several deals in which neighbours are exchanged by lots derived from the field."""
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
    """Return the cheapest candidate after which most further rounds are possible, or the best for now."""
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
            if has_further_rounds(seated, field.plan.tables, rounds, {*met, *more}, steps):
                return way
            if steps.steps < 0:
                break
    return ways[0]


Partition = tuple[tuple[int, ...], ...]
MaySit = Callable[[Sequence[int]], bool]


class Budget:
    """The number of steps that a search may still take."""

    def __init__(self, steps: int) -> None:
        self.steps = steps

    def spend(self) -> bool:
        self.steps -= 1
        return self.steps >= 0


def any_table(table: Sequence[int]) -> bool:
    return True


def partitions(
    players: Sequence[int],
    sizes: Sequence[int],
    met: Collection[Pair],
    budget: Budget,
    may_sit: MaySit = any_table,
) -> Iterator[Partition]:
    """Yield every partition of the players into tables of these sizes without rematches, neighbours together first.

    `may_sit` can exclude tables. The search ends silently when the budget is spent; check `budget.steps`.
    """
    yield from _seat(tuple(players), Counter(sizes), met, budget, may_sit, ())


def _seat(
    left: tuple[int, ...],
    sizes: Counter[int],
    met: Collection[Pair],
    budget: Budget,
    may_sit: MaySit,
    done: Partition,
) -> Iterator[Partition]:
    if not left:
        yield done
        return
    first, others = left[0], left[1:]
    strangers = [other for other in others if pair(first, other) not in met]
    for size in sorted(size for size, count in sizes.items() if count):
        fewer = sizes - Counter([size])
        for companions in combinations(strangers, size - 1):
            if not budget.spend():
                return
            if any(pair(*two) in met for two in combinations(companions, 2)):
                continue
            chosen = {first, *companions}
            if not may_sit((first, *companions)):
                continue
            remaining = tuple(player for player in others if player not in chosen)
            yield from _seat(remaining, fewer, met, budget, may_sit, (*done, (first, *companions)))


def has_further_rounds(
    players: Sequence[int], sizes: Sequence[int], rounds: int, met: Collection[Pair], budget: Budget
) -> bool:
    """Return whether the search finds that many further rounds without rematches. An interrupted search has found
    none.
    """
    if rounds == 0:
        return True
    degree = max(sizes) - 1
    seen = Counter(player for two in met for player in two)
    if any(len(players) - 1 - seen[player] < rounds * degree for player in players) and len(set(sizes)) == 1:
        return False
    for tables in partitions(players, sizes, met, budget):
        more = {pair(*two) for table in tables for two in combinations(table, 2)}
        if has_further_rounds(players, sizes, rounds - 1, {*met, *more}, budget):
            return True
    return False
