"""The formats whose tables have opponents at them: Swiss, round-robin, knockout, double knockout.

Each plays a game of two or more seats, at tables of the preferred size and, where the field asks for it, of others that
the game has. Every table has a deal of its own.
"""

from __future__ import annotations

from collections.abc import Sequence

from tournaments.formats import ranking, tiebreaks
from tournaments.formats.pairing import double_knockout, knockout, round_robin, swiss_pairs, swiss_tables
from tournaments.formats.protocol import TOTAL, Measure, Pairing, Reckoning, Snapshot, Standing, added


class Opposed:
    """What they have in common."""

    fewest_entrants = 2
    counts = (TOTAL,)

    def suits(self, seats: Sequence[int]) -> bool:
        # A game that can be played by nobody or by one is not decided between its seats.
        return any(size > 1 for size in seats) and min(seats) > 1

    def is_over(self, snapshot: Snapshot) -> bool:
        return False

    def heeds_wishes(self, snapshot: Snapshot) -> bool:
        return False

    def takes_layouts(self, snapshot: Snapshot) -> bool:
        """In a bracket the tables are what the results have made of it."""
        return False

    def deal(self, *, tables: int, game: int, table: int) -> int:
        return tables * (game - 1) + table

    def sharers(self, *, deal: int, table: int) -> str:
        return str(deal)


class _ByPoints(Opposed):
    counts_points = True
    knocks_out = False
    on_bets = False

    def takes_layouts(self, snapshot: Snapshot) -> bool:
        return True

    def columns(self, snapshot: Snapshot) -> tuple[Measure, ...]:
        known = (tiebreaks.get(name) for name in snapshot.columns)
        return tuple(Measure(one.name, one.best, one.meaning) for one in known)

    def standings(self, snapshot: Snapshot) -> tuple[Standing, ...]:
        return ranking.rank(snapshot, snapshot.columns)

    def arithmetic(self, snapshot: Snapshot) -> dict[int, dict[str, Reckoning]]:
        return ranking.arithmetic(snapshot, snapshot.columns)


class Swiss(_ByPoints):
    """As many rounds as are asked for; each brings together who has done equally well and has not met."""

    slug = "swiss"
    name = "Swiss"
    fewest_rounds = 1

    def heeds_wishes(self, snapshot: Snapshot) -> bool:
        return True

    def rounds(self, entrants: int, *, asked: int, snapshot: Snapshot) -> int:
        return asked

    def algorithm(self, snapshot: Snapshot) -> str:
        return swiss_pairs.NAME if self._in_pairs(snapshot) else swiss_tables.NAME

    def pair(self, snapshot: Snapshot, round: int) -> Pairing:
        if self._in_pairs(snapshot):
            return swiss_pairs.pair_round(snapshot, round)
        return swiss_tables.pair_round(snapshot, round)

    @staticmethod
    def _in_pairs(snapshot: Snapshot) -> bool:
        return tuple(snapshot.sizes) == (2,)


class RoundRobin(_ByPoints):
    """Everybody meets everybody, at larger tables as far as nobody need meet twice."""

    slug = "round-robin"
    name = "Round robin"
    fewest_rounds = 0

    def rounds(self, entrants: int, *, asked: int, snapshot: Snapshot) -> int:
        """What is asked for; 0 asks for one cycle."""
        return asked or round_robin.rounds(entrants, preferred=snapshot.preferred)

    def algorithm(self, snapshot: Snapshot) -> str:
        return round_robin.NAME

    def pair(self, snapshot: Snapshot, round: int) -> Pairing:
        return round_robin.pair_round(snapshot, round)


class Knockout(Opposed):
    """Who wins a table goes on (at larger tables the best few) until one table decides."""

    slug = "knockout"
    name = "Knockout"
    fewest_rounds = 0
    counts_points = False
    knocks_out = True
    on_bets = False

    def rounds(self, entrants: int, *, asked: int, snapshot: Snapshot) -> int:
        """As many as it takes, whatever is asked for."""
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
            Measure("round", "most", "the last round that was reached"),
            Measure(
                "place", "fewest", "the place at the last table; 3 and 4 of who played for the third place"
            ),
        )

    def standings(self, snapshot: Snapshot) -> tuple[Standing, ...]:
        """Who was knocked out in the same round at the same place of a table shares a place."""
        return ranking.by_totals(snapshot, knockout.reached(snapshot), self.columns(snapshot))

    def arithmetic(self, snapshot: Snapshot) -> dict[int, dict[str, Reckoning]]:
        return {
            entry: {"round": Reckoning(round), "place": Reckoning(place)}
            for entry, (round, place) in knockout.reached(snapshot).items()
        }


class DoubleKnockout(Opposed):
    """Who has lost twice is out: a bracket with another for its losers, or two lives at larger tables."""

    slug = "double-knockout"
    name = "Double knockout"
    fewest_rounds = 0
    counts_points = False
    knocks_out = True
    on_bets = False

    def rounds(self, entrants: int, *, asked: int, snapshot: Snapshot) -> int:
        """The most it can take, whatever is asked for."""
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
            Measure("round", "most", "the last round that was reached"),
            Measure(
                "place", "fewest", "the place at the table there; 1 for who has not played it or sat out"
            ),
            Measure("lives", "most", "how often one may still lose"),
        )

    def standings(self, snapshot: Snapshot) -> tuple[Standing, ...]:
        """Who went out in the same round at the same place of a table shares a place."""
        totals = {
            entry: tuple(told.value for told in columns.values())
            for entry, columns in self.arithmetic(snapshot).items()
        }
        return ranking.by_totals(snapshot, totals, self.columns(snapshot))

    def arithmetic(self, snapshot: Snapshot) -> dict[int, dict[str, Reckoning]]:
        course = double_knockout.Course(snapshot)
        told = {}
        for entrant in snapshot.entrants:
            round, place, lives = course.reckon(entrant.entry)
            told[entrant.entry] = {
                "round": Reckoning(round), "place": Reckoning(place), "lives": added(lives)
            }  # fmt: skip
        return told
