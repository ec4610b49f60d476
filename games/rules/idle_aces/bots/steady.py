"""The steady bot of Idle Aces: it builds the waste's card if it can, at once or after plays between the piles.

It waits to build only cards that are better built late (`should_wait`). A card is brought to its place by the shortest
path: neighbouring piles (a twos pile that shows v, a kings pile that shows v + 1) exchange cards until the card fits.
Every game ends, because each move reduces the first that changes of: the redeals left, the cards in the stock, the
cards in the waste, the remaining steps of the path.
"""

from __future__ import annotations

import random
from collections.abc import Callable

from games.bots.protocol import Move, Observation, View
from games.rules.idle_aces.bots.playout import (
    ACE,
    QUEEN,
    TWO,
    Position,
    can_be_built,
    neighbours,
    waits_by_habit,
)

RANKS = "A23456789TJQK"


def value(card: str) -> int:
    return RANKS.index(card[0]) + 1


class Steady:
    """Uses the table alone, without memory."""

    name = "steady"

    def choose(self, observation: Observation, rng: random.Random) -> Move:
        return chosen(observation, on_the_table(observation.view), waits_by_habit)


def on_the_table(view: View) -> Position:
    """Return the visible table; cards that are not shown are treated as Aces."""
    built = [0] * 15
    for pile in (*view["twos"], *view["kings"], view["aces"]):
        for card in pile:
            built[value(card)] += 1
    waste = [ACE] * view["waste_count"]
    if waste:
        waste[-1] = value(view["waste"])
    return Position(built, neighbours(built), waste, [ACE] * view["stock"], view["redeals_left"])


def chosen(observation: Observation, position: Position, waits: Callable[[Position], bool]) -> Move:
    """The move that brings the waste's card nearer to its place; if it has none, or `waits`, the next card."""
    view = observation.view
    if view["waste"] and can_be_built(position, position.waste[-1]) and not waits(position):
        return building(observation, position.waste[-1])
    return {"type": "draw"} if view["stock"] else {"type": "redeal"}


def building(observation: Observation, card: int) -> Move:
    """Return the first play of the shortest way to build the waste's card, which exists."""
    for move in observation.legal_moves:
        if move.get("from") == "waste":
            return dict(move)
    return step_of_the_walk(observation.view, card)


def step_of_the_walk(view: View, card: int) -> Move:
    """A play between the neighbours nearest to where the card, 2…13, fits."""
    goals = [goal for goal in (card - 1, card) if TWO <= goal <= QUEEN]
    ways = [
        (abs(goal - shown), shown > goal, twos, kings)
        for twos, shown in enumerate(value(pile[-1]) for pile in view["twos"])
        for kings, other in enumerate(value(pile[-1]) for pile in view["kings"])
        if other == shown + 1
        for goal in goals
    ]
    _, down, twos, kings = min(ways)
    there, back = f"twos:{twos}", f"kings:{kings}"
    return (
        {"type": "play", "from": there, "to": back} if down else {"type": "play", "from": back, "to": there}
    )
