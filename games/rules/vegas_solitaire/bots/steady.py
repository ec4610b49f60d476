"""The steady bot of Vegas Solitaire: every card that pays, but first hidden cards.

What it prefers is a short list read from the top; among moves it likes equally, chance decides, so two that play the
same deal part ways. It never takes a card back from a foundation, never undoes, and moves a run only to uncover a card
or to make room for a King. So each of its games ends, whichever of the moves it likes it makes: with every one of them
the first of these that changes at all becomes smaller: the hidden cards that others lie on, the hidden cards that can
be turned up, the cards in stock and waste, the occupied columns, the cards not on a foundation, the passes left, the
cards in the stock.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from games.bots.protocol import Move, Observation, View

RANKS = "A23456789TJQK"
BLACK = "CS"


def value(card: str) -> int:
    return RANKS.index(card[0]) + 1


class Steady:
    """Greedy, and without memory."""

    name = "steady"

    def choose(self, observation: Observation, rng: random.Random) -> Move:
        view, legal_moves = observation.view, observation.legal_moves
        for group in PREFERENCES:
            if fitting := [move for move in legal_moves if any(fits(view, move) for fits in group)]:
                return rng.choices(fitting, [weight(view, move) for move in fitting])[0]
        return {"type": "collect"}


def weight(view: View, move: Move) -> int:
    """Return the preference among equal moves: a run by the hidden cards beneath it."""
    source = source_column(view, move)
    return max(1, source["down"]) if source is not None and moves_whole_run(view, move) else 1


def turns_up_a_card(view: View, move: Move) -> bool:
    return bool(move["type"] == "flip")


def goes_up_safely(view: View, move: Move) -> bool:
    """Return whether no card will need this one in a column: both of the other colour below it are up."""
    if not goes_up(view, move):
        return False
    card = moved_card(view, move)
    return all(view["foundations"][suit] >= value(card) - 1 for suit in other_colour(card))


def uncovers_a_card(view: View, move: Move) -> bool:
    """The whole face-up run leaves a column that has hidden cards."""
    source = source_column(view, move)
    return source is not None and source["down"] > 0 and moves_whole_run(view, move)


def makes_room_for_a_king(view: View, move: Move) -> bool:
    """Return whether a column becomes empty while a King on hidden cards or on the waste needs one."""
    source = source_column(view, move)
    return (
        source is not None
        and source["down"] == 0
        and move["to"] != "foundation"
        and moves_whole_run(view, move)
        and value(source["up"][0]) != len(RANKS)
        and any(value(card) == len(RANKS) for card in waiting_heads(view))
    )


def goes_up(view: View, move: Move) -> bool:
    return bool(move["type"] == "move" and move["to"] == "foundation")


def leaves_the_waste(view: View, move: Move) -> bool:
    return bool(move["type"] == "move" and move["from"] == "waste")


def draws(view: View, move: Move) -> bool:
    return bool(move["type"] == "draw")


def recycles(view: View, move: Move) -> bool:
    return bool(move["type"] == "recycle")


PREFERENCES: Sequence[Sequence[Callable[[View, Move], bool]]] = (
    (turns_up_a_card,),
    (goes_up_safely,),
    (uncovers_a_card,),
    (makes_room_for_a_king, goes_up, leaves_the_waste),
    (draws,),
    (recycles,),
)
"""Preferences, best first, some equal; if none applies, the game is collected."""


def source_column(view: View, move: Move) -> Mapping[str, Any] | None:
    if move["type"] != "move" or not move["from"].startswith("column:"):
        return None
    column: Mapping[str, Any] = view["columns"][int(move["from"][-1])]
    return column


def moves_whole_run(view: View, move: Move) -> bool:
    source = source_column(view, move)
    return source is not None and bool(move.get("count", 1) == len(source["up"]))


def moved_card(view: View, move: Move) -> str:
    """The card of a move to a foundation."""
    source = source_column(view, move)
    card: str = (view["waste"] if source is None else source["up"])[-1]
    return card


def waiting_heads(view: View) -> Iterator[str]:
    """The cards that could lead a run into an empty column with some use."""
    yield from view["waste"][-1:]
    for column in view["columns"]:
        if column["down"] and column["up"]:
            yield column["up"][0]


def other_colour(card: str) -> str:
    return "DH" if card[1] in BLACK else BLACK
