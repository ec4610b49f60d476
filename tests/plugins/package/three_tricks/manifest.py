"""What the platform asks about Three Tricks."""

from __future__ import annotations

import random
from typing import Any

from games.bots.protocol import Observation, Random
from games.rules.cards import CARD, VALUE
from games.rules.manifest import (
    BUY_IN_TABLE,
    BuyIns,
    CannotDecide,
    Ended,
    Manifest,
    MoveWithFacts,
    Outcome,
    Stakes,
    View,
)
from games.rules.protocol import Move
from games.rules.scoring import Measure, Scoring
from three_tricks.game import State, ThreeTricks, outcome, table


class Steady:
    """Wins the trick with its lowest card that can, else plays its lowest card."""

    name = "steady"

    def choose(self, observation: Observation, rng: random.Random) -> Move:
        trick = observation.view["trick"]
        highest = max((VALUE[CARD[card]] for card in trick), default=0)

        def cost(move: Move) -> tuple[bool, int]:
            value = VALUE[CARD[move["card"]]]
            return value <= highest, value

        return min(observation.legal_moves, key=cost)


def decided(game: Ended, decision: Outcome) -> dict[str, Any]:
    """A ruling decides the tricks of each seat."""
    scores, cards = decision.get("scores"), game.config.cards
    if (
        decision.keys() != {"scores"}
        or not isinstance(scores, list)
        or len(scores) != game.seats
        or not all(type(score) is int and score >= 0 for score in scores)
        or sum(scores) != cards
    ):
        raise CannotDecide(f"For Three Tricks, decide the `scores` of the seats, {cards} in all.")
    return {**game.recorded, **outcome(scores)}


def open_view(view: View, state: State) -> View:
    return table(state, shown=range(len(state.hands)))


def _play(event: MoveWithFacts) -> str:
    text = f"plays {event['move']['card']}"
    return text + (f"; seat {event['facts']['winner']} takes the trick" if "winner" in event["facts"] else "")


MANIFEST = Manifest(
    versions=(ThreeTricks(),),
    chapter="Three Tricks",
    bots=(Steady(), Random()),
    results={"played": "Played"},
    sentences={"play": _play},
    open_view=open_view,
    decided=decided,
    scoring=Scoring(
        measures=(Measure("tricks", "most", "tricks of the games"),),
        of_outcome=lambda outcome, seat, moves: (outcome["scores"][seat],),
        bounds=((0, 5),),
    ),
    stakes=Stakes("pot", {"three-tricks-table": BUY_IN_TABLE}),
    buy_ins=BuyIns(),
)
