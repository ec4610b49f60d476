"""Outcomes that count instead of the recorded ones: judged again by the rules, or decided. Pure.

A decision names what is decided and no more; what follows from it is made here, so that no outcome comes about that
contradicts itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from games.rules import readings
from games.rules.cards import SUITS
from games.rules.readings import Reading
from games.rules.table import Table

Outcome = Mapping[str, Any]


class CannotDecide(ValueError):
    """The game cannot have come to that; says why in a sentence."""


class NoResult(ValueError):
    """Judged again, the game comes to no result; `otherwise` is the first event that could not stand as it does."""

    def __init__(self, reading: Reading) -> None:
        super().__init__("Judged again like this, the game would have gone on otherwise.")
        found = reading.document()["otherwise"]
        self.otherwise: dict[str, Any] | None = found


def decided(table: Table, decision: Outcome) -> dict[str, Any]:
    """The outcome of a game that has ended, with what is decided. Raises CannotDecide."""
    return _DECIDED[table.game.slug](table, decision)


def judged_again(bundle: Mapping[str, Any], options: Mapping[str, Any]) -> dict[str, Any]:
    """The outcome under these options, by the moves that were made. Raises NoResult, CannotReread, ConfigError."""
    reading = readings.reread(bundle, options)
    outcome = readings.outcome_under(bundle, reading)
    if outcome is None:
        raise NoResult(reading)
    return outcome


def _racing_aces(table: Table, decision: Outcome) -> dict[str, Any]:
    _require(decision.keys() == {"winner"}, "Of a race the `winner` is decided.")
    winner = decision["winner"]
    _require(winner is None or winner in SUITS, f"A winner is one of {', '.join(SUITS)}, or null.")
    result = "no-winner" if winner is None else "won"
    outcome = {**_recorded(table), "result": result, "winner": winner}
    if "suits" in outcome:
        outcome["winners"] = [seat for seat, suit in enumerate(outcome["suits"]) if suit == winner]
    return outcome


def _vegas(table: Table, decision: Outcome) -> dict[str, Any]:
    cards = decision.get("cards")
    _require(decision.keys() == {"cards"} and _whole(cards, 0, 52), "Decided are the `cards`, 0 to 52.")
    assert isinstance(cards, int)
    return {
        "result": "collected",
        "cards": cards,
        "winnings": table.config.pence_per_card * cards,
        "complete": cards == 52,
    }


def _idle_aces(table: Table, decision: Outcome) -> dict[str, Any]:
    known = ("won", "lost")
    _require(
        decision.keys() == {"result"} and decision["result"] in known, f"A `result` is {' or '.join(known)}."
    )
    return {**_recorded(table), "result": decision["result"]}


def _ace_race(table: Table, decision: Outcome) -> dict[str, Any]:
    places = decision.get("places")
    _require(
        decision.keys() == {"places"} and _is_places(places, len(table.seats)),
        "Decided are the `places`: lists of seats, each seat once.",
    )
    assert isinstance(places, list)
    return {**_recorded(table), "winners": sorted(places[0]), "places": [sorted(place) for place in places]}


def _racing_demons(table: Table, decision: Outcome) -> dict[str, Any]:
    scores = decision.get("scores")
    _require(
        decision.keys() == {"scores"}
        and isinstance(scores, list)
        and len(scores) == len(table.seats)
        and all(_whole(score, -13, 82) for score in scores),
        "Decided are the `scores`, -13 to 82, one of each seat.",
    )
    assert isinstance(scores, list)
    places = [
        [seat for seat, score in enumerate(scores) if score == shared]
        for shared in sorted(set(scores), reverse=True)
    ]
    return {**_recorded(table), "scores": scores, "places": places}


def _recorded(table: Table) -> Outcome:
    if table.outcome is None:
        raise CannotDecide("A game that was called off has no outcome: deal it anew.")
    return table.outcome


def _is_places(value: object, seats: int) -> bool:
    if not isinstance(value, list) or not all(isinstance(place, list) and place for place in value):
        return False
    named: Sequence[Any] = [seat for place in value for seat in place]
    return all(type(seat) is int for seat in named) and sorted(named) == list(range(seats))


def _whole(value: object, least: int, most: int) -> bool:
    return type(value) is int and least <= value <= most


def _require(holds: bool, otherwise: str) -> None:
    if not holds:
        raise CannotDecide(otherwise)


_DECIDED: Mapping[str, Callable[[Table, Outcome], dict[str, Any]]] = {
    "racing-aces": _racing_aces,
    "vegas-solitaire": _vegas,
    "idle-aces": _idle_aces,
    "ace-race": _ace_race,
    "racing-demons": _racing_demons,
}
