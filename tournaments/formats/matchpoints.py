"""Matchpoints: each deal counts by how many it was played better than, so that one great deal does not decide.

On a deal an entrant has two points for each other who did worse on the measures in their order and one for each who did
the same. A deal that was played less often than others (games void or missed) is brought to the same scale by
G. Neuberg's formula, which takes each result to have come in as much more often: of `n` results where others have `N`,
S points become (S + 1) * N / n - 1. See "The Neuberg Formula" of the English Bridge Union, whose examples the tests
have.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from operator import mul

from tournaments.formats.protocol import Measure, Part, Reckoning, Result, Snapshot, added

SCALE = 100
"""Points are counted in hundredths; where the formula ends between two, the nearer counts, and half goes up."""

COLUMN = Measure(
    "matchpoints",
    "most",
    "in hundredths: on each deal 200 for each entrant beaten, 100 for each tie; by Neuberg where fewer played",
)

_PLAYED = ("finished", "expired")
"""A game that was void, or for which nobody came, is compared with no other and brings nothing."""


@dataclass(frozen=True, slots=True)
class Compared:
    """A result among all of its deal: `played` of them, scaled to the `most` that any deal has."""

    result: Result
    beaten: int
    level: int
    played: int
    most: int

    @property
    def points(self) -> int:
        return neuberg(2 * self.beaten + self.level, played=self.played, most=self.most)

    def part(self) -> Part:
        told = f"deal {self.result.deal}: {self.beaten} beaten, {self.level} level, of {self.played - 1}"
        scaled = f"; {self.played} results for {self.most}" if self.played < self.most else ""
        return Part(told + scaled, self.points, self.result.round)


def neuberg(points: int, *, played: int, most: int) -> int:
    """Points on a deal with `played` results as if it had `most`, in hundredths.

    >>> neuberg(18, played=10, most=11)
    1990
    >>> neuberg(7, played=11, most=11)
    700
    """
    return (2 * SCALE * most * (points + 1) + played) // (2 * played) - SCALE


def compared(snapshot: Snapshot) -> Iterator[Compared]:
    """Every result that counts, beside the others of its deal."""
    signs = [1 if measure.best == "most" else -1 for measure in snapshot.measures]
    deals: dict[tuple[int, int], list[Result]] = defaultdict(list)
    for result in snapshot.results:
        if result.ended in _PLAYED:
            deals[result.round, result.deal].append(result)
    most = max(map(len, deals.values()), default=0)
    for results in deals.values():
        merits = [tuple(map(mul, signs, result.score)) for result in results]
        equal, beaten, behind = Counter(merits), {}, 0
        for merit in sorted(equal):
            beaten[merit] = behind
            behind += equal[merit]
        for result, merit in zip(results, merits, strict=True):
            yield Compared(result, beaten[merit], equal[merit] - 1, len(results), most)


def totals(snapshot: Snapshot) -> dict[int, int]:
    """By entry, the points of all deals."""
    told = dict.fromkeys((entrant.entry for entrant in snapshot.entrants), 0)
    for one in compared(snapshot):
        told[one.result.entry] += one.points
    return told


def arithmetic(snapshot: Snapshot) -> dict[int, Reckoning]:
    parts: dict[int, list[Part]] = {entrant.entry: [] for entrant in snapshot.entrants}
    for one in compared(snapshot):
        parts[one.result.entry].append(one.part())
    return {entry: added(told) for entry, told in parts.items()}
