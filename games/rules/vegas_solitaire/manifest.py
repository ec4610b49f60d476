"""What the platform asks about Vegas Solitaire."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from games.bots.protocol import Random
from games.rules import cards
from games.rules.manifest import CannotDecide, Decides, Ended, Manifest, MoveWithFacts, Outcome, Stakes, View
from games.rules.protocol import MOVE_CAP
from games.rules.scoring import Measure, Scoring
from games.rules.vegas_solitaire import State, VegasSolitaire
from games.rules.vegas_solitaire.bots import Steady, Strong
from ledger.stakes.terms import Figures

VEGAS_CLASSIC = Figures(
    minimum=104, maximum=1_040_000, step=104, default=520, win_rate="1/13", bank_limit=100_000_000
)
"""RULEBOOK 3: a multiple of 104 pence from £1.04 to £10,400, won back at 1/13 of the stake per card.

One game can win at most £31,200 beyond its stake, so the bank's limit of £1,000,000 covers at least thirty open games
at the highest stake.
"""


MEAN_CARDS = {"draw=1": Fraction("9.006"), "draw=3": Fraction("8.676")}
"""Of 50,000 games each by the bot `steady` (docs/games/vegas-solitaire.md, "Return to player")."""


def open_view(view: View, state: State) -> View:
    layout = state.layout
    if layout is None:
        return view
    columns = zip(layout.columns, layout.down, strict=True)
    return view | {
        "stock": cards.texts(layout.stock),
        "waste": cards.texts(layout.waste),
        "columns": [
            {"down": cards.texts(column[:down]), "up": cards.texts(column[down:])} for column, down in columns
        ],
    }


def decided(game: Ended, decision: Outcome) -> dict[str, Any]:
    placed = decision.get("cards")
    if decision.keys() != {"cards"} or type(placed) is not int or not 0 <= placed <= 52:
        raise CannotDecide("For Vegas Solitaire, decide the `cards`, 0 to 52.")
    return {
        "result": "collected",
        "cards": placed,
        "winnings": game.config.pence_per_card * placed,
        "complete": placed == 52,
    }


def _auto(event: MoveWithFacts) -> str:
    up = event["facts"].get("auto")
    return f"; the rest goes up by itself: {cards.listed(up)}" if up else ""


def _move(event: MoveWithFacts) -> str:
    move, moved = event["move"], cards.listed(event["facts"]["cards"])
    return (
        f"moves {moved} from {cards.pile_name(move['from'])} to {cards.pile_name(move['to'])}{_auto(event)}"
    )


def _collect(event: MoveWithFacts) -> str:
    facts = event["facts"]
    return f"collects: {facts['cards']} cards on the foundations, winnings {facts['winnings']}"


MANIFEST = Manifest(
    versions=(VegasSolitaire(),),
    chapter="RULEBOOK 3",
    bots=(Steady(), Strong(), Random()),
    hints=True,
    results={"collected": "Collected"},
    sentences={
        "draw": lambda event: f"draws {cards.listed(event['facts']['cards'])} from the stock",
        "recycle": lambda event: "turns the waste over to be the stock",
        "flip": lambda event: (
            f"turns up {event['facts']['card']} in column {event['move']['column']}{_auto(event)}"
        ),
        "move": _move,
        "undo": lambda event: "takes the last move back",
        "collect": _collect,
    },
    open_view=open_view,
    decided=decided,
    decides=Decides("cards", "Cards on the foundations", "number", most=52),
    scoring=Scoring(
        measures=(
            Measure(
                "points",
                "most",
                "winnings of the games; at stake 0 one point for each card on the foundations",
            ),
            Measure("cards", "most", "cards on the foundations at the end of the games"),
            Measure("moves", "fewest", "accepted moves, those that the server played included"),
        ),
        of_outcome=lambda outcome, seat, moves: (outcome["winnings"], outcome["cards"], moves),
        bounds=((0, 52), (0, 52), (0, MOVE_CAP + 1)),
    ),
    stakes=Stakes("bank", {"vegas-classic": VEGAS_CLASSIC}, MEAN_CARDS),
)
