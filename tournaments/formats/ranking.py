"""Places by columns, each of which parts those whom the columns before it have left level."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from tournaments.formats import tiebreaks
from tournaments.formats.protocol import Measure, Reckoning, Snapshot, Standing, ranked
from tournaments.formats.tiebreaks import Field, TieBreak

_Reckoned = dict[int, dict[str, Reckoning]]


def rank(snapshot: Snapshot, columns: Sequence[str]) -> tuple[Standing, ...]:
    """Everybody's place; who is level in every column shares one, listed in entry order.

    Raises UnknownTieBreak.
    """
    field, known = Field(snapshot), [tiebreaks.get(name) for name in columns]
    reckoned: _Reckoned = {entrant.entry: {} for entrant in snapshot.entrants}
    games = Counter(result.entry for result in snapshot.results)
    standings: list[Standing] = []
    for group in _parted(field, sorted(reckoned), known, reckoned):
        place = len(standings) + 1
        for entry in group:
            totals = tuple(reckoned[entry][name].value for name in columns)
            standings.append(Standing(place, entry, totals, games[entry]))
    return _disqualified_last(snapshot, standings)


def by_totals(
    snapshot: Snapshot, totals: Mapping[int, tuple[int, ...]], columns: Sequence[Measure]
) -> tuple[Standing, ...]:
    """Places by totals that are known, a number for each column."""
    games = Counter(result.entry for result in snapshot.results)
    merits = [(one.entry, totals[one.entry], games[one.entry]) for one in snapshot.entrants]
    return _disqualified_last(snapshot, ranked(merits, columns))


def _disqualified_last(snapshot: Snapshot, standings: Sequence[Standing]) -> tuple[Standing, ...]:
    """The others move up; who is disqualified shares the place behind them all, in entry order."""
    out = {entrant.entry for entrant in snapshot.entrants if entrant.disqualified}
    staying = [standing for standing in standings if standing.entry not in out]
    moved: list[Standing] = []
    for position, standing in enumerate(staying, start=1):
        level = position > 1 and standing.place == staying[position - 2].place
        moved.append(replace(standing, place=moved[-1].place if level else position))
    going = sorted((one for one in standings if one.entry in out), key=lambda one: one.entry)
    behind = len(staying) + 1
    return (*moved, *(replace(one, place=behind, disqualified=True) for one in going))


def arithmetic(snapshot: Snapshot, columns: Sequence[str]) -> dict[int, dict[str, Reckoning]]:
    """By entry and column, the value and the parts it is made of. Raises UnknownTieBreak."""
    field, known = Field(snapshot), [tiebreaks.get(name) for name in columns]
    reckoned: _Reckoned = {entrant.entry: {} for entrant in snapshot.entrants}
    for _ in _parted(field, sorted(reckoned), known, reckoned):
        pass
    return reckoned


def _parted(
    field: Field, group: Sequence[int], columns: Sequence[TieBreak], reckoned: _Reckoned
) -> Iterator[Sequence[int]]:
    """The group in its order, as groups of those who stay level."""
    if not columns:
        yield group
        return
    column, *others = columns
    for entry in group:
        reckoned[entry][column.name] = column.compute(field, entry, group)
    by_value: dict[int, list[int]] = {}
    for entry in group:
        by_value.setdefault(reckoned[entry][column.name].value, []).append(entry)
    for value in sorted(by_value, reverse=column.best == "most"):
        yield from _parted(field, by_value[value], others, reckoned)
