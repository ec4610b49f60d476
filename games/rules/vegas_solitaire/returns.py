"""The return to player of Vegas Solitaire when a bot plays, with its confidence interval."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from statistics import NormalDist
from typing import Any, NamedTuple

from games.bots import registry
from games.bots.simulation import play
from games.rules.cards import PACK
from games.rules.registry import get

GAME = "vegas-solitaire"
CONFIDENCE = 0.95
METHOD = "normal approximation of the mean, with the sample's standard deviation"


def played(config: Mapping[str, Any], bot: str, seed: str, first: int, last: int) -> Counter[int]:
    """Return how often each number of cards was put up in the games from `first` to before `last`, as played by
    `simulate`.

    Raises UnknownBot, ConfigError.
    """
    game = get(GAME)
    parsed, player = game.parse_config(dict(config), staked=True), registry.get(GAME, bot)
    cards: Counter[int] = Counter()
    for number in range(first, last):
        outcome = play(game, parsed, seats=1, bots=[player], seed=seed, number=number).outcome
        assert outcome is not None
        cards[outcome["cards"]] += 1
    return cards


class Interval(NamedTuple):
    low: float
    high: float


class Returns(NamedTuple):
    """A sample of at least two games; money in pence. Means are exact, the deviations rounded once."""

    cards: Mapping[int, int]
    """Games, by the cards put up in them."""
    pence_per_card: int
    stake: int

    @property
    def games(self) -> int:
        return sum(self.cards.values())

    @property
    def mean_cards(self) -> Fraction:
        return Fraction(sum(cards * games for cards, games in self.cards.items()), self.games)

    @property
    def deviation_of_cards(self) -> float:
        """The sample standard deviation (n − 1)."""
        squares = sum(games * (cards - self.mean_cards) ** 2 for cards, games in self.cards.items())
        return math.sqrt(squares / (self.games - 1))

    @property
    def unit(self) -> Fraction:
        """The return of one card as a part of the stake."""
        return Fraction(self.pence_per_card, self.stake)

    @property
    def expected(self) -> Fraction:
        """Winnings by stake."""
        return self.mean_cards * self.unit

    @property
    def interval(self) -> Interval:
        """The confidence interval of the expected return, at CONFIDENCE by METHOD."""
        reach = NormalDist().inv_cdf((1 + CONFIDENCE) / 2) * self.deviation_of_cards / math.sqrt(self.games)
        return Interval(
            float(self.expected - Fraction(reach) * self.unit),
            float(self.expected + Fraction(reach) * self.unit),
        )

    @property
    def house_edge(self) -> Fraction:
        """The expected part of the stake that the bank keeps; below 0 if it loses."""
        return 1 - self.expected

    @property
    def complete_rate(self) -> Fraction:
        return Fraction(self.cards.get(len(PACK), 0), self.games)

    @property
    def paying_rate(self) -> Fraction:
        """The share of games that return more than their stake."""
        won = sum(games for cards, games in self.cards.items() if cards * self.pence_per_card > self.stake)
        return Fraction(won, self.games)

    def document(self) -> dict[str, Any]:
        low, high = self.interval
        return {
            "games": self.games,
            "stake": self.stake,
            "pence_per_card": self.pence_per_card,
            "return": {
                "mean": float(self.expected),
                "low": low,
                "high": high,
                "confidence": CONFIDENCE,
                "method": METHOD,
            },
            "house_edge": float(self.house_edge),
            "complete_rate": float(self.complete_rate),
            "paying_rate": float(self.paying_rate),
            "cards": {
                "mean": float(self.mean_cards),
                "deviation": self.deviation_of_cards,
                "games": {str(cards): self.cards[cards] for cards in sorted(self.cards) if self.cards[cards]},
            },
        }
