"""The open view of a table: every card where it is, including face-down cards, for viewers of a disclosed game.

A pile that a view only counts is a list here, its top last.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from games.rules import ace_race, cards, idle_aces, racing_demons, vegas_solitaire
from games.rules.ace_race.position import NOTHING
from games.rules.idle_aces.position import texts as two_packs
from games.rules.racing_aces import game as racing_aces
from games.rules.racing_demons.position import texts as packs_of_seats
from games.rules.table import Table

View = dict[str, Any]


def open_view(table: Table) -> View:
    """Return a spectator's view with all cards."""
    return _OF_GAME[table.game.slug](table.view(None), table.state)


def _racing_aces(view: View, state: racing_aces.State) -> View:
    """Burned cards are only in the dealt pack."""
    return view | {"stock": cards.texts(state.stock or ())}


def _vegas(view: View, state: vegas_solitaire.State) -> View:
    layout = state.layout
    if layout is None:
        return view
    columns = zip(layout.columns, layout.down, strict=True)
    return view | {
        "stock": cards.texts(layout.stock),
        "waste": cards.texts(layout.waste),
        "columns": [
            {"down": cards.texts(column[:down]), "up": cards.texts(column[down:])} for column, down in columns
        ],
    }


def _idle_aces(view: View, state: idle_aces.State) -> View:
    return view | {"stock": two_packs(state.stock), "waste": two_packs(state.waste)}


def _ace_race(view: View, state: ace_race.State) -> View:
    shown = {name: value for name, value in view.items() if name != "hand"}
    return shown | {
        "hands": [cards.texts(hand) for hand in state.hands],
        "draw_pile": cards.texts(state.draw_pile),
        "drawn": None if state.drawn == NOTHING else cards.TEXT[state.drawn],
    }


def _racing_demons(view: View, state: racing_demons.State) -> View:
    shown = {name: value for name, value in view.items() if name not in ("you", "others")}
    seats = [
        {
            "seat": other["seat"],
            "demon": packs_of_seats(side.demon),
            "work": other["work"],
            "stock": packs_of_seats(side.stock),
            "waste": packs_of_seats(side.waste),
            "stuck": other["stuck"],
        }
        for other, side in zip(view["others"], state.sides, strict=True)
    ]
    return {"seats": seats, **shown}


_OF_GAME: dict[str, Callable[[View, Any], View]] = {
    "racing-aces": _racing_aces,
    "vegas-solitaire": _vegas,
    "idle-aces": _idle_aces,
    "ace-race": _ace_race,
    "racing-demons": _racing_demons,
}
