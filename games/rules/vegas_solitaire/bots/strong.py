"""The strong bot of Vegas Solitaire: searches for the most cards put up, in worlds consistent with its knowledge.

It plays only the candidates of `vegas_solitaire.playout`. The second move of a plan of two always follows the first, so
its games end as the steady bot's do: each plan reduces the first of that bot's numbers that changes. It maximises the
cards on the foundations when it collects, which is what a stake pays for, and collects when no candidate is left.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from games.bots.protocol import Event, Move, Observation, Searching
from games.bots.search import best_action
from games.rules.cards import CARD, PACK, cards
from games.rules.registry import get
from games.rules.vegas_solitaire import SOURCES, TARGETS, Config, Layout, State, laid_out
from games.rules.vegas_solitaire.actions import COLUMN_UP, KIND, MOVES
from games.rules.vegas_solitaire.bots.playout import (
    Plan,
    after,
    candidates,
    cards_put_up,
    preferred,
    takers_of,
)
from games.rules.vegas_solitaire.position import COLUMNS, FOUNDATION

DOUBT = 1.0


@dataclass(frozen=True)
class Strong(Searching):
    name = "strong"
    playouts: int = 300
    """For a move; about 0.3 ms each."""

    def choose(self, observation: Observation, rng: random.Random) -> Move:
        known = knowledge(observation)
        plans = worth_trying(known, rng)

        def value(world: State, plan: Plan) -> float:
            return cards_put_up(after(world, plan), rng)

        plan = best_action(
            plans, world=lambda: known.world(rng), value=value, playouts=self.playouts, doubt=DOUBT
        )
        return MOVES[plan[0]].copy()


def worth_trying(known: Knowledge, rng: random.Random) -> list[Plan]:
    """First what would be done without thinking."""
    layout = known.state.layout
    assert layout is not None
    if begun := second_moves(layout, known.last):
        return begun
    found = candidates(layout)
    first = preferred(found, rng)
    return [first, *(plan for _, _, plan in found if plan != first)]


def second_moves(layout: Layout, last: Mapping[str, Any]) -> list[Plan]:
    """Return the second move of a plan of two, after its first."""
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


GAME = "vegas-solitaire"
BLANK = len(PACK)
"""Blanks are numbers from here on."""


class Knowledge(NamedTuple):
    """The knowledge of the player."""

    state: State
    """With blanks in place of unseen cards."""
    blanks: tuple[int, ...]
    unseen: tuple[int, ...]
    """As many cards as blanks, in any assignment."""
    last: Mapping[str, Any]
    """The move that led here; empty where there is none."""

    def world(self, rng: random.Random) -> State:
        """One of the states that agree with what is known, each equally likely."""
        filled = list(range(2 * BLANK))
        for blank, card in zip(self.blanks, rng.sample(self.unseen, len(self.unseen)), strict=True):
            filled[blank] = card
        layout, before = self.state.layout, self.state.before
        assert layout is not None
        return self.state._replace(
            layout=_with(filled, layout), before=None if before is None else _with(filled, before)
        )


def _with(filled: list[int], layout: Layout) -> Layout:
    return layout._replace(
        stock=tuple([filled[card] for card in layout.stock]),
        waste=tuple([filled[card] for card in layout.waste]),
        columns=tuple([tuple([filled[card] for card in column]) for column in layout.columns]),
    )


def knowledge(observation: Observation) -> Knowledge:
    """Return the player's knowledge from the config, the events, and the view."""
    events = observation.history()
    state = _remembered(Config(**observation.config), events)
    layout = state.layout
    assert layout is not None
    for column, seen in enumerate(observation.view["columns"]):
        layout = _turned_up(layout, column, cards(seen["up"]))
    lying = (*layout.stock, *layout.waste, *(card for column in layout.columns for card in column))
    up = {13 * suit + value for suit, top in enumerate(layout.foundations) for value in range(top)}
    return Knowledge(
        state._replace(layout=layout),
        tuple(card for card in lying if card >= BLANK),
        tuple(card for card in PACK if card not in up and card not in lying),
        events[-1]["data"].get("move", {}),
    )


def _remembered(config: Config, events: Sequence[Event]) -> State:
    """The state, with every card that an event has shown."""
    game = get(GAME)
    state = State(config, None, None, False)
    for event in events:
        if event["type"] == "dealt":
            pack = tuple(range(BLANK, 2 * BLANK))
            state = State(config, laid_out(pack, passes=config.draw), None, False)
        elif "move" in event["data"]:
            assert state.layout is not None
            state = state._replace(layout=_shown(state.layout, event["data"]))
            state = game.evolve(state, event["type"], 0, event["data"], None)
    return state


def _shown(layout: Layout, data: Mapping[str, Any]) -> Layout:
    """Return the layout with the cards that a move is about to reveal."""
    move, facts = data["move"], data["facts"]
    if move["type"] == "draw":
        drawn = cards(facts["cards"])
        return layout._replace(stock=layout.stock[: -len(drawn)] + drawn[::-1])
    if move["type"] == "flip":
        return _turned_up(layout, move["column"], (CARD[facts["card"]],))
    if move["type"] == "move" and SOURCES[move["from"]] in COLUMNS:
        return _turned_up(layout, SOURCES[move["from"]], cards(facts["cards"]))
    return layout


def _turned_up(layout: Layout, column: int, up: tuple[int, ...]) -> Layout:
    """Return the layout with these as the column's last cards."""
    cards = layout.columns[column]
    column_with = cards[: len(cards) - len(up)] + up
    return layout._replace(columns=(*layout.columns[:column], column_with, *layout.columns[column + 1 :]))
