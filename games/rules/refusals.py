"""The codes of refusals, and the rulings that apply in every game.

A game's own rulings are its `rulings`. Each refusal names a code from here and a ruling of either kind.
"""

from __future__ import annotations

from typing import NamedTuple

from games.rules.forms import A_MOVE, FORM, KNOWN_MOVES
from games.rules.protocol import Ruling


class Code(NamedTuple):
    meaning: str
    malformed: bool = False
    """A move that no state would allow: the request itself is wrong."""


CODES = {
    "unknown-move": Code("There is no move of that type in this game.", malformed=True),
    "malformed-move": Code(
        "The move lacks a key, has one too many, or a value out of its form.", malformed=True
    ),
    "game-over": Code("The game has ended."),
    "not-your-turn": Code("Another seat is to act."),
    "rule-forbids": Code("The phase, or a rule that has no separate code, forbids it."),
    "no-such-card": Code("That card is not where the move says."),
    "no-such-pile": Code("There is no such pile."),
    "pile-empty": Code("Nothing lies there to be taken."),
    "pile-complete": Code("Nothing more can be put there."),
    "wrong-suit": Code("The card's suit does not fit."),
    "wrong-rank": Code("The card's rank does not fit."),
    "wrong-colour": Code("The card's colour does not fit."),
    "no-passes-left": Code("The stock has been gone through as often as allowed."),
    "cannot-undo": Code("The last move cannot be taken back."),
    "bid-too-low": Code("A bid must beat the last."),
    "bid-too-high": Code("A bid beyond the most that can be bid."),
    "must-draw-first": Code("The draw pile is not empty: draw before passing."),
    "no-such-seat": Code("There is no such seat."),
    "seat-taken": Code("Somebody sits there."),
    "seats-open": Code("The deal is made when every seat is taken."),
    "suit-needed": Code("At this table each seat chooses a suit: name one of C, D, H, S.", malformed=True),
    "no-suits": Code("The seats of this table have no suit.", malformed=True),
    "no-such-suit": Code("A suit is one of C, D, H, S.", malformed=True),
    "suit-taken": Code("No further seat may have that suit."),
}
"""In the order in which the rulebook names them, then those of the table."""

FORM_CODES = frozenset(code for code, about in CODES.items() if about.malformed)

SEATING = Ruling("seating", "RULEBOOK 1", "Every seat is seated at `dealt`, numbered from 0.")
CHOSEN_SUITS = Ruling(
    "chosen-suits",
    "RULEBOOK 2",
    "Under `chosen` each seat races with a suit that is chosen on sitting down; at tables of up to four seats no two "
    "have the same, at larger ones at most two.",
    "The primary goal in Racing Aces Solitaire is to be the first to advance your chosen suit (represented by an Ace) "
    "to the finish line.",
)
"""The sentence of Racing Aces that decides who may sit down with which suit."""

STARTED = Ruling("started", "RULEBOOK 1", "The deal is made when all seats have contributed (at the start).")
ENDED = Ruling("ended", "RULEBOOK 1", "`finished` or `voided` is last and nothing follows it.")

GENERAL = (A_MOVE, KNOWN_MOVES, FORM, SEATING, STARTED, ENDED)
"""Rulings that apply to every move of every game."""
