"""A game of each kind, one player of which has a page, and its next moves."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from tests.browser import ace_race, vegas
from tests.browser.conftest import Caller

Move = dict[str, Any]

TERMS: dict[str, dict[str, Any]] = {
    "vegas-solitaire": {"config": {"draw": 3, "stake": 0}},
    "idle-aces": {"config": {}},
    "ace-race": {"config": {}, "seats": 2},
    "racing-demons": {"config": {"pace": "turns"}, "seats": 2},
    "racing-aces": {"config": {}, "seats": 0},
}


def dealt(rules: str, player: Caller, rival: Caller) -> str:
    """A game that has just been dealt; its id."""
    game = str(player.post("games/", {"rules": rules, **TERMS[rules]})["id"])
    for one in (player, rival)[: TERMS[rules].get("seats", 1)]:
        one.post(f"games/{game}/seats/", {"client_seed": "as dealt"})
    player.post(f"games/{game}/start/", {})
    return game


def play(game: str, players: Sequence[Caller], turns: int, rng: random.Random) -> int:
    """Make at most so many moves, of the players who have one, and return their number."""
    for made in range(turns):
        for player in players:
            state = player.get(f"games/{game}/")
            move = _choose(state, player, game, rng) if state["legal_moves"] else None
            if move is not None:
                player.post(f"games/{game}/moves/", {"move": move})
                break
        else:
            return made
    return turns


def _choose(state: dict[str, Any], player: Caller, game: str, rng: random.Random) -> Move | None:
    """A move that goes on; none if all that is left ends the game."""
    legal = state["legal_moves"]
    if state["rules"] == "ace-race":
        return ace_race.steady(player, game, rng)
    if state["rules"] == "vegas-solitaire":
        return vegas.choose(legal)
    going_on = [move for move in legal if move["type"] not in {"resign", "stuck", "pass"}]
    placed = [move for move in going_on if move["type"] == "move"]
    passes = [move for move in legal if move["type"] == "pass"]
    return rng.choice(placed or going_on or passes) if placed or going_on or passes else None
