"""Vegas Solitaire, by search: what puts up most cards in games played out over worlds that agree with what was seen.

It plays by the wishes of `vegas_playout`, and never by anything else: where one takes two moves, the second follows
the first whatever the player thinks of it then. So its games end as the steady player's do: with each wish the first
of that player's numbers that changes at all becomes smaller. What it maximises is the cards on the foundations when it
collects, which is what a stake pays for; it collects when it wishes for nothing more.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from games.bots.protocol import Move, Sight
from games.bots.search import best_action
from games.bots.vegas_playout import KIND, Plan, after, cards_put_up, preferred, takers_of, wishes
from games.bots.vegas_worlds import Knowledge, knowledge
from games.rules.vegas_solitaire import SOURCES, TARGETS, Layout, State
from games.rules.vegas_solitaire.actions import COLUMN_UP, MOVES
from games.rules.vegas_solitaire.position import COLUMNS, FOUNDATION

PLAYOUTS = 300
"""For a move; about 0.3 ms each."""
DOUBT = 1.0


class Strong:
    name = "strong"

    def __init__(self, playouts: int = PLAYOUTS, doubt: float = DOUBT) -> None:
        self.playouts, self.doubt = playouts, doubt

    def choose(self, sight: Sight, rng: random.Random) -> Move:
        known = knowledge(sight)
        plans = worth_trying(known, rng)

        def value(world: State, plan: Plan) -> float:
            return cards_put_up(after(world, plan), rng)

        plan = best_action(
            plans, world=lambda: known.world(rng), value=value, playouts=self.playouts, doubt=self.doubt
        )
        return MOVES[plan[0]].copy()


def worth_trying(known: Knowledge, rng: random.Random) -> list[Plan]:
    """First what would be done without thinking."""
    layout = known.state.layout
    assert layout is not None
    if begun := second_moves(layout, known.last):
        return begun
    wished = wishes(layout)
    first = preferred(wished, rng)
    return [first, *(plan for _, _, plan in wished if plan != first)]


def second_moves(layout: Layout, last: Mapping[str, Any]) -> list[Plan]:
    """What a wish of two moves is finished with, after its first."""
    if last.get("type") != "move" or last["to"] == "foundation":
        return []
    source, target = SOURCES[last["from"]], TARGETS[last["to"]]
    if source >= FOUNDATION:
        card = layout.columns[target][-1]
        return [(action,) for action in takers_of(layout, KIND[card], target)]
    if source not in COLUMNS or len(layout.columns[source]) == layout.down[source]:
        return []
    beneath = layout.columns[source][-1]
    suit, rank = divmod(beneath, 13)
    return [(COLUMN_UP + source,)] if layout.foundations[suit] == rank else []
