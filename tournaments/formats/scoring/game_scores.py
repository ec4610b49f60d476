"""The score of a game's outcome in a tournament, and the published tie order."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from games.rules.protocol import MOVE_CAP
from tournaments.formats.protocol import Measure

Outcome = Mapping[str, Any]


class NoScoring(LookupError):
    """The game has no published scoring for tournaments."""


@dataclass(frozen=True, slots=True)
class Scoring:
    """The scoring of a game.

    `on_bets`: the game has no seats, and the score comes from bets instead of the outcome. `bounds`: the least and
    the most of each measure that one game can give.
    """

    measures: tuple[Measure, ...]
    _score: Callable[[Outcome, int, int], tuple[int, ...]]
    on_bets: bool = False
    bounds: tuple[tuple[int, int], ...] = ()

    def score(self, outcome: Outcome | None, *, seat: int, moves: int) -> tuple[int, ...]:
        """Return a number for each measure; zeros without an outcome (a void game)."""
        if outcome is None:
            return (0,) * len(self.measures)
        return self._score(outcome, seat, moves)

    def impossible(self, scores: Sequence[tuple[int, ...]]) -> str:
        """Return why a game cannot have these measures, in a sentence; empty if it can."""
        for score in scores:
            for measure, value, (least, most) in zip(self.measures, score, self.bounds, strict=False):
                if not least <= value <= most:
                    return f"{measure.name} is {value}, outside {least} to {most}."
        return ""


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
    bounds=((0, 52), (0, 52), (0, MOVE_CAP + 1)),
)


def _idle_aces(outcome: Outcome, seat: int, moves: int) -> tuple[int, ...]:
    return int(outcome["result"] == "won"), outcome["cards"], outcome["plays"]


IDLE_ACES = Scoring(
    measures=(
        Measure("points", "most", "one point for each game won"),
        Measure("cards", "most", "cards built at the end of the games, the 8 bases of each included"),
        Measure("plays", "fewest", "plays from the waste and between the piles"),
    ),
    _score=_idle_aces,
    bounds=((0, 1), (8, 104), (0, MOVE_CAP + 1)),
)


def _ace_race(outcome: Outcome, seat: int, moves: int) -> tuple[int, ...]:
    return int(seat in outcome["winners"]), outcome["hands"][seat]


ACE_RACE = Scoring(
    measures=(
        Measure("won", "most", "games won, shared ones included"),
        Measure("hand", "fewest", "cards left in hand at the end of the games"),
    ),
    _score=_ace_race,
    bounds=((0, 1), (0, 54)),
)


def _racing_demons(outcome: Outcome, seat: int, moves: int) -> tuple[int, ...]:
    return (outcome["scores"][seat],)


RACING_DEMONS = Scoring(
    measures=(Measure("score", "most", "scores of the games (RULEBOOK 6 (6)), which may be below 0"),),
    _score=_racing_demons,
    # The best is a full pack with its four Kings and the bonus; the worst is no card built and a full demon left.
    bounds=((-13, 52 + 4 * 5 + 10),),
)


def _of_bets(outcome: Outcome, seat: int, moves: int) -> tuple[int, ...]:
    raise NoScoring("a race is scored by its bets")


RACING_ACES = Scoring(
    measures=(
        Measure("returned", "most", "what the bets on the race brought back, in pence of play money"),
        Measure("staked", "fewest", "what was bet on the race, in pence of play money"),
    ),
    _score=_of_bets,
    on_bets=True,
)

_scorings = {
    "racing-aces": RACING_ACES,
    "vegas-solitaire": VEGAS,
    "idle-aces": IDLE_ACES,
    "ace-race": ACE_RACE,
    "racing-demons": RACING_DEMONS,
}


def get(rules: str) -> Scoring:
    try:
        return _scorings[rules]
    except KeyError:
        raise NoScoring(f"{rules} has no scoring for tournaments") from None


def impossible(rules: str, scores: Sequence[tuple[int, ...]]) -> str:
    """Return `Scoring.impossible`; empty for a game without a scoring."""
    return _scorings[rules].impossible(scores) if rules in _scorings else ""


def known() -> tuple[str, ...]:
    """Return the games that have a scoring."""
    return tuple(sorted(_scorings))
