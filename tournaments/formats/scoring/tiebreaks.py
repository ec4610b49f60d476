"""Tie-breaks, their arithmetic, and ranking by them.

An organizer chooses the order. Each tie-break separates entrants who are equal in all columns before it, and may
consider only those (`head-to-head`). All values are integers, so equality is exact.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

from tournaments.formats.protocol import Measure, Part, Reckoning, Snapshot, Standing, added, ranked
from tournaments.formats.scoring.points import Outing, outings, points_for_win


class UnknownTieBreak(LookupError):
    """There is no tie-break of that name."""


class Field:
    """A snapshot with derived values, computed once for all columns."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot
        self.win = points_for_win(snapshot.sizes)
        self.outings: Mapping[int, tuple[Outing, ...]] = outings(snapshot)
        self.entrants = {entrant.entry: entrant for entrant in snapshot.entrants}

    @cached_property
    def points(self) -> Mapping[int, int]:
        return {entry: sum(one.points for one in rounds) for entry, rounds in self.outings.items()}

    def met(self, entry: int) -> Iterable[tuple[Outing, int, int]]:
        """Return (outing, opponent, 2|1|0) for every meeting at a table."""
        for one in self.outings[entry]:
            for opponent, beaten in one.against.items():
                yield one, opponent, beaten

    def measure(self, entry: int, name: str) -> Reckoning:
        names = [measure.name for measure in self.snapshot.measures]
        if name not in names:
            return Reckoning(0)
        index = names.index(name)
        return added(
            Part(name, one.measures[index], one.round) for one in self.outings[entry] if one.kind == "played"
        )


Compute = Callable[[Field, int, Sequence[int]], Reckoning]
"""A function of the field, an entry, and the entrants equal so far."""


@dataclass(frozen=True, slots=True)
class TieBreak:
    name: str
    best: Literal["most", "fewest"]
    meaning: str
    compute: Compute = field(repr=False)


def _points(field: Field, entry: int, level: Sequence[int]) -> Reckoning:
    return added(Part(one.kind, one.points, one.round, tuple(one.against)) for one in field.outings[entry])


def _head_to_head(field: Field, entry: int, level: Sequence[int]) -> Reckoning:
    """Return the direct results, only if all of them have met; otherwise more meetings would be an advantage."""
    group = set(level)
    for one in level:
        if not group <= {one, *(opponent for _, opponent, _ in field.met(one))}:
            return Reckoning(0)
    return added(
        Part("met", beaten, outing.round, (opponent,))
        for outing, opponent, beaten in field.met(entry)
        if opponent in group
    )


def _opponents(field: Field, entry: int) -> list[Part]:
    return [
        Part("opponent's points", field.points[opponent], outing.round, (opponent,))
        for outing, opponent, _ in field.met(entry)
    ]


def _buchholz(field: Field, entry: int, level: Sequence[int]) -> Reckoning:
    return added(_opponents(field, entry))


def _without(parts: list[Part], *, lowest: int, highest: int) -> Reckoning:
    ordered = sorted(parts, key=lambda part: (part.amount, part.round or 0, part.opponents))
    kept = ordered[lowest : len(ordered) - highest] if len(ordered) > lowest + highest else []
    return added(sorted(kept, key=lambda part: (part.round or 0, part.opponents)))


def _cut_buchholz(field: Field, entry: int, level: Sequence[int]) -> Reckoning:
    return _without(_opponents(field, entry), lowest=1, highest=0)


def _median_buchholz(field: Field, entry: int, level: Sequence[int]) -> Reckoning:
    return _without(_opponents(field, entry), lowest=1, highest=1)


def _sonneborn_berger(field: Field, entry: int, level: Sequence[int]) -> Reckoning:
    return added(
        Part(
            "points of a beaten opponent, twice" if beaten == 2 else "points of a tied opponent",
            beaten * field.points[opponent],
            outing.round,
            (opponent,),
        )
        for outing, opponent, beaten in field.met(entry)
        if beaten
    )


def _wins(field: Field, entry: int, level: Sequence[int]) -> Reckoning:
    return added(Part("won", 1, one.round, tuple(one.against)) for one in field.outings[entry] if one.won)


def _opponents_rating(field: Field, entry: int, level: Sequence[int]) -> Reckoning:
    ratings = [
        Part("opponent's rating", field.entrants[opponent].rating, outing.round, (opponent,))
        for outing, opponent, _ in field.met(entry)
    ]
    if not ratings:
        return Reckoning(0)
    total = sum(part.amount for part in ratings)
    # Half up, as FIDE rounds averages.
    return Reckoning((2 * total + len(ratings)) // (2 * len(ratings)), tuple(ratings))


def _progressive(field: Field, entry: int, level: Sequence[int]) -> Reckoning:
    parts, running = [], 0
    for one in field.outings[entry]:
        running += one.points
        parts.append(Part("points after the round", running, one.round))
    return added(parts)


def _margin(field: Field, entry: int, level: Sequence[int]) -> Reckoning:
    return added(
        Part("ahead of the best opponent", one.margin, one.round, tuple(one.against))
        for one in field.outings[entry]
        if one.against
    )


def _score(field: Field, entry: int, level: Sequence[int]) -> Reckoning:
    return field.measure(entry, field.snapshot.measures[0].name)


def _plays(field: Field, entry: int, level: Sequence[int]) -> Reckoning:
    for name in ("plays", "moves"):
        if (summed := field.measure(entry, name)).parts:
            return summed
    return Reckoning(0)


def _played(field: Field, entry: int, level: Sequence[int]) -> Reckoning:
    return added(
        Part("played", 1, one.round, tuple(one.against))
        for one in field.outings[entry]
        if one.kind == "played"
    )


def _seeding(field: Field, entry: int, level: Sequence[int]) -> Reckoning:
    return Reckoning(field.entrants[entry].seeding)


def _lot(field: Field, entry: int, level: Sequence[int]) -> Reckoning:
    return Reckoning(lot(field.snapshot.lot, "tie", entry))


def lot(text: str, purpose: str, entry: int) -> int:
    """Return a lot of 48 bits: the head of SHA-256(text|purpose|entry). `text` is the tournament's lot key."""
    digest = hashlib.sha256(f"{text}|{purpose}|{entry}".encode()).digest()
    return int.from_bytes(digest[:6], "big")


_known = {
    one.name: one
    for one in (
        TieBreak("points", "most", "share of each table beaten; a bye counts as a win", _points),
        TieBreak("head-to-head", "most", "2 for each equal entrant beaten, 1 if tied, if all met", _head_to_head),
        TieBreak("buchholz", "most", "the points of all opponents", _buchholz),
        TieBreak("buchholz-cut-1", "most", "the points of all opponents but the weakest", _cut_buchholz),
        TieBreak("median-buchholz", "most", "all opponents' points but the lowest and the highest", _median_buchholz),
        TieBreak("sonneborn-berger", "most", "points of beaten opponents twice, of tied ones once", _sonneborn_berger),
        TieBreak("wins", "most", "rounds in which the whole table was beaten, without byes", _wins),
        TieBreak("opponents-rating", "most", "the average rating of the opponents", _opponents_rating),
        TieBreak("progressive", "most", "the points after each round, added up; early ones count more", _progressive),
        TieBreak("margin", "most", "the lead over the best opponent at each table (or the deficit)", _margin),
        TieBreak("score", "most", "the games' own first measure over all rounds played", _score),
        TieBreak("fewest-plays", "fewest", "plays in all games", _plays),
        TieBreak("played", "most", "rounds played, without byes and forfeits", _played),
        TieBreak("seeding", "fewest", "the place in the seeding", _seeding),
        TieBreak("lot", "fewest", "drawn from the tournament's lot key", _lot),
    )
}  # fmt: skip

DEFAULT = ("points", "head-to-head", "buchholz", "sonneborn-berger", "wins", "score")


def get(name: str) -> TieBreak:
    try:
        return _known[name]
    except KeyError:
        raise UnknownTieBreak(f"no tie-break {name!r}; known are {', '.join(_known)}") from None


def catalogue() -> tuple[TieBreak, ...]:
    return tuple(_known.values())


# --- ranking -----------------------------------------------------------------------------------------


_Reckoned = dict[int, dict[str, Reckoning]]


def rank(snapshot: Snapshot, columns: Sequence[str]) -> tuple[Standing, ...]:
    """Rank the field. Entrants who are equal in every column share a place, listed in entry order.

    Raises UnknownTieBreak.
    """
    field, known = Field(snapshot), [get(name) for name in columns]
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
    """Rank by known totals, a number for each column."""
    games = Counter(result.entry for result in snapshot.results)
    merits = [(one.entry, totals[one.entry], games[one.entry]) for one in snapshot.entrants]
    return _disqualified_last(snapshot, ranked(merits, columns))


def _disqualified_last(snapshot: Snapshot, standings: Sequence[Standing]) -> tuple[Standing, ...]:
    """Move disqualified entrants to a shared last place, in entry order."""
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
    """Return the value and its summands by entry and column. Raises UnknownTieBreak."""
    field, known = Field(snapshot), [get(name) for name in columns]
    reckoned: _Reckoned = {entrant.entry: {} for entrant in snapshot.entrants}
    for _ in _parted(field, sorted(reckoned), known, reckoned):
        pass
    return reckoned


def _parted(
    field: Field, group: Sequence[int], columns: Sequence[TieBreak], reckoned: _Reckoned
) -> Iterator[Sequence[int]]:
    """Return the group in order, as groups of equal entrants."""
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
