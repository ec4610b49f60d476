"""Vegas Solitaire as its player knows it, and worlds that could lie behind what the player knows.

The player's events are folded by the game itself, with *blanks* in the place of cards that have not been seen. So a
card that was drawn once is known in the stock of the next pass, and one that came up and was undone is known again.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from games.bots.protocol import Event, Sight
from games.rules.cards import CARD, PACK, cards
from games.rules.registry import get
from games.rules.vegas_solitaire import SOURCES, Config, Layout, State, laid_out
from games.rules.vegas_solitaire.position import COLUMNS

GAME = "vegas-solitaire"
BLANK = len(PACK)
"""Blanks are numbers from here on."""


class Knowledge(NamedTuple):
    """What the player can know."""

    state: State
    """With blanks for the cards that have not been seen."""
    blanks: tuple[int, ...]
    unseen: tuple[int, ...]
    """As many cards as blanks: any may be any."""
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


def knowledge(sight: Sight) -> Knowledge:
    """What the player of a dealt game can know from the config, the events and the view."""
    events = sight.history()
    state = _remembered(Config(**sight.config), events)
    layout = state.layout
    assert layout is not None
    for column, seen in enumerate(sight.view["columns"]):
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
    """With the cards that a move is about to turn up or to take from where they lie."""
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
    """With these as the column's last cards."""
    cards = layout.columns[column]
    column_with = cards[: len(cards) - len(up)] + up
    return layout._replace(columns=(*layout.columns[:column], column_with, *layout.columns[column + 1 :]))
