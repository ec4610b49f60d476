"""What is told of a race's odds: nothing but what follows from its rows and the number of cards left."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from games import state
from games.errors import NoOdds
from games.models import GameRecord
from games.rules.cards import SUITS
from games.rules.odds import fair_return, odds
from games.rules.racing_aces import State


def odds_of(game: GameRecord) -> dict[str, Any]:
    """The odds as the race stands, fractions as text; the caller may see the game. Raises NoOdds."""
    head, table = state.load(game.pk)
    if not isinstance(table.state, State) or table.status == "void":
        raise NoOdds
    found = odds(table.state)
    return {
        "suits": {
            letter: {
                "p": _fraction(found.suits[suit]),
                "fair_return": {
                    "lose": _fraction(fair_return(found, suit, on_draw="lose")),
                    "refund": _fraction(fair_return(found, suit, on_draw="refund")),
                },
            }
            for suit, letter in enumerate(SUITS)
        },
        "no_winner": _fraction(found.no_winner),
        "version": head.version,
    }


def _fraction(number: Fraction | None) -> str | None:
    return None if number is None else f"{number.numerator}/{number.denominator}"
