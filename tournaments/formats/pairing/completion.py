"""Whether rounds in which nobody meets again can still be had: exact search, for small fields only."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import combinations

from tournaments.formats.pairing.past import Pair, pair

Partition = tuple[tuple[int, ...], ...]
MaySit = Callable[[Sequence[int]], bool]


class Budget:
    """How many steps a search may still take."""

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
    """Every way to seat all players at tables of these sizes so that nobody meets again, neighbours together first.

    `may_sit` refuses tables for other reasons. Ends early, without a sign, when the budget is spent: look at
    `budget.steps`.
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


def can_go_on(
    players: Sequence[int], sizes: Sequence[int], rounds: int, met: Collection[Pair], budget: Budget
) -> bool:
    """Whether so many more rounds can be found in which nobody meets again. A search cut short has found none."""
    if rounds == 0:
        return True
    degree = max(sizes) - 1
    seen = Counter(player for two in met for player in two)
    if any(len(players) - 1 - seen[player] < rounds * degree for player in players) and len(set(sizes)) == 1:
        return False
    for tables in partitions(players, sizes, met, budget):
        more = {pair(*two) for table in tables for two in combinations(table, 2)}
        if can_go_on(players, sizes, rounds - 1, {*met, *more}, budget):
            return True
    return False
