"""What an event of Ace Race says to everyone, what it seals, and who gets which part of that (RULEBOOK 1 and 9)."""

from __future__ import annotations

from typing import Any

from games.rules.ace_race.position import BIDDING, GIVEAWAY, OVER, State
from games.rules.cards import TEXT, texts
from games.rules.protocol import Fact, Move

HIDDEN = "??"
"""Stands for a card that the viewer may not see."""


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
    """What of a private part goes to a seat while the game is on: the drawer's card, the bid winner's cards, gifts.

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
