"""Points of a round: the share of the table that an entrant has beaten.

The measures of a table's games are added up and its seats ranked by them. A seat has two for each seat that it
beats and one for each that it ties. This is scaled so that beating the whole table scores the same at every size of
table.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import lcm
from operator import add, mul
from typing import Literal

from tournaments.formats.protocol import Pairing, Result, Snapshot, Table

Kind = Literal["played", "forfeit", "bye", "absent"]


@dataclass(frozen=True, slots=True)
class Outing:
    """One round of one entrant.

    `against` has 2 (beaten), 1 (tied), or 0 (lost to) for each opponent. `measures` are the totals of the table's
    games. `margin` is the lead over the best opponent in the first measure, negative for a deficit and 0 without
    opponents.
    """

    round: int
    kind: Kind
    points: int
    against: Mapping[int, int]
    measures: tuple[int, ...]
    margin: int = 0

    @property
    def won(self) -> bool:
        """Return whether all others were beaten."""
        return (
            self.kind == "played"
            and bool(self.against)
            and all(self.against.values())
            and (sum(self.against.values()) == 2 * len(self.against))
        )


def points_for_win(sizes: Sequence[int]) -> int:
    """Return the points for beating a whole table; a tie at a table of two halves them."""
    return 2 * lcm(*(size - 1 for size in sizes if size > 1))


def outings(snapshot: Snapshot) -> dict[int, tuple[Outing, ...]]:
    """Return the outings of each entry in closed rounds. A bye scores as a win, an absence as nothing."""
    win = points_for_win(snapshot.sizes)
    nothing = (0,) * len(snapshot.measures)
    signs = _signs(snapshot)
    totals, absent = _by_table(snapshot.results)
    found: dict[int, list[Outing]] = {entrant.entry: [] for entrant in snapshot.entrants}
    for pairing in snapshot.played:
        if not _is_closed(pairing, totals):
            continue
        seen = set(pairing.byes)
        for entry in pairing.byes:
            found[entry].append(Outing(pairing.round, "bye", win, {}, nothing))
        for table in pairing.tables:
            seen.update(table.seats)
            rows = totals[pairing.round, table.number]
            for entry, outing in _at_table(pairing.round, table, rows, absent, signs, win):
                found[entry].append(outing)
        for entry in found.keys() - seen:
            found[entry].append(Outing(pairing.round, "absent", 0, {}, nothing))
    return {entry: tuple(rounds) for entry, rounds in found.items()}


def so_far(snapshot: Snapshot, round: int) -> dict[int, int]:
    """Return the points by entry in the closed rounds before `round`, without computing full outings."""
    win = points_for_win(snapshot.sizes)
    signs = _signs(snapshot)
    totals, absent = _by_table(snapshot.results)
    points = dict.fromkeys((entrant.entry for entrant in snapshot.entrants), 0)
    for pairing in snapshot.played:
        if pairing.round >= round or not _is_closed(pairing, totals):
            continue
        for entry in pairing.byes:
            points[entry] += win
        for table in pairing.tables:
            merits = _merits(pairing.round, table, totals[pairing.round, table.number], absent, signs)
            ranked = sorted(merits.values())
            unit = _unit(table, win)
            for entry, merit in merits.items():
                if merit[0]:
                    # Two for each seat beaten and one for each tied, itself excluded.
                    points[entry] += unit * (bisect_left(ranked, merit) + bisect_right(ranked, merit) - 1)
    return points


def places(snapshot: Snapshot, round: int) -> dict[int, dict[int, int]]:
    """Return the place of each entry by table of a closed round. Absent entrants are placed last."""
    signs = _signs(snapshot)
    totals, absent = _by_table(result for result in snapshot.results if result.round == round)
    found: dict[int, dict[int, int]] = {}
    for pairing in snapshot.played:
        if pairing.round != round or not _is_closed(pairing, totals):
            continue
        for table in pairing.tables:
            merits = _merits(round, table, totals[round, table.number], absent, signs)
            # The recorded measures of absent entrants do not separate them.
            merit_of = {entry: merit if merit[0] else (False,) for entry, merit in merits.items()}
            found[table.number] = {
                entry: 1 + sum(merit < other for other in merit_of.values())
                for entry, merit in merit_of.items()
            }
    return found


def _signs(snapshot: Snapshot) -> list[int]:
    """Return -1 for each measure of which fewest is best."""
    return [1 if measure.best == "most" else -1 for measure in snapshot.measures]


def _is_closed(pairing: Pairing, totals: _Totals) -> bool:
    return all((pairing.round, table.number) in totals for table in pairing.tables)


def _unit(table: Table, win: int) -> int:
    return win // (2 * (len(table.seats) - 1)) if len(table.seats) > 1 else 0


_Totals = Mapping[tuple[int, int], Mapping[int, tuple[int, ...]]]
_Key = tuple[int, int, int]


def _by_table(results: Iterable[Result]) -> tuple[_Totals, frozenset[_Key]]:
    """Return the totals of the measures by (round, table) and entry, and the absent (round, table, entry)."""
    totals: dict[tuple[int, int], dict[int, tuple[int, ...]]] = defaultdict(dict)
    absent = set()
    for result in results:
        at_table = totals[result.round, result.table]
        had = at_table.get(result.entry)
        at_table[result.entry] = result.score if had is None else tuple(map(add, had, result.score))
        if result.ended == "forfeit":
            absent.add((result.round, result.table, result.entry))
    return totals, frozenset(absent)


def _merits(
    round: int,
    table: Table,
    rows: Mapping[int, tuple[int, ...]],
    absent: frozenset[_Key],
    signs: Sequence[int],
) -> dict[int, tuple[int, ...]]:
    """Return by entry whether it was present, then its measures, negated where fewest is best."""
    return {
        entry: ((round, table.number, entry) not in absent, *map(mul, signs, rows[entry]))
        for entry in table.seats
    }


def _at_table(
    round: int,
    table: Table,
    rows: Mapping[int, tuple[int, ...]],
    absent: frozenset[_Key],
    signs: Sequence[int],
    win: int,
) -> list[tuple[int, Outing]]:
    merits = _merits(round, table, rows, absent, signs)
    unit = _unit(table, win)
    found = []
    for entry, mine in merits.items():
        against = {
            other: 2 if mine > theirs else int(mine == theirs)
            for other, theirs in merits.items()
            if other != entry
        }
        came = mine[0]
        # An absent entrant scores nothing, even if all are absent.
        points = unit * sum(against.values()) if came else 0
        best = max(
            (theirs[1] for other, theirs in merits.items() if theirs[0] and other != entry), default=None
        )
        margin = mine[1] - best if came and best is not None else 0
        kind: Kind = "played" if came else "forfeit"
        found.append((entry, Outing(round, kind, points, against, rows[entry], margin)))
    return found
