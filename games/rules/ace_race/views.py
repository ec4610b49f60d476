"""What a seat may see of a game of Ace Race, named thing by thing, and how it ended (RULEBOOK 5)."""

from __future__ import annotations

from typing import Any

from games.rules.ace_race.position import DIRECTIONS, NOBODY, NOTHING, PHASES, State
from games.rules.ace_race.rules import RULES
from games.rules.ace_race.sealed import HIDDEN
from games.rules.cards import TEXT, texts


def view(state: State, seat: int | None) -> dict[str, Any]:
    """Before the deal an empty table in the phase `bidding`, with nobody to act."""
    return {
        "phase": PHASES[state.phase],
        "dealer": state.config.dealer,
        "hand": None if seat is None else texts(state.hands[seat]) if state.seats else [],
        "hands": [len(hand) for hand in state.hands],
        "draw_pile": len(state.draw_pile),
        "discards": texts(state.discards),
        "rule": None if state.rule == NOTHING else RULES[state.rule].document(),
        "rule_maker": None if state.rule_maker == NOBODY else state.rule_maker,
        "direction": DIRECTIONS[state.direction],
        "bids": [
            {"seat": bidder, "pass": True} if cards == NOTHING else {"seat": bidder, "cards": cards}
            for bidder, cards in state.bids
        ],
        "to_act": None if state.to_act == NOBODY else state.to_act,
        "drawn": _drawn(state, seat),
    }


def _drawn(state: State, seat: int | None) -> str | None:
    if state.drawn == NOTHING:
        return None
    return TEXT[state.drawn] if seat == state.to_act else HIDDEN


def outcome(state: State) -> dict[str, Any]:
    """Of a game that is over: won by who has no card left, else blocked."""
    counts = [len(hand) for hand in state.hands]
    places = [[seat for seat, count in enumerate(counts) if count == held] for held in sorted(set(counts))]
    return {
        "result": "blocked" if min(counts) else "won",
        "winners": places[0],
        "places": places,
        "hands": counts,
    }
