"""Two lives at tables of more than two: who is not among the best of a table loses one, and is out with the second.

All who are left play every round, until one table seats them all: that one decides.
"""

from __future__ import annotations

from collections.abc import Sequence
from sys import maxsize

from tournaments.formats import sizes as table_sizes
from tournaments.formats.pairing.knockout import snaked
from tournaments.formats.pairing.past import Past, pair
from tournaments.formats.pairing.told import go_on
from tournaments.formats.protocol import Snapshot
from tournaments.formats.sizes import CannotBeSeated, Sizes

LIVES = 2


def is_last(plan: Sizes) -> bool:
    """Whether one table seats all who are left."""
    return len(plan.tables) == 1 and not plan.byes


def rounds(entrants: int, *, sizes: Sequence[int], preferred: int, through: int) -> int:
    """The most rounds it can take, whoever loses when. Raises CannotBeSeated if so many cannot come to one table.

    A round costs as many lives as so many entrants lose whoever they are; how many entrants are left with so many lives
    is not known, only that each has one or two. Of these only the next few numbers can be the cheapest: one table more
    of the preferred size always costs more.
    """
    told = (_lost(left, sizes=sizes, preferred=preferred, through=through) for left in range(2, entrants + 1))
    lost = [0, maxsize, *told]
    if lost[entrants] == 0:
        raise CannotBeSeated(f"{entrants} cannot fill a table of {' or '.join(map(str, sorted(sizes)))}")
    most, near = [0], preferred * (max(sizes) + 1)
    for lives in range(1, LIVES * entrants + 1):
        fewest = -(-lives // LIVES)
        least = max(fewest, min(sizes))
        cost = min(lost[least : min(lives + 1, least + near)], default=maxsize)
        most.append(max(most[-1], 1 + most[max(0, lives - cost)]))
    return most[-1]


def _lost(left: int, *, sizes: Sequence[int], preferred: int, through: int) -> int:
    """How many lives a round of so many costs: 0 where they fill no table, more than there are where it is the last."""
    try:
        plan = table_sizes.plan(left, sizes=sizes, preferred=preferred)
    except CannotBeSeated:
        return 0
    if is_last(plan):
        return maxsize
    going_on = (plan.tables.count(size) * go_on(size, through) for size in set(plan.tables))
    unharmed = plan.byes + sum(going_on)
    if unharmed < min(sizes):
        raise CannotBeSeated(f"of {left} entrants {unharmed} may be left, who fill no table")
    return left - unharmed


def lay_out(
    snapshot: Snapshot, field: Sequence[int], round: int
) -> tuple[list[list[int]], tuple[int, ...], Past]:
    """Tables, byes and what was before, for those who are left, the best first; byes go round."""
    past = Past.of(snapshot, round)
    plan = table_sizes.plan_or_sit_out(len(field), sizes=snapshot.sizes, preferred=snapshot.preferred)
    order = {entry: number for number, entry in enumerate(field)}
    byes = sorted(field, key=lambda entry: (past.byes[entry], order[entry]))[: plan.byes]
    seated = [entry for entry in field if entry not in byes]
    return _parted(snaked(seated, plan.tables), past), tuple(sorted(byes)), past


def _parted(tables: list[list[int]], past: Past) -> list[list[int]]:
    """Whoever would meet somebody again changes places with the nearest of the same row who makes it better."""
    seats = [(number, row) for number, table in enumerate(tables) for row in range(len(table))]
    moved = True
    while moved:
        moved = False
        for number, row in seats:
            if _again(past, tables[number], row):
                moved |= _exchange(tables, number, row, past)
    return tables


def _again(past: Past, table: Sequence[int], row: int) -> int:
    """How often somebody at a table meets again, or should be kept apart from, who sits there."""
    one = table[row]
    known = (pair(one, other) for other in table if other != one)
    return sum(past.met[two] + (two in past.apart) for two in known)


def _exchange(tables: list[list[int]], number: int, row: int, past: Past) -> bool:
    """Whether somebody was found to change places with."""
    here = tables[number]
    for distance in range(1, len(tables)):
        for other in (number - distance, number + distance):
            if not 0 <= other < len(tables) or row >= len(tables[other]):
                continue
            there = tables[other]
            before = _again(past, here, row) + _again(past, there, row)
            here[row], there[row] = there[row], here[row]
            if _again(past, here, row) + _again(past, there, row) < before:
                return True
            here[row], there[row] = there[row], here[row]
    return False
