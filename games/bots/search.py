"""Choosing by games played out in the head, in worlds sampled from what a seat knows.

Each world is one that the seat cannot tell from the real one, and every action still in question is tried in the same
worlds, so that luck with the cards falls on all alike. After each round the worse half drops out (sequential
halving); what is left of the budget goes to those that are hard to tell apart. How much is looked at is counted in
playouts, never in time: the same sight and the same chance give the same choice on any machine.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from typing import TypeVar

World = TypeVar("World")
Action = TypeVar("Action", bound=Hashable)


def best_action(
    actions: Sequence[Action],
    *,
    world: Callable[[], World],
    value: Callable[[World, Action], float],
    playouts: int,
    doubt: float,
) -> Action:
    """The action that does best in about so many playouts.

    The first of `actions` is what the player would do without thinking; another takes its place only where its lead
    over it is more than `doubt` standard errors of their difference, world by world. `value` plays a world out from
    an action.
    """
    if len(actions) == 1:
        return actions[0]
    found: dict[Action, list[float]] = {action: [] for action in actions}
    rounds = max(1, math.ceil(math.log2(len(actions))))
    left = list(actions)
    for _ in range(rounds):
        for _ in range(max(1, playouts // (rounds * len(left)))):
            sampled = world()
            for action in left:
                found[action].append(value(sampled, action))
        left = _better_half(left, found)
    best = left[1]
    return best if _is_clear(found[best], found[actions[0]], doubt) else actions[0]


def _better_half(actions: list[Action], found: dict[Action, list[float]]) -> list[Action]:
    """With the first action, which stays to be compared with."""
    first, *others = actions
    others.sort(key=lambda action: -sum(found[action]))
    return [first, *others[: max(1, (len(actions) + 1) // 2 - 1)]]


def _is_clear(better: list[float], other: list[float], doubt: float) -> bool:
    leads = [one - two for one, two in zip(better, other, strict=False)]
    mean = sum(leads) / len(leads)
    if len(leads) < 2:
        return mean > 0
    squares = sum((lead - mean) ** 2 for lead in leads)
    return mean > doubt * math.sqrt(squares / (len(leads) - 1) / len(leads))
