"""Moves as small integers, for search and playouts, and back (RULEBOOK 6)."""

from __future__ import annotations

from games.rules.protocol import Move
from games.rules.racing_demons.position import (
    DEMON,
    FOUNDATION,
    NEW_FOUNDATION,
    SOURCE_NAMES,
    SOURCES,
    TARGET_NAMES,
    TARGETS,
)

TURN, STUCK, PASS, FIRST_MOVE = range(4)
_NAMES = ("turn", "stuck", "pass")
_COUNTS = 13
_TARGETS = NEW_FOUNDATION + 1

MOVES = tuple(
    (source, target, count)
    for source in range(len(SOURCES))
    for target in range(_TARGETS)
    for count in range(1, _COUNTS + 1)
)
"""Source, target and count of each action from FIRST_MOVE on."""


def encoded(source: int, target: int, count: int = 1) -> int:
    return FIRST_MOVE + (source * _TARGETS + target) * _COUNTS + count - 1


def between_work_piles(source: int, target: int) -> bool:
    """Only there does `count` matter."""
    return source < DEMON and target < FOUNDATION


def action_of(move: Move) -> int:
    """The action of a legal move, whose piles are there."""
    kind = move["type"]
    if kind != "move":
        return _NAMES.index(kind)
    source, target = SOURCES[move["from"]], TARGETS[move["to"]]
    return encoded(source, target, move.get("count", 1) if between_work_piles(source, target) else 1)


def move_of(action: int) -> Move:
    if action < FIRST_MOVE:
        return {"type": _NAMES[action]}
    source, target, count = MOVES[action - FIRST_MOVE]
    move: Move = {"type": "move", "from": SOURCE_NAMES[source], "to": TARGET_NAMES[target]}
    if between_work_piles(source, target):
        move["count"] = count
    return move
