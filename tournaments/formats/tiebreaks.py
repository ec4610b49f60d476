"""The columns by which a field is ranked, each with its arithmetic.

An organizer puts them in order; each parts those whom the columns before it have left level, and may look at these
alone (`head-to-head`). All are whole numbers, so equal is equal.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from tournaments.formats.points import Outing, outings, worth_of_win
from tournaments.formats.protocol import Part, Reckoning, Snapshot, added


class UnknownTieBreak(LookupError):
    """No tie-break of that name."""


class Field:
    """A snapshot with what follows from it, worked out once for all columns."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot
        self.win = worth_of_win(snapshot.sizes)
        self.outings: Mapping[int, tuple[Outing, ...]] = outings(snapshot)
        self.entrants = {entrant.entry: entrant for entrant in snapshot.entrants}

    @cached_property
    def points(self) -> Mapping[int, int]:
        return {entry: sum(one.points for one in rounds) for entry, rounds in self.outings.items()}

    def met(self, entry: int) -> Iterable[tuple[Outing, int, int]]:
        """(outing, opponent, 2|1|0) of every meeting at a table."""
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
"""(field, entry, the entrants that are level so far) to its reckoning."""


@dataclass(frozen=True, slots=True)
class TieBreak:
    name: str
    best: Literal["most", "fewest"]
    meaning: str
    compute: Compute = field(repr=False)

    def document(self) -> dict[str, str]:
        return {"name": self.name, "best": self.best, "meaning": self.meaning}


def _points(field: Field, entry: int, level: Sequence[int]) -> Reckoning:
    return added(Part(one.kind, one.points, one.round, tuple(one.against)) for one in field.outings[entry])


def _head_to_head(field: Field, entry: int, level: Sequence[int]) -> Reckoning:
    """Only if all of them have met each other; else it would favour who met more of them."""
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
            "points of who was beaten, twice" if beaten == 2 else "points of who was level",
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
        if (told := field.measure(entry, name)).parts:
            return told
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
    """A lot of 48 bits, the head of SHA-256(text|purpose|entry); `text` is the tournament's lot key."""
    digest = hashlib.sha256(f"{text}|{purpose}|{entry}".encode()).digest()
    return int.from_bytes(digest[:6], "big")


_known = {
    one.name: one
    for one in (
        TieBreak("points", "most", "how much of each table was left behind; a bye counts as a win", _points),
        TieBreak("head-to-head", "most", "2 for each level one beaten, 1 if drawn with, if all met", _head_to_head),
        TieBreak("buchholz", "most", "the points of all opponents", _buchholz),
        TieBreak("buchholz-cut-1", "most", "the points of all opponents but the weakest", _cut_buchholz),
        TieBreak("median-buchholz", "most", "all opponents' points but the lowest and the highest", _median_buchholz),
        TieBreak("sonneborn-berger", "most", "points of the beaten twice, of the level once", _sonneborn_berger),
        TieBreak("wins", "most", "rounds in which the whole table was left behind, byes not counted", _wins),
        TieBreak("opponents-rating", "most", "the average rating of the opponents", _opponents_rating),
        TieBreak("progressive", "most", "the points after each round, added up: early points count more", _progressive),
        TieBreak("margin", "most", "by how much the best opponent at each table was beaten (or missed)", _margin),
        TieBreak("score", "most", "the games' own first measure over all rounds played", _score),
        TieBreak("fewest-plays", "fewest", "plays made in all games played", _plays),
        TieBreak("played", "most", "rounds really played: no byes, no forfeits", _played),
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
