"""What the platform asks about Racing Demons."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from games.bots.protocol import Random
from games.rules import cards
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
from games.rules.racing_demons import RacingDemons, State
from games.rules.racing_demons.bots import Steady
from games.rules.racing_demons.game import OF_A_KING, OF_THE_ENDER
from games.rules.racing_demons.position import texts
from games.rules.scoring import Measure, Scoring

LOWEST, HIGHEST = -13, 52 + 4 * OF_A_KING + OF_THE_ENDER
"""No card built and a full demon left; a full pack with its four Kings and the bonus."""


def open_view(view: View, state: State) -> View:
    shown = {name: value for name, value in view.items() if name not in ("you", "others")}
    seats = [
        {
            "seat": other["seat"],
            "demon": texts(side.demon),
            "work": other["work"],
            "stock": texts(side.stock),
            "waste": texts(side.waste),
            "stuck": other["stuck"],
        }
        for other, side in zip(view["others"], state.sides, strict=True)
    ]
    return {"seats": seats, **shown}


def decided(game: Ended, decision: Outcome) -> dict[str, Any]:
    scores = decision.get("scores")
    if (
        decision.keys() != {"scores"}
        or not isinstance(scores, list)
        or len(scores) != game.seats
        or not all(type(score) is int and LOWEST <= score <= HIGHEST for score in scores)
    ):
        raise CannotDecide(
            f"For Racing Demons, decide the `scores`, {LOWEST} to {HIGHEST}, one for each seat."
        )
    places = [
        [seat for seat, score in enumerate(scores) if score == shared]
        for shared in sorted(set(scores), reverse=True)
    ]
    return {**game.recorded, "scores": scores, "places": places}


def _turn(event: MoveWithFacts) -> str:
    first = "turns the waste over to be the stock, then " if event["facts"].get("flipped") else ""
    return f"{first}turns up {cards.listed(event['facts']['cards'])}{_settled(event)}"


def _move(event: MoveWithFacts) -> str:
    move, facts = event["move"], event["facts"]
    new = "foundation" in facts
    target = f"foundation {facts['foundation']}, a new one" if new else cards.pile_name(move["to"])
    text = f"moves {cards.listed(facts['cards'])} from {cards.pile_name(move['from'])} to {target}"
    if "filled" in facts:
        text += f"; {facts['filled']} fills the empty pile"
    return text + _settled(event)


def _settled(event: MoveWithFacts) -> str:
    return "".join(f"; {_settling(step)}" for step in event["facts"].get("settled", ()))


def _settling(step: Mapping[str, Any]) -> str:
    if "marked" in step:
        return f"seat {step['marked']} is marked stuck"
    return "every new stock turns its cards" if "burned" in step else f"the game ends: {step['ended']}"


MANIFEST = Manifest(
    versions=(RacingDemons(),),
    chapter="RULEBOOK 6",
    bots=(Steady(), Random()),
    hints=True,
    results={"out": "A demon is empty", "stuck": "All seats are stuck", "time": "Time is up"},
    sentences={
        "turn": _turn,
        "move": _move,
        "stuck": lambda event: f"says to be stuck{_settled(event)}",
        "pass": lambda event: f"passes{_settled(event)}",
    },
    open_view=open_view,
    decided=decided,
    decides=Decides("scores", "Score", "numbers", least=LOWEST, most=HIGHEST),
    scoring=Scoring(
        measures=(Measure("score", "most", "scores of the games (RULEBOOK 6 (6)), which may be below 0"),),
        of_outcome=lambda outcome, seat, moves: (outcome["scores"][seat],),
        bounds=((LOWEST, HIGHEST),),
    ),
    stakes=Stakes("pot", {"racing-demons-table": BUY_IN_TABLE}),
    buy_ins=BuyIns(),
)
