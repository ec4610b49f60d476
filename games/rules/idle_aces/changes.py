"""The effects of a move of Idle Aces, without judging it (RULEBOOK 4 and 9)."""

from __future__ import annotations

from typing import Any

from games.rules.idle_aces.ending import result_of
from games.rules.idle_aces.legality import moved_card
from games.rules.idle_aces.position import (
    ACES,
    DRAW,
    REDEAL,
    RESIGN,
    SOURCE_NAMES,
    SOURCES,
    TARGET_NAMES,
    TARGETS,
    TEXT,
    WASTE,
    State,
)
from games.rules.protocol import Move

_PLAIN = {"draw": DRAW, "redeal": REDEAL, "resign": RESIGN}
_PLAIN_NAMES = {action: kind for kind, action in _PLAIN.items()}


def action_of(move: Move) -> int:
    """A well-formed move as a small integer."""
    if move["type"] == "play":
        return 9 * TARGETS[move["to"]] + SOURCES[move["from"]]
    return _PLAIN[move["type"]]


def move_of(action: int) -> Move:
    if action >= DRAW:
        return {"type": _PLAIN_NAMES[action]}
    target, source = divmod(action, 9)
    return {"type": "play", "from": SOURCE_NAMES[source], "to": TARGET_NAMES[target]}


def facts_of(state: State, action: int) -> dict[str, Any]:
    if action < DRAW:
        return {"card": TEXT[moved_card(state, action % 9)]}
    return {"card": TEXT[state.stock[-1]]} if action == DRAW else {}


def changed(state: State, action: int) -> State:
    """The state after a legal action, with the end that it brings."""
    config, stock, waste, redeals_left, piles, aces, plays, _ = state
    if action < DRAW:
        return _played(state, action)
    if action == DRAW:
        stock, waste = stock[:-1], waste + stock[-1:]
        result = None if stock else result_of(stock, waste, redeals_left, piles, aces)
        return State(config, stock, waste, redeals_left, piles, aces, plays, result)
    if action == REDEAL:
        return State(config, waste[::-1], (), redeals_left - 1, piles, aces, plays, None)
    return resigned(state)


def _played(state: State, action: int) -> State:
    config, stock, waste, redeals_left, piles, aces, plays, _ = state
    target, source = divmod(action, 9)
    after = [*piles]
    if source == WASTE:
        card = waste[-1:]
        waste = waste[:-1]
    else:
        pile = piles[source]
        card = pile[-1:]
        after[source] = pile[:-1]
    if target == ACES:
        aces += card
    else:
        after[target] += card
    piles = tuple(after)
    result = None if stock else result_of(stock, waste, redeals_left, piles, aces)
    return State(config, stock, waste, redeals_left, piles, aces, plays + 1, result)


def resigned(state: State) -> State:
    return state._replace(result="lost")
