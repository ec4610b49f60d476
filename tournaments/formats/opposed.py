"""Formats whose tables have opponents: Swiss, round robin, knockout, and double knockout.

They play games of two or more seats at tables of the preferred size, and of other sizes if the field requires it.
Every table has its own deal.
"""

from __future__ import annotations

from collections.abc import Sequence

from tournaments.formats.pairing import double_knockout, knockout, round_robin, swiss_pairs, swiss_tables
from tournaments.formats.protocol import BaseFormat, Measure, Pairing, Reckoning, Snapshot, Standing, added
from tournaments.formats.scoring import tiebreaks


class Opposed(BaseFormat):
    """The common part of these formats."""

    def suits(self, seats: Sequence[int]) -> bool:
        # A game that has no seats, or one, has no opponents.
        return any(size > 1 for size in seats) and min(seats) > 1


class ByPoints(Opposed):
    counts_points = True

    def takes_manual_pairings(self, snapshot: Snapshot) -> bool:
        return True

    def columns(self, snapshot: Snapshot) -> tuple[Measure, ...]:
        known = (tiebreaks.get(name) for name in snapshot.columns)
        return tuple(Measure(one.name, one.best, one.meaning) for one in known)

    def standings(self, snapshot: Snapshot) -> tuple[Standing, ...]:
        return tiebreaks.rank(snapshot, snapshot.columns)

    def arithmetic(self, snapshot: Snapshot) -> dict[int, dict[str, Reckoning]]:
        return tiebreaks.arithmetic(snapshot, snapshot.columns)


class Swiss(ByPoints):
    """The requested number of rounds. Each pairs entrants with equal points who have not met."""

    slug = "swiss"
    name = "Swiss"
    fewest_rounds = 1

    def takes_constraints(self, snapshot: Snapshot) -> bool:
        return True

    def algorithm(self, snapshot: Snapshot) -> str:
        return swiss_pairs.NAME if self._in_pairs(snapshot) else swiss_tables.NAME

    def pair(self, snapshot: Snapshot, round: int) -> Pairing:
        if self._in_pairs(snapshot):
            return swiss_pairs.pair_round(snapshot, round)
        return swiss_tables.pair_round(snapshot, round)

    @staticmethod
    def _in_pairs(snapshot: Snapshot) -> bool:
        return tuple(snapshot.sizes) == (2,)


class RoundRobin(ByPoints):
    """Everyone meets everyone; at larger tables, as far as possible without rematches."""

    slug = "round-robin"
    name = "Round robin"

    def rounds(self, entrants: int, *, asked: int, snapshot: Snapshot) -> int:
        """Return the requested number of rounds; 0 requests one cycle."""
        return asked or round_robin.rounds(entrants, preferred=snapshot.preferred)

    def algorithm(self, snapshot: Snapshot) -> str:
        return round_robin.NAME

    def pair(self, snapshot: Snapshot, round: int) -> Pairing:
        return round_robin.pair_round(snapshot, round)


class Knockout(Opposed):
    """The winner of each table advances (the best few at larger tables) until one table decides."""

    slug = "knockout"
    name = "Knockout"
    knocks_out = True
    lives = 1

    def rounds(self, entrants: int, *, asked: int, snapshot: Snapshot) -> int:
        """Return the number of rounds that the field needs; the request is ignored."""
        return knockout.rounds(
            entrants, sizes=snapshot.sizes, preferred=snapshot.preferred, through=snapshot.through
        )

    def is_over(self, snapshot: Snapshot) -> bool:
        return knockout.is_over(snapshot)

    def algorithm(self, snapshot: Snapshot) -> str:
        return knockout.NAME

    def pair(self, snapshot: Snapshot, round: int) -> Pairing:
        return knockout.pair_round(snapshot, round)

    def columns(self, snapshot: Snapshot) -> tuple[Measure, ...]:
        return (
            Measure("round", "most", "the last round reached"),
            Measure("place", "fewest", "the place at the last table; 3 and 4 in the match for third place"),
        )

    def standings(self, snapshot: Snapshot) -> tuple[Standing, ...]:
        """Rank the entrants. Those eliminated in the same round at the same place share a place."""
        return tiebreaks.by_totals(snapshot, knockout.reached(snapshot), self.columns(snapshot))

    def arithmetic(self, snapshot: Snapshot) -> dict[int, dict[str, Reckoning]]:
        return {
            entry: {"round": Reckoning(round), "place": Reckoning(place)}
            for entry, (round, place) in knockout.reached(snapshot).items()
        }


class DoubleKnockout(Opposed):
    """Two losses eliminate: a bracket with a losers' bracket, or two lives at larger tables."""

    slug = "double-knockout"
    name = "Double knockout"
    knocks_out = True
    lives = 2

    def rounds(self, entrants: int, *, asked: int, snapshot: Snapshot) -> int:
        """Return the most rounds that the field can need; the request is ignored."""
        return double_knockout.rounds(
            entrants, sizes=snapshot.sizes, preferred=snapshot.preferred, through=snapshot.through
        )

    def is_over(self, snapshot: Snapshot) -> bool:
        return double_knockout.is_over(snapshot)

    def algorithm(self, snapshot: Snapshot) -> str:
        return double_knockout.NAME

    def pair(self, snapshot: Snapshot, round: int) -> Pairing:
        return double_knockout.pair_round(snapshot, round)

    def columns(self, snapshot: Snapshot) -> tuple[Measure, ...]:
        return (
            Measure("round", "most", "the last round reached"),
            Measure("place", "fewest", "the place at the table there; 1 before it is played, and for a bye"),
            Measure("lives", "most", "lives left"),
        )

    def standings(self, snapshot: Snapshot) -> tuple[Standing, ...]:
        """Rank the entrants. Those eliminated in the same round at the same place share a place."""
        totals = {
            entry: tuple(computed.value for computed in columns.values())
            for entry, columns in self.arithmetic(snapshot).items()
        }
        return tiebreaks.by_totals(snapshot, totals, self.columns(snapshot))

    def arithmetic(self, snapshot: Snapshot) -> dict[int, dict[str, Reckoning]]:
        course = double_knockout.Course(snapshot)
        computed = {}
        for entrant in snapshot.entrants:
            round, place, lives = course.reckon(entrant.entry)
            computed[entrant.entry] = {
                "round": Reckoning(round), "place": Reckoning(place), "lives": added(lives)
            }  # fmt: skip
        return computed
