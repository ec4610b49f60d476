"""Cards as small integers, 13 × suit + rank: a canonical pack is a plain range, and text is made at the edge.

Suits count C D H S, ranks A 2 … T J Q K from 0; 52 and 53 are the jokers (RULEBOOK 1).
"""

from __future__ import annotations

from collections.abc import Iterable

RANKS = "A23456789TJQK"
SUITS = "CDHS"
SUIT_NAMES = {"C": "clubs", "D": "diamonds", "H": "hearts", "S": "spades"}
PACK = tuple(range(52))
"""The canonical pack without jokers."""
PACK_WITH_JOKERS = tuple(range(54))

TEXT = (*(rank + suit for suit in SUITS for rank in RANKS), "X1", "X2")
"""A card's text, by card."""
HIDDEN = "??"
"""The text of a card that the reader may not see."""
CARD = {text: card for card, text in enumerate(TEXT)}
"""A card, by its text."""
VALUE = tuple(card % 13 + 1 for card in PACK)
"""A = 1, 2 … 10, J = 11, Q = 12, K = 13."""
SUIT = tuple(card // 13 for card in PACK)
RED = tuple(suit in (1, 2) for suit in SUIT)

ACE, KING = 1, 13


def texts(cards: Iterable[int]) -> list[str]:
    """
    >>> texts([0, 51, 53])
    ['AC', 'KS', 'X2']
    """
    return [TEXT[card] for card in cards]


def cards(texts: Iterable[str]) -> tuple[int, ...]:
    """Raises KeyError for what is no card."""
    return tuple([CARD[text] for text in texts])


def listed(texts: Iterable[str]) -> str:
    """Cards in a sentence, "nothing" for none."""
    return " ".join(texts) or "nothing"


def pile_name(pile: str) -> str:
    """
    >>> pile_name("column:3")
    'column 3'
    """
    return pile.replace(":", " ")
