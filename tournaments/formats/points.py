"""What a round brings an entrant in formats that count points: how much of the table was left behind.

At a table the measures of its games are added up and its seats ranked by them. Whom a seat is ahead of counts two, whom
it is level with one; that is scaled so that leaving a whole table behind is worth the same at tables of every size.
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
    """One round of one entrant. `against` tells for each opponent 2 (behind), 1 (level) or 0 (ahead).

    `measures` are the totals of the table's games, `margin` by how much of the first measure the best opponent was
    beaten (negative: missed), 0 where there was none.
    """

    round: int
    kind: Kind
    points: int
    against: Mapping[int, int]
    measures: tuple[int, ...]
    margin: int = 0

    @property
    def won(self) -> bool:
        """Whether all others were left behind."""
        return (
            self.kind == "played"
            and bool(self.against)
            and all(self.against.values())
            and (sum(self.against.values()) == 2 * len(self.against))
        )


def worth_of_win(sizes: Sequence[int]) -> int:
    """The points of whoever leaves a whole table behind; a table of two halves them at a tie."""
    return 2 * lcm(*(size - 1 for size in sizes if size > 1))


def outings(snapshot: Snapshot) -> dict[int, tuple[Outing, ...]]:
    """By entry, what each closed round has brought. A bye is worth a win, an absence nothing."""
    win = worth_of_win(snapshot.sizes)
    nothing = (0,) * len(snapshot.measures)
    signs = _signs(snapshot)
    totals, absent = _by_table(snapshot.results)
    told: dict[int, list[Outing]] = {entrant.entry: [] for entrant in snapshot.entrants}
    for pairing in snapshot.played:
        if not _is_closed(pairing, totals):
            continue
        seen = set(pairing.byes)
        for entry in pairing.byes:
            told[entry].append(Outing(pairing.round, "bye", win, {}, nothing))
        for table in pairing.tables:
            seen.update(table.seats)
            rows = totals[pairing.round, table.number]
            for entry, outing in _at_table(pairing.round, table, rows, absent, signs, win):
                told[entry].append(outing)
        for entry in told.keys() - seen:
            told[entry].append(Outing(pairing.round, "absent", 0, {}, nothing))
    return {entry: tuple(rounds) for entry, rounds in told.items()}


def so_far(snapshot: Snapshot, round: int) -> dict[int, int]:
    """By entry, the points of the closed rounds before `round`: the sum of its outings, without the rest of them."""
    win = worth_of_win(snapshot.sizes)
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
                    # Twice whom it is ahead of, and once whom it is level with, itself left out.
                    points[entry] += unit * (bisect_left(ranked, merit) + bisect_right(ranked, merit) - 1)
    return points


def places(snapshot: Snapshot, round: int) -> dict[int, dict[int, int]]:
    """By table of a closed round, the place at which each entry came; who did not come is behind all who did."""
    signs = _signs(snapshot)
    totals, absent = _by_table(result for result in snapshot.results if result.round == round)
    told: dict[int, dict[int, int]] = {}
    for pairing in snapshot.played:
        if pairing.round != round or not _is_closed(pairing, totals):
            continue
        for table in pairing.tables:
            merits = _merits(round, table, totals[round, table.number], absent, signs)
            # What is written down for those who did not come parts them no further.
            told_of = {entry: merit if merit[0] else (False,) for entry, merit in merits.items()}
            told[table.number] = {
                entry: 1 + sum(merit < other for other in told_of.values())
                for entry, merit in told_of.items()
            }
    return told


def _signs(snapshot: Snapshot) -> list[int]:
    """-1 for each measure of which fewest is best."""
    return [1 if measure.best == "most" else -1 for measure in snapshot.measures]


def _is_closed(pairing: Pairing, totals: _Totals) -> bool:
    return all((pairing.round, table.number) in totals for table in pairing.tables)


def _unit(table: Table, win: int) -> int:
    return win // (2 * (len(table.seats) - 1)) if len(table.seats) > 1 else 0


_Totals = Mapping[tuple[int, int], Mapping[int, tuple[int, ...]]]
_Key = tuple[int, int, int]


def _by_table(results: Iterable[Result]) -> tuple[_Totals, frozenset[_Key]]:
    """Totals of the measures by (round, table), then by entry; and who did not come: (round, table, entry)."""
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
    """By entry: whether it came, then its measures so that more is better."""
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
    told = []
    for entry, mine in merits.items():
        against = {
            other: 2 if mine > theirs else int(mine == theirs)
            for other, theirs in merits.items()
            if other != entry
        }
        came = mine[0]
        # Who does not come gets nothing, even where nobody else came.
        points = unit * sum(against.values()) if came else 0
        best = max(
            (theirs[1] for other, theirs in merits.items() if theirs[0] and other != entry), default=None
        )
        margin = mine[1] - best if came and best is not None else 0
        kind: Kind = "played" if came else "forfeit"
        told.append((entry, Outing(round, kind, points, against, rows[entry], margin)))
    return told
