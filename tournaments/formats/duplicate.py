"""`duplicate`: every entrant plays the same deals of a solitaire. The best total, or the most matchpoints, wins."""

from __future__ import annotations

from collections.abc import Sequence

from tournaments.formats.protocol import (
    MATCHPOINTS,
    TOTAL,
    BaseFormat,
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
from tournaments.formats.scoring import matchpoints
from tournaments.formats.scoring.tiebreaks import by_totals


class Duplicate(BaseFormat):
    slug = "duplicate"
    name = "Duplicate solitaire"
    fewest_rounds = 1
    counts = (TOTAL, MATCHPOINTS)

    def suits(self, seats: Sequence[int]) -> bool:
        return tuple(seats) == (1,)

    def pair(self, snapshot: Snapshot, round: int) -> Pairing:
        """Return one table for each entrant, in entry order."""
        playing = enumerate(snapshot.present(round), start=1)
        return Pairing(round, tuple(Table(number, (entrant.entry,)) for number, entrant in playing))

    def algorithm(self, snapshot: Snapshot) -> str:
        return "duplicate@1"

    def columns(self, snapshot: Snapshot) -> tuple[Measure, ...]:
        """Return the columns. With matchpoints, the totals of the measures only break ties."""
        if snapshot.count == MATCHPOINTS:
            return (matchpoints.COLUMN, *snapshot.measures)
        return snapshot.measures

    def deal(self, *, tables: int, game: int, table: int) -> int:
        """Return the number of the game, since all tables share the deal."""
        return game

    def standings(self, snapshot: Snapshot) -> tuple[Standing, ...]:
        """Rank by every column in turn. A game that was not played adds nothing."""
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
        computed = {
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
                computed[entry][matchpoints.COLUMN.name] = points
        return computed
