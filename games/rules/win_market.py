"""Win markets on a game: who can be bet on, and the exact chances."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal, NamedTuple

OnDraw = Literal["refund", "lose"]


class Odds(NamedTuple):
    suits: tuple[Fraction, ...]
    """The chance of each suit, C D H S."""
    no_winner: Fraction


@dataclass(frozen=True, slots=True)
class WinMarket:
    """A game without decisions, whose winning suit can be bet on. Its outcome names the `winner`, or null."""

    first_move: dict[str, Any]
    """The operator's move that closes the market and makes the deal."""
    odds: Callable[[Any], Odds]
    """The odds for anyone who sees the table in this state of the game."""


def fair_return(odds: Odds, suit: int, *, on_draw: OnDraw) -> Fraction | None:
    """Return the fair return on one unit, including the unit; None if the suit cannot win.

    1/p where a race without a winner loses, (1 − p(no winner))/p where it refunds.
    """
    chance = odds.suits[suit]
    if not chance:
        return None
    return (1 - odds.no_winner if on_draw == "refund" else 1) / chance
