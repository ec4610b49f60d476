"""The score of a game's outcome in a tournament, and the published tie order."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypedDict

Outcome = Mapping[str, Any]


class MeasureOutput(TypedDict):
    name: str
    best: Literal["most", "fewest"]
    meaning: str


@dataclass(frozen=True, slots=True)
class Measure:
    """A component of a score. The order of a tournament's measures is its published tie order."""

    name: str
    best: Literal["most", "fewest"]
    meaning: str

    def document(self) -> MeasureOutput:
        return {"name": self.name, "best": self.best, "meaning": self.meaning}


class NoScoring(LookupError):
    """The game has no published scoring for tournaments."""


@dataclass(frozen=True, slots=True)
class Scoring:
    """The scoring of a game.

    `of_outcome` returns a number for each measure, from the outcome, the seat, and the number of accepted moves. It is
    None if the game has no seats: its score comes from bets. `bounds` are the least and the most of each measure that
    one game can give.
    """

    measures: tuple[Measure, ...]
    of_outcome: Callable[[Outcome, int, int], tuple[int, ...]] | None
    bounds: tuple[tuple[int, int], ...] = ()

    @property
    def on_bets(self) -> bool:
        return self.of_outcome is None

    def score(self, outcome: Outcome | None, *, seat: int, moves: int) -> tuple[int, ...]:
        """Return a number for each measure; zeros without an outcome (a void game). Raises NoScoring."""
        if outcome is None:
            return (0,) * len(self.measures)
        if self.of_outcome is None:
            raise NoScoring("a race is scored by its bets")
        return self.of_outcome(outcome, seat, moves)

    def impossible(self, scores: Sequence[tuple[int, ...]]) -> str:
        """Return why a game cannot have these measures, in a sentence; empty if it can."""
        for score in scores:
            for measure, value, (least, most) in zip(self.measures, score, self.bounds, strict=False):
                if not least <= value <= most:
                    name = measure.name.replace("-", " ").capitalize()
                    return f"{name} must be from {least} to {most}, not {value}."
        return ""
