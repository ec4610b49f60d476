"""`duplicate`: every entrant plays the same deals of a solitaire; the best total over all rounds wins."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from tournaments.formats.protocol import Snapshot, Standing, Table, ranked


class Duplicate:
    slug = "duplicate"
    name = "Duplicate solitaire"
    fewest_entrants = 2

    def suits(self, seats: Sequence[int]) -> bool:
        return tuple(seats) == (1,)

    def tables(self, snapshot: Snapshot, round: int) -> tuple[Table, ...]:
        """A table for each entrant, in entry order."""
        return tuple(Table(number, (entry,)) for number, entry in enumerate(snapshot.entrants, start=1))

    def deal(self, *, tables: int, game: int, table: int) -> int:
        """All share the deal, so it bears the number of the game."""
        return game

    def sharers(self, *, deal: int, table: int) -> str:
        return str(deal)

    def standings(self, snapshot: Snapshot) -> tuple[Standing, ...]:
        """By total of every measure in turn. A game that was not played adds nothing."""
        nothing = (0,) * len(snapshot.measures)
        totals: dict[int, tuple[int, ...]] = defaultdict(lambda: nothing)
        games: dict[int, int] = defaultdict(int)
        for result in snapshot.results:
            totals[result.entry] = tuple(map(sum, zip(totals[result.entry], result.score, strict=True)))
            games[result.entry] += 1
        return ranked(
            [(entry, totals[entry], games[entry]) for entry in snapshot.entrants], snapshot.measures
        )
