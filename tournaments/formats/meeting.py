"""`meeting`: a card of races, on which everybody bets play money from a bank of the same size; the largest bank wins.

Nobody sits at a race. All who are in a round stand at its one table, and what they get out of the race is what their
bets staked and what they brought back.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tournaments.formats.protocol import (
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

BANK = Measure("bank", "most", "play money after the last race that was settled, in pence")
AHEAD = Measure("ahead", "most", "races that brought back more than was staked on them")
BEST = Measure("best", "most", "the most that one race brought beyond what was staked on it, in pence")
COLUMNS = (BANK, AHEAD, BEST)


class Meeting:
    slug = "meeting"
    name = "Race meeting"
    fewest_entrants = 2
    fewest_rounds = 1
    counts_points = False
    knocks_out = False
    on_bets = True
    counts = (TOTAL,)

    def suits(self, seats: Sequence[int]) -> bool:
        """A game that goes on by itself."""
        return 0 in seats

    def rounds(self, entrants: int, *, asked: int, snapshot: Snapshot) -> int:
        return asked

    def is_over(self, snapshot: Snapshot) -> bool:
        """Every race is run: who has nothing left keeps the place."""
        return False

    def heeds_wishes(self, snapshot: Snapshot) -> bool:
        """All are together anyhow."""
        return False

    def takes_layouts(self, snapshot: Snapshot) -> bool:
        return False

    def algorithm(self, snapshot: Snapshot) -> str:
        return "meeting@1"

    def pair(self, snapshot: Snapshot, round: int) -> Pairing:
        """One race, at which all are in entry order; none if everybody has left."""
        present = tuple(entrant.entry for entrant in snapshot.present(round))
        return Pairing(round, (Table(1, present),) if present else ())

    def deal(self, *, tables: int, game: int, table: int) -> int:
        return tables * (game - 1) + table

    def sharers(self, *, deal: int, table: int) -> str:
        return str(deal)

    def columns(self, snapshot: Snapshot) -> tuple[Measure, ...]:
        return COLUMNS

    def standings(self, snapshot: Snapshot) -> tuple[Standing, ...]:
        told = self.arithmetic(snapshot)
        totals = {
            entry: tuple(reckoned[column.name].value for column in COLUMNS)
            for entry, reckoned in told.items()
        }
        return by_totals(snapshot, totals, COLUMNS)

    def arithmetic(self, snapshot: Snapshot) -> dict[int, dict[str, Reckoning]]:
        races: dict[int, list[Result]] = {entrant.entry: [] for entrant in snapshot.entrants}
        for result in snapshot.results:
            races[result.entry].append(result)
        return {entry: _reckoned(snapshot.bank, results) for entry, results in races.items()}


def gain(result: Result) -> int:
    """What a race added to the bank, or took from it."""
    returned, staked = result.score
    return returned - staked


def banks(snapshot: Snapshot) -> dict[int, int]:
    """What everybody has after the races that are in the results."""
    left = {entrant.entry: snapshot.bank for entrant in snapshot.entrants}
    for result in snapshot.results:
        left[result.entry] += gain(result)
    return left


def counted(snapshot: Snapshot, rows: Sequence[Mapping[str, Any]]) -> list[dict[str, int]]:
    """The banks before and after a race with these results, `snapshot` being what was known before it."""
    before = banks(snapshot)
    told = []
    for row in rows:
        returned, staked = row["score"]
        had = before[row["entry"]]
        told.append(
            {
                "entry": row["entry"],
                "before": had,
                "staked": staked,
                "returned": returned,
                "after": had - staked + returned,
            }
        )
    return told


def faults(rows: Sequence[Mapping[str, int]]) -> list[str]:
    """What cannot be so: a stake beyond the bank, or play money that came from nowhere or went there."""
    found = [f"entry {row['entry']} staked more than it had" for row in rows if row["staked"] > row["before"]]
    staked, returned = (sum(row[name] for row in rows) for name in ("staked", "returned"))
    if staked != returned:
        found.append(f"{staked} pence were staked and {returned} came back")
    return found


def _reckoned(opening: int, results: Sequence[Result]) -> dict[str, Reckoning]:
    parts = [Part("at the start", opening)]
    for result in results:
        returned, staked = result.score
        parts += [Part("staked", -staked, result.round)] if staked else []
        parts += [Part("returned", returned, result.round)] if returned else []
    won = [Part("ahead", 1, result.round) for result in results if gain(result) > 0]
    best = max(results, key=lambda result: (gain(result), -result.round), default=None)
    top = () if best is None or gain(best) <= 0 else (Part("beyond the stakes", gain(best), best.round),)
    return {BANK.name: added(parts), AHEAD.name: added(won), BEST.name: added(top)}
