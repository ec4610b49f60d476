"""Search by playouts in worlds sampled from a seat's knowledge.

Each world is consistent with everything that the seat has seen, and every remaining action is tried in the same worlds,
so that luck with the cards affects all alike. After each round the worse half is dropped (sequential halving), and the
rest of the budget goes to actions that are close. The budget is a number of playouts, not a time: the same observation
and the same random generator give the same choice on any machine.
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
    """Return the action with the best result in about `playouts` playouts.

    The first of `actions` is what the player would do without thinking; another takes its place only where its lead
    over it is more than `doubt` standard errors of their difference, world by world. `value` plays a world out from an
    action.
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
    """Keep the first action, as the baseline, and the better half of the others."""
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
