"""The eight rules of Ace Race, the Aces that name them, and the cards that go by them (RULEBOOK 5)."""

from __future__ import annotations

from typing import Any, NamedTuple

from games.rules.ace_race.position import HIGHER, LOWER, WORTH
from games.rules.cards import SUIT, SUITS


class Rule(NamedTuple):
    name: str
    suit: str | None
    """Only the rule Suits has one."""
    ace: int
    """The Ace that names it."""

    def document(self) -> dict[str, Any]:
        return {"name": self.name} if self.suit is None else {"name": self.name, "suit": self.suit}


CLUBS, DIAMONDS, HEARTS, SPADES = (13 * suit for suit in range(len(SUITS)))
"""The Aces."""
ACES = (CLUBS, DIAMONDS, HEARTS, SPADES)

RULES = (
    Rule("multiples", None, HEARTS),
    Rule("series", None, HEARTS),
    Rule("high", None, DIAMONDS),
    Rule("medium", None, DIAMONDS),
    Rule("low", None, DIAMONDS),
    *(Rule("suits", letter, CLUBS) for letter in SUITS),
    Rule("prime", None, CLUBS),
    Rule("above-below", None, SPADES),
)
MULTIPLES, SERIES, HIGH, MEDIUM, LOW, SUIT_OF_CLUBS = range(6)
PRIME, ABOVE_BELOW = 9, 10
RULES_OF = {ace: tuple(index for index, rule in enumerate(RULES) if rule.ace == ace) for ace in ACES}

VALUES = {
    HIGH: frozenset({10, 11, 12, 13}),
    MEDIUM: frozenset({6, 7, 8, 9}),
    LOW: frozenset({2, 3, 4, 5}),
    PRIME: frozenset({2, 3, 5, 7, 11, 13}),
}
VALUED = range(2, 14)
"""The values that cards have: jokers and Aces have none."""


def goes_alone(rule: int, follow: int, direction: int, card: int) -> bool:
    """Return whether one card without a joker is a legal play; `follow` and `direction` are those of the state."""
    value = WORTH[card]
    if not value:
        return False
    if rule in VALUES:
        return value in VALUES[rule]
    if rule == MULTIPLES:
        return value == follow
    if rule == SERIES:
        return follow > 0 and abs(value - follow) == 1
    if rule == ABOVE_BELOW:
        return (
            not follow or (direction == HIGHER and value > follow) or (direction == LOWER and value < follow)
        )
    return SUIT[card] == rule - SUIT_OF_CLUBS


def is_multiple(cards: tuple[int, ...]) -> bool:
    """Two or more cards of one value."""
    return len(cards) > 1 and WORTH[cards[0]] > 0 and len({WORTH[card] for card in cards}) == 1


def is_series(cards: tuple[int, ...]) -> bool:
    """Three consecutive values, upwards or downwards as listed."""
    if len(cards) != 3 or not all(WORTH[card] for card in cards):
        return False
    first, second, third = (WORTH[card] for card in cards)
    return second - first == third - second and abs(second - first) == 1
