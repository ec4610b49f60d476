"""Results, and corrections of results after their round was closed.

From a correction on, the new results count. A round that was paired before stays as it was played, so each replaced
result is stored with the last round that was paired from it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypedDict

Data = Mapping[str, Any]
Ended = Literal["finished", "expired", "void", "forfeit"]


@dataclass(frozen=True, slots=True)
class Result:
    """The result of one entrant in one game: a number for each measure of the tournament."""

    round: int
    table: int
    deal: int
    entry: int
    ended: Ended
    score: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Superseded:
    """A corrected result. Rounds up to `until` were paired from it."""

    until: int
    result: Result
    number: int
    """The number of the correction."""

    @property
    def key(self) -> Key:
        return key(self.result)


class EntrantScoreOutput(TypedDict):
    ended: Ended
    score: list[int]


@dataclass(frozen=True, slots=True)
class EntrantScore:
    """The score of an entrant in a game, and how the game ended for them."""

    ended: Ended
    score: tuple[int, ...]

    def document(self) -> EntrantScoreOutput:
        return {"ended": self.ended, "score": list(self.score)}


Key = tuple[int, int, int, int]


def key(result: Result) -> Key:
    """Return the key of a result: round, table, deal, and entry."""
    return result.round, result.table, result.deal, result.entry


def score_of(result: Result) -> EntrantScore:
    return EntrantScore(result.ended, result.score)


def new_scores(data: Data) -> dict[int, EntrantScore]:
    """Return the new scores of an event `result-corrected`, by entry."""
    return {
        row["entry"]: EntrantScore(row["is"]["ended"], tuple(row["is"]["score"])) for row in data["results"]
    }


def corrected(
    results: Sequence[Result], game: tuple[int, int, int], now: Mapping[int, EntrantScore]
) -> tuple[Result, ...]:
    """Return all results, with those of one game (round, table, and deal) replaced by `now`, by entry."""
    return tuple(
        replace(one, ended=now[one.entry].ended, score=now[one.entry].score)
        if (one.round, one.table, one.deal) == game and one.entry in now
        else one
        for one in results
    )


def replaced(
    results: Sequence[Result],
    game: tuple[int, int, int],
    now: Mapping[int, EntrantScore],
    *,
    number: int,
    until: int,
) -> tuple[Superseded, ...]:
    """Return the results that a correction replaces."""
    return tuple(
        Superseded(until, one, number)
        for one in results
        if (one.round, one.table, one.deal) == game and one.entry in now and score_of(one) != now[one.entry]
    )
