"""How many tables of how many seats: the fewest byes, then the fewest seats at tables of a size that is not wanted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache


class CannotBeSeated(ValueError):
    """So few fill no table of the game."""


@dataclass(frozen=True, slots=True)
class Sizes:
    """`tables` in falling order; `byes` sit the round out."""

    tables: tuple[int, ...]
    byes: int


def plan(entrants: int, *, sizes: Sequence[int], preferred: int) -> Sizes:
    """The tables of a round for so many entrants; `preferred` is one of `sizes`.

    Exact: there is no plan with fewer byes, nor one of as many with fewer seats at odd tables. Among equals the fewest
    odd tables are taken, then the largest. Raises CannotBeSeated if not one table can be filled, ValueError.

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
    raise CannotBeSeated(f"{entrants} cannot fill a table of {' or '.join(map(str, sorted(sizes)))}")


def plan_or_sit_out(entrants: int, *, sizes: Sequence[int], preferred: int) -> Sizes:
    """The plan, or a bye for everybody where so few are left that no table can be filled: a round never gets stuck."""
    try:
        return plan(entrants, sizes=sizes, preferred=preferred)
    except CannotBeSeated:
        return Sizes((), entrants)


@cache
def _odd_tables(sizes: tuple[int, ...], preferred: int) -> Mapping[int, tuple[int, ...]]:
    """The best odd tables by how many they seat together.

    Fewer than `preferred` of them are enough: of as many some seat a multiple of `preferred` together, whom tables of
    the preferred size seat as well.
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
