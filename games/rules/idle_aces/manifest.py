"""What the platform asks about Idle Aces."""

from __future__ import annotations

from typing import Any

from games.bots.protocol import Random
from games.rules import cards
from games.rules.idle_aces import IdleAces, State
from games.rules.idle_aces.bots import Steady, Strong
from games.rules.idle_aces.position import texts
from games.rules.manifest import CannotDecide, Decides, Ended, Manifest, MoveWithFacts, Outcome, View
from games.rules.protocol import MOVE_CAP
from games.rules.scoring import Measure, Scoring

RESULTS = {"won": "Won", "lost": "Lost"}


def open_view(view: View, state: State) -> View:
    return view | {"stock": texts(state.stock), "waste": texts(state.waste)}


def decided(game: Ended, decision: Outcome) -> dict[str, Any]:
    if decision.keys() != {"result"} or decision["result"] not in tuple(RESULTS):
        raise CannotDecide(f"For Idle Aces, decide the `result`: {' or '.join(RESULTS)}.")
    return {**game.recorded, "result": decision["result"]}


def _play(event: MoveWithFacts) -> str:
    move = event["move"]
    return f"plays {event['facts']['card']} from {cards.pile_name(move['from'])} to {cards.pile_name(move['to'])}"


def _score(outcome: Outcome, seat: int, moves: int) -> tuple[int, ...]:
    return int(outcome["result"] == "won"), outcome["cards"], outcome["plays"]


MANIFEST = Manifest(
    versions=(IdleAces(),),
    chapter="RULEBOOK 4",
    bots=(Steady(), Strong(), Random()),
    hints=True,
    results=RESULTS,
    sentences={
        "draw": lambda event: f"draws {event['facts']['card']} from the stock",
        "redeal": lambda event: "turns the waste over to be the stock",
        "play": _play,
        "resign": lambda event: "resigns",
    },
    open_view=open_view,
    decided=decided,
    decides=Decides("result", "Result", "choice", choices=tuple(RESULTS.items())),
    scoring=Scoring(
        measures=(
            Measure("points", "most", "one point for each game won"),
            Measure("cards", "most", "cards built at the end of the games, the 8 bases of each included"),
            Measure("plays", "fewest", "plays from the waste and between the piles"),
        ),
        of_outcome=_score,
        bounds=((0, 1), (8, 104), (0, MOVE_CAP + 1)),
    ),
)
