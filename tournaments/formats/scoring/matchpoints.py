"""Matchpoints: each deal counts by the number of entrants beaten, so that one large result does not decide.

On a deal, an entrant has two points for each entrant with a worse result on the measures in their order, and one
for each equal result. A deal with fewer results than others (games void or missed) is scaled by G. Neuberg's
formula, which assumes that each result would have occurred proportionally more often: of `n` results where others
have `N`, S points become (S + 1) * N / n - 1. See "The Neuberg Formula" of the English Bridge Union, whose examples
are in the tests.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from operator import mul

from tournaments.formats.protocol import Measure, Part, Reckoning, Result, Snapshot, added

SCALE = 100
"""Points are counted in hundredths and rounded to the nearest, halves up."""

COLUMN = Measure(
    "matchpoints",
    "most",
    "in hundredths: on each deal 200 for each entrant beaten and 100 for each tie, scaled by Neuberg",
)

_PLAYED = ("finished", "expired")
"""A game that was void or missed is not compared and scores nothing."""


@dataclass(frozen=True, slots=True)
class Compared:
    """A result compared with the others of its deal: `played` in all, scaled to the `most` results of any deal."""

    result: Result
    beaten: int
    level: int
    played: int
    most: int

    @property
    def points(self) -> int:
        return neuberg(2 * self.beaten + self.level, played=self.played, most=self.most)

    def part(self) -> Part:
        found = f"deal {self.result.deal}: {self.beaten} beaten, {self.level} level, of {self.played - 1}"
        scaled = f"; {self.played} results for {self.most}" if self.played < self.most else ""
        return Part(found + scaled, self.points, self.result.round)


def neuberg(points: int, *, played: int, most: int) -> int:
    """Return points on a deal with `played` results as if it had `most`, in hundredths.

    >>> neuberg(18, played=10, most=11)
    1990
    >>> neuberg(7, played=11, most=11)
    700
    """
    return (2 * SCALE * most * (points + 1) + played) // (2 * played) - SCALE


def compared(snapshot: Snapshot) -> Iterator[Compared]:
    """Return every result that counts, compared with the others of its deal."""
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
    """Return the points of all deals by entry."""
    found = dict.fromkeys((entrant.entry for entrant in snapshot.entrants), 0)
    for one in compared(snapshot):
        found[one.result.entry] += one.points
    return found


def arithmetic(snapshot: Snapshot) -> dict[int, Reckoning]:
    parts: dict[int, list[Part]] = {entrant.entry: [] for entrant in snapshot.entrants}
    for one in compared(snapshot):
        parts[one.result.entry].append(one.part())
    return {entry: added(found) for entry, found in parts.items()}
