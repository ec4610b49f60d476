"""The position of Idle Aces, the names of its piles, and its moves as small integers (RULEBOOK 4).

Cards are 52 × pack + 13 × suit + rank. The eight piles are numbered 0…7, four from the twos and four from the Kings; as
suits never matter, the number of cards on a pile says which card is its top and which comes next.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from games.rules import cards as one_pack
from games.rules.cards import KING, PACK

PACKS = "ab"
TEXT = tuple([f"{text}.{pack}" for pack in PACKS for text in one_pack.TEXT[:52]])
"""A card's text, by card."""
CARD = {text: card for card, text in enumerate(TEXT)}
VALUE = (*one_pack.VALUE, *one_pack.VALUE)

TWO = 2
BASES = (*(card for card in PACK if VALUE[card] == TWO), *(card for card in PACK if VALUE[card] == KING))
"""The 2s and Kings of pack a, suits C D H S: the feet of the eight piles."""
DECK = (*(card for card in PACK if card not in BASES), *range(52, 104))
"""The shuffled cards: the other 44 cards of pack a, then pack b."""

TWOS, KINGS, PILES = range(4), range(4, 8), range(8)
WASTE = ACES = 8
"""As a source 8 is the waste; as a target, the cells of the Aces."""
CELLS = 4

PILE_NAMES = (*(f"twos:{pile}" for pile in TWOS), *(f"kings:{pile - 4}" for pile in KINGS))
SOURCES = {"waste": WASTE, **{name: pile for pile, name in enumerate(PILE_NAMES)}}
TARGETS = {**{name: pile for pile, name in enumerate(PILE_NAMES)}, "aces": ACES}
SOURCE_NAMES = (*PILE_NAMES, "waste")
TARGET_NAMES = (*PILE_NAMES, "aces")

TOP = (*[tuple(range(1, KING + 1))] * 4, *[tuple(range(KING + 1, 0, -1))] * 4)
"""The value of a pile's top card, by pile and by the number of cards on it (at least 1)."""
WANTED = (*[tuple(range(TWO, KING + 2))] * 4, *[tuple(range(KING, -1, -1))] * 4)
"""The value that goes onto a pile, likewise; 14 and 0, which no card has, where it is complete."""
COMPLETE = (12, 12, 12, 12, 13, 13, 13, 13)
"""The most cards of a pile."""

DRAW, REDEAL, RESIGN = 81, 82, 83
"""Moves as integers; below 81 they are plays, 9 × target + source."""


class Config(NamedTuple):
    redeals: int


class State(NamedTuple):
    """The last card of a pile is its top. Before the deal there are no piles."""

    config: Config
    stock: tuple[int, ...]
    waste: tuple[int, ...]
    redeals_left: int
    piles: tuple[tuple[int, ...], ...]
    aces: tuple[int, ...]
    plays: int
    """Moves of type `play` so far."""
    result: str | None
    """`won` or `lost`; None while the game is on."""


def texts(cards: Iterable[int]) -> list[str]:
    """
    >>> texts([0, 64])
    ['AC.a', 'KC.b']
    """
    return [TEXT[card] for card in cards]


def before_the_deal(config: Config) -> State:
    return State(config, (), (), config.redeals, (), (), 0, None)


def laid_out(config: Config, pack: tuple[int, ...]) -> State:
    """The eight bases on the table and the shuffled rest as stock."""
    return State(config, pack, (), config.redeals, tuple([(base,) for base in BASES]), (), 0, None)


def built(state: State) -> int:
    """Cards on the piles and in the cells of the Aces, the bases included."""
    return sum(map(len, state.piles)) + len(state.aces)
