"""Division of a field into tables: the fewest byes, then the fewest seats at tables of an unwanted size."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache


class CannotBeSeated(ValueError):
    """The entrants are too few for a table of the game."""


@dataclass(frozen=True, slots=True)
class Sizes:
    """`tables` in descending order; `byes` is the number of entrants who sit out."""

    tables: tuple[int, ...]
    byes: int


def plan(entrants: int, *, sizes: Sequence[int], preferred: int) -> Sizes:
    """Return the tables of a round; `preferred` is one of `sizes`.

    The plan is optimal: no plan has fewer byes, or as many and fewer seats at odd tables. Among equals it has the
    fewest odd tables, and then the largest. Raises CannotBeSeated if no table can be filled, ValueError.

    >>> plan(17, sizes=(2, 3, 4, 6), preferred=4)
    Sizes(tables=(4, 4, 4, 3, 2), byes=0)
    >>> plan(9, sizes=(4,), preferred=4)
    Sizes(tables=(4, 4), byes=1)
    """
    if preferred not in sizes:
        raise ValueError(f"{preferred} is none of the sizes {sorted(sizes)}")
    odd = _odd_tables(tuple(size for size in sizes if size != preferred), preferred)
    for byes in range(entrants):
        seated = entrants - byes
        fitting = [
            chosen for total, chosen in odd.items() if total <= seated and (seated - total) % preferred == 0
        ]
        if fitting:
            best = min(fitting, key=lambda chosen: (sum(chosen), *_merit(chosen)))
            wanted = (seated - sum(best)) // preferred
            return Sizes(tuple(sorted((*[preferred] * wanted, *best), reverse=True)), byes)
    raise CannotBeSeated(f"{entrants} do not fill a table of {' or '.join(map(str, sorted(sizes)))}")


def plan_or_sit_out(entrants: int, *, sizes: Sequence[int], preferred: int) -> Sizes:
    """Return the plan, or a bye for everyone if no table can be filled, so that a round never fails."""
    try:
        return plan(entrants, sizes=sizes, preferred=preferred)
    except CannotBeSeated:
        return Sizes((), entrants)


@cache
def _odd_tables(sizes: tuple[int, ...], preferred: int) -> Mapping[int, tuple[int, ...]]:
    """Return the best odd tables by the number of entrants that they seat.

    Fewer than `preferred` tables suffice: among as many, some seat a multiple of `preferred` together, which tables
    of the preferred size can seat as well.
    """
    best: dict[int, tuple[int, ...]] = {0: ()}
    latest: list[tuple[int, ...]] = [()]
    for _ in range(preferred - 1):
        latest = [(*chosen, size) for chosen in latest for size in sizes if not chosen or size <= chosen[-1]]
        for chosen in latest:
            known = best.get(sum(chosen))
            if known is None or _merit(chosen) < _merit(known):
                best[sum(chosen)] = chosen
    return best


def _merit(chosen: tuple[int, ...]) -> tuple[int, list[int]]:
    return len(chosen), [-size for size in chosen]
