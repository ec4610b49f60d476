"""What the platform asks about Racing Aces."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from games.bots.protocol import FirstMove, Random
from games.rules import cards
from games.rules.cards import SUITS
from games.rules.manifest import (
    BuyIns,
    CannotDecide,
    Decides,
    Ended,
    Manifest,
    Outcome,
    Stakes,
    View,
    WinMarket,
)
from games.rules.racing_aces.game import DRAW, RacingAces, State
from games.rules.racing_aces.odds import odds
from games.rules.scoring import Measure, Scoring
from ledger.stakes.terms import Figures


def open_view(view: View, state: State) -> View:
    """Burned cards are only in the dealt pack."""
    return view | {"stock": cards.texts(state.stock or ())}


def decided(game: Ended, decision: Outcome) -> dict[str, Any]:
    if decision.keys() != {"winner"}:
        raise CannotDecide("For Racing Aces, decide the `winner`.")
    winner = decision["winner"]
    if winner is not None and winner not in tuple(SUITS):
        raise CannotDecide(f"`winner` is one of {', '.join(SUITS)}, or null.")
    result = "no-winner" if winner is None else "won"
    outcome = {**game.recorded, "result": result, "winner": winner}
    if "suits" in outcome:
        outcome["winners"] = [seat for seat, suit in enumerate(outcome["suits"]) if suit == winner]
    return outcome


MANIFEST = Manifest(
    versions=(RacingAces(),),
    chapter="RULEBOOK 2",
    bots=(FirstMove(), Random()),
    results={"won": "Won", "no-winner": "No winner"},
    sentences={"draw": lambda event: f"draws {cards.listed(event['facts']['cards'])}"},
    open_view=open_view,
    decided=decided,
    decides=Decides(
        "winner",
        "Winner",
        "choice",
        choices=(
            *((suit, name.capitalize()) for suit, name in cards.SUIT_NAMES.items()),
            (None, "No winner"),
        ),
    ),
    scoring=Scoring(
        measures=(
            Measure("returned", "most", "what the bets on the race brought back, in pence of play money"),
            Measure("staked", "fewest", "what was bet on the race, in pence of play money"),
        ),
        of_outcome=None,
    ),
    stakes=Stakes(
        "bets",
        # Bets on races and tournaments are whole pence up to £10,000; at fixed odds the bank risks at most £1,000,000.
        {"race-bets": Figures(minimum=1, maximum=1_000_000, step=1, default=100, bank_limit=100_000_000)},
    ),
    buy_ins=BuyIns(
        accepts=lambda config: config.get("suits") == "chosen",
        unless=" unless each seat chooses its suit (`suits`: `chosen`)",
        winner_takes_all=True,
    ),
    market=WinMarket(first_move=DRAW, odds=odds),
    idle=timedelta(hours=1),
)
