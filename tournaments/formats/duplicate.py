"""`duplicate`: every entrant plays the same deals of a solitaire; the best total, or the most matchpoints, wins."""

from __future__ import annotations

from collections.abc import Sequence

from tournaments.formats import matchpoints
from tournaments.formats.protocol import (
    MATCHPOINTS,
    TOTAL,
    Measure,
    Pairing,
    Part,
    Reckoning,
    Result,
    Snapshot,
    Standing,
    Table,
    added,
)
from tournaments.formats.ranking import by_totals


class Duplicate:
    slug = "duplicate"
    name = "Duplicate solitaire"
    fewest_entrants = 2
    fewest_rounds = 1
    counts_points = False
    knocks_out = False
    on_bets = False
    counts = (TOTAL, MATCHPOINTS)

    def suits(self, seats: Sequence[int]) -> bool:
        return tuple(seats) == (1,)

    def pair(self, snapshot: Snapshot, round: int) -> Pairing:
        """A table for each entrant, in entry order."""
        playing = enumerate(snapshot.present(round), start=1)
        return Pairing(round, tuple(Table(number, (entrant.entry,)) for number, entrant in playing))

    def rounds(self, entrants: int, *, asked: int, snapshot: Snapshot) -> int:
        return asked

    def is_over(self, snapshot: Snapshot) -> bool:
        return False

    def heeds_wishes(self, snapshot: Snapshot) -> bool:
        """Nobody meets anybody."""
        return False

    def takes_layouts(self, snapshot: Snapshot) -> bool:
        return False

    def algorithm(self, snapshot: Snapshot) -> str:
        return "duplicate@1"

    def columns(self, snapshot: Snapshot) -> tuple[Measure, ...]:
        """With matchpoints the totals of the measures only part who is level."""
        if snapshot.count == MATCHPOINTS:
            return (matchpoints.COLUMN, *snapshot.measures)
        return snapshot.measures

    def deal(self, *, tables: int, game: int, table: int) -> int:
        """All share the deal, so it bears the number of the game."""
        return game

    def sharers(self, *, deal: int, table: int) -> str:
        return str(deal)

    def standings(self, snapshot: Snapshot) -> tuple[Standing, ...]:
        """By every column in turn. A game that was not played adds nothing."""
        nothing = (0,) * len(snapshot.measures)
        totals = {entrant.entry: nothing for entrant in snapshot.entrants}
        for result in snapshot.results:
            totals[result.entry] = tuple(map(sum, zip(totals[result.entry], result.score, strict=True)))
        if snapshot.count == MATCHPOINTS:
            points = matchpoints.totals(snapshot)
            totals = {entry: (points[entry], *total) for entry, total in totals.items()}
        return by_totals(snapshot, totals, self.columns(snapshot))

    def arithmetic(self, snapshot: Snapshot) -> dict[int, dict[str, Reckoning]]:
        parts: dict[int, list[Result]] = {entrant.entry: [] for entrant in snapshot.entrants}
        for result in snapshot.results:
            parts[result.entry].append(result)
        told = {
            entry: {
                measure.name: added(
                    Part(f"deal {result.deal}", result.score[index], result.round) for result in results
                )
                for index, measure in enumerate(snapshot.measures)
            }
            for entry, results in parts.items()
        }
        if snapshot.count == MATCHPOINTS:
            for entry, points in matchpoints.arithmetic(snapshot).items():
                told[entry][matchpoints.COLUMN.name] = points
        return told
