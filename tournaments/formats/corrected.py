"""Results that were corrected after their round had been closed.

From a correction on the new results count. A round that had been laid out by then was laid out from what was known
then, and stays as it was played: so what a correction replaced is kept, with the last round that was laid out from it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tournaments.formats.protocol import Ended, Result, Snapshot

Data = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Superseded:
    """A result that counted until it was corrected: rounds up to `until` had been laid out by then."""

    until: int
    result: Result
    number: int
    """Of the correction."""

    @property
    def key(self) -> Key:
        return key(self.result)


@dataclass(frozen=True, slots=True)
class Worth:
    """What somebody got out of a game, and how it ended for them."""

    ended: Ended
    score: tuple[int, ...]

    def document(self) -> dict[str, Any]:
        return {"ended": self.ended, "score": list(self.score)}


Key = tuple[int, int, int, int]


def key(result: Result) -> Key:
    """Whose result of which game it is."""
    return result.round, result.table, result.deal, result.entry


def worth(result: Result) -> Worth:
    return Worth(result.ended, result.score)


def told(data: Data) -> dict[int, Worth]:
    """By entry, what an event `result-corrected` says a game is worth."""
    return {row["entry"]: Worth(row["is"]["ended"], tuple(row["is"]["score"])) for row in data["results"]}


def corrected(
    results: Sequence[Result], game: tuple[int, int, int], now: Mapping[int, Worth]
) -> tuple[Result, ...]:
    """All results, those of one game (its round, table and deal) as they are `now`, by entry."""
    return tuple(
        replace(one, ended=now[one.entry].ended, score=now[one.entry].score)
        if (one.round, one.table, one.deal) == game and one.entry in now
        else one
        for one in results
    )


def replaced(
    results: Sequence[Result],
    game: tuple[int, int, int],
    now: Mapping[int, Worth],
    *,
    number: int,
    until: int,
) -> tuple[Superseded, ...]:
    """What a correction replaces."""
    return tuple(
        Superseded(until, one, number)
        for one in results
        if (one.round, one.table, one.deal) == game and one.entry in now and worth(one) != now[one.entry]
    )


def known_before(snapshot: Snapshot, round: int) -> tuple[Result, ...]:
    """The results that a round was laid out from."""
    then: dict[Key, Result] = {}
    for one in snapshot.superseded:
        if one.until >= round:
            # The first of them that still counted then: those after it came later.
            then.setdefault(one.key, one.result)
    return tuple(then.get(key(one), one) for one in snapshot.results if one.round < round)


def first_told(snapshot: Snapshot) -> dict[Key, Result]:
    """Of every result that was ever corrected, the one with which its round was closed."""
    first: dict[Key, Result] = {}
    for one in snapshot.superseded:
        first.setdefault(one.key, one.result)
    return first


def numbers(snapshot: Snapshot) -> dict[tuple[int, int, int], int]:
    """The last correction of each game (its round, table and deal) that was corrected."""
    return {one.key[:3]: one.number for one in snapshot.superseded}
