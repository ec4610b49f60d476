"""What the platform asks about Ace Race."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from games.bots.protocol import Random
from games.rules import cards
from games.rules.ace_race import AceRace, State
from games.rules.ace_race.bots import Steady, Strong
from games.rules.ace_race.position import NOTHING
from games.rules.manifest import (
    BUY_IN_TABLE,
    BuyIns,
    CannotDecide,
    Decides,
    Ended,
    Manifest,
    MoveWithFacts,
    Outcome,
    Stakes,
    View,
)
from games.rules.scoring import Measure, Scoring

_NUMBERS = ("no cards", "one card", "two cards", "three cards", "four cards", "five cards", "six cards")


def open_view(view: View, state: State) -> View:
    shown = {name: value for name, value in view.items() if name != "hand"}
    return shown | {
        "hands": [cards.texts(hand) for hand in state.hands],
        "draw_pile": cards.texts(state.draw_pile),
        "drawn": None if state.drawn == NOTHING else cards.TEXT[state.drawn],
    }


def decided(game: Ended, decision: Outcome) -> dict[str, Any]:
    places = decision.get("places")
    if decision.keys() != {"places"} or not _is_places(places, game.seats):
        raise CannotDecide("For Ace Race, decide the `places`: lists of seats, with each seat once.")
    assert isinstance(places, list)
    return {**game.recorded, "winners": sorted(places[0]), "places": [sorted(place) for place in places]}


def _is_places(value: object, seats: int) -> bool:
    if not isinstance(value, list) or not all(isinstance(place, list) and place for place in value):
        return False
    named: list[Any] = [seat for place in value for seat in place]
    return all(type(seat) is int for seat in named) and sorted(named) == list(range(seats))


def _bidding_ends(event: MoveWithFacts) -> str:
    facts = event["facts"]
    if "winner" not in facts:
        return ""
    return f"; seat {facts['winner']} wins the bidding and takes {cards.listed(facts['cards'])}"


def _rule(rule: Mapping[str, Any]) -> str:
    return f"{rule['name']} of {rule['suit']}" if "suit" in rule else str(rule["name"])


def _give(event: MoveWithFacts) -> str:
    gifts = (f"{gift['card']} to seat {gift['to']}" for gift in event["move"]["gifts"])
    return f"gives {' and '.join(gifts)}"


def _play(event: MoveWithFacts) -> str:
    move, facts = event["move"], event["facts"]
    text = f"plays {cards.listed(move['cards'])}"
    if "joker" in move:
        text += f" with the joker {move['joker']}"
    if "rule" in move:
        text += f" and names the rule {_rule(move['rule'])}"
    if "direction" in move:
        text += f", the next to be {move['direction']}"
    if "draw_pile" in facts:
        text += f"; the discards are shuffled into the draw pile, of {facts['draw_pile']} cards now"
    return text + ("; that earns a giveaway" if facts.get("giveaway") else "")


MANIFEST = Manifest(
    versions=(AceRace(),),
    chapter="RULEBOOK 5",
    bots=(Steady(), Strong(), Random()),
    hints=True,
    results={"won": "Won", "blocked": "Blocked"},
    sentences={
        "bid": lambda event: f"bids {_NUMBERS[event['move']['cards']]}{_bidding_ends(event)}",
        "pass": lambda event: f"passes{_bidding_ends(event)}",
        "rule": lambda event: f"names the rule {_rule(event['move']['rule'])}",
        "give": _give,
        "decline": lambda event: "gives nothing away",
        "play": _play,
        "draw": lambda event: f"draws {event['facts']['card']}",
    },
    open_view=open_view,
    decided=decided,
    decides=Decides("places", "Place", "places"),
    scoring=Scoring(
        measures=(
            Measure("won", "most", "games won, shared ones included"),
            Measure("hand", "fewest", "cards left in hand at the end of the games"),
        ),
        of_outcome=lambda outcome, seat, moves: (int(seat in outcome["winners"]), outcome["hands"][seat]),
        bounds=((0, 1), (0, 54)),
    ),
    stakes=Stakes("pot", {"ace-race-table": BUY_IN_TABLE}),
    buy_ins=BuyIns(),
)
