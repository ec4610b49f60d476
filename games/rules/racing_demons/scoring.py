"""What a game of Racing Demons comes to (RULEBOOK 6 (6))."""

from __future__ import annotations

from typing import Any

from games.rules.cards import KING
from games.rules.racing_demons.position import PACK_OF, VALUE, State

OF_A_KING, OF_THE_ENDER = 5, 10


def detail(state: State) -> list[dict[str, Any]]:
    """By seat: cards put on foundations, Kings among them, cards left in the demon, whether it is the ender."""
    placed, kings = [0] * len(state.sides), [0] * len(state.sides)
    for foundation in state.foundations:
        for card in foundation:
            placed[PACK_OF[card]] += 1
        if VALUE[foundation[-1]] == KING:
            kings[PACK_OF[foundation[-1]]] += 1
    return [
        {
            "placed": placed[seat],
            "kings": kings[seat],
            "demon_left": len(side.demon),
            "out": seat == state.ender,
        }
        for seat, side in enumerate(state.sides)
    ]


def scores(state: State) -> list[int]:
    """As they would be if the game ended now."""
    return [
        seat["placed"] - seat["demon_left"] + OF_A_KING * seat["kings"] + (OF_THE_ENDER if seat["out"] else 0)
        for seat in detail(state)
    ]


def outcome(state: State) -> dict[str, Any] | None:
    if state.result is None:
        return None
    scored = scores(state)
    return {
        "result": state.result,
        "ender": state.ender,
        "scores": scored,
        "detail": detail(state),
        "places": [
            [seat for seat, score in enumerate(scored) if score == shared]
            for shared in sorted(set(scored), reverse=True)
        ],
    }
