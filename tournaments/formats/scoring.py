"""What the outcome of a game is worth in a tournament, and the tie order that is published with it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from tournaments.formats.protocol import Measure

Outcome = Mapping[str, Any]


class NoScoring(LookupError):
    """The game has no published scoring for tournaments."""


@dataclass(frozen=True, slots=True)
class Scoring:
    measures: tuple[Measure, ...]
    _score: Callable[[Outcome, int, int], tuple[int, ...]]

    def score(self, outcome: Outcome | None, *, seat: int, moves: int) -> tuple[int, ...]:
        """A number for each measure; zeros where there is no outcome (a void game)."""
        if outcome is None:
            return (0,) * len(self.measures)
        return self._score(outcome, seat, moves)


def _vegas(outcome: Outcome, seat: int, moves: int) -> tuple[int, ...]:
    return outcome["winnings"], outcome["cards"], moves


VEGAS = Scoring(
    measures=(
        Measure(
            "points", "most", "winnings of the games; at stake 0 one point for each card on the foundations"
        ),
        Measure("cards", "most", "cards on the foundations at the end of the games"),
        Measure("moves", "fewest", "accepted moves, those that the server played included"),
    ),
    _score=_vegas,
)

_scorings = {"vegas-solitaire": VEGAS}


def get(rules: str) -> Scoring:
    try:
        return _scorings[rules]
    except KeyError:
        raise NoScoring(f"{rules} has no scoring for tournaments") from None


def known() -> tuple[str, ...]:
    """The games that have a scoring."""
    return tuple(sorted(_scorings))
