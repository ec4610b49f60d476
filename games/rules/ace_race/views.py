"""Views, redaction, and outcome of Ace Race (RULEBOOK 1, 5, and 9)."""

from __future__ import annotations

from typing import Any

from games.rules.ace_race.position import BIDDING, DIRECTIONS, GIVEAWAY, NOBODY, NOTHING, OVER, PHASES, State
from games.rules.ace_race.rules import RULES
from games.rules.cards import HIDDEN, TEXT, texts
from games.rules.protocol import Fact, Move


def view(state: State, seat: int | None) -> dict[str, Any]:
    """Before the deal, an empty table in the phase `bidding` with no seat to act."""
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
    """Return the outcome of an ended game: won by the seat without cards, else blocked."""
    counts = [len(hand) for hand in state.hands]
    places = [[seat for seat, count in enumerate(counts) if count == held] for held in sorted(set(counts))]
    return {
        "result": "blocked" if min(counts) else "won",
        "winners": places[0],
        "places": places,
        "hands": counts,
    }


def written(state: State, move: Move, after: State) -> tuple[dict[str, Any], dict[str, Any] | None]:
    """Data and private part of a move's event, from the states before and after."""
    kind = move["type"]
    if kind == "draw":
        return _sealed(move, {"card": HIDDEN}, {"card": TEXT[after.drawn]})
    if kind == "give":
        return {"move": _gifts_shown_to(move, None), "facts": {}}, {"move": move, "facts": {}}
    if kind == "play":
        return _of_play(move, after)
    if state.phase == BIDDING and after.phase != BIDDING:
        winner = after.to_act
        taken = after.hands[winner][len(state.hands[winner]) :]
        shown = {"winner": winner, "cards": [HIDDEN] * len(taken)}
        if taken:
            return _sealed(move, shown, {"winner": winner, "cards": texts(taken)})
        return {"move": move, "facts": shown}, None
    return {"move": move, "facts": {}}, None


def _of_play(move: Move, after: State) -> tuple[dict[str, Any], dict[str, Any] | None]:
    if after.phase == OVER:
        return {"move": move, "facts": {}}, None
    if "rule" not in move:
        return {"move": move, "facts": {"giveaway": after.phase == GIVEAWAY}}, None
    shown = {"draw_pile": len(after.draw_pile)}
    return _sealed(move, shown, {**shown, "order": texts(after.draw_pile)})


def _sealed(
    move: Move, shown: dict[str, Any], whole: dict[str, Any]
) -> tuple[dict[str, Any], dict[str, Any]]:
    return {"move": move, "facts": shown}, {"move": move, "facts": whole}


def part_of(fact: Fact, seat: int | None) -> dict[str, Any] | None:
    """Return the part of private data that a seat may see during the game: its drawn card, cards of its bid, and gifts.

    The packs and the orders of reshuffles are nobody's.
    """
    private = fact.private
    if private is None or seat is None or "move" not in private:
        return None
    move, facts = private["move"], private["facts"]
    actor = fact.data["seat"] if fact.type == "expired" else fact.seat
    if move["type"] == "draw":
        return private if seat == actor else None
    if move["type"] in ("bid", "pass"):
        return private if seat == facts["winner"] else None
    if move["type"] != "give":
        return None
    if seat == actor:
        return private
    if all(gift["to"] != seat for gift in move["gifts"]):
        return None
    return {"move": _gifts_shown_to(move, seat), "facts": facts}


def _gifts_shown_to(move: Move, seat: int | None) -> Move:
    """The cards that the seat receives (None: no card at all)."""
    gifts = [gift if gift["to"] == seat else {**gift, "card": HIDDEN} for gift in move["gifts"]]
    return {**move, "gifts": gifts}
