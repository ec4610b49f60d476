"""Comparison of bots on the same deals, with confidence.

In a game for one, each bot plays each deal by itself, and what counts is the cards of its outcome. At a table of
several, one bot of the first kind sits among bots of the second, once at each seat of the same deal, and what counts is
its share of the first place. Either way a deal gives one number, the first bot's lead, and luck with the cards falls on
both alike.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from statistics import NormalDist, fmean, stdev
from typing import Any, NamedTuple

from games.bots.protocol import Bot
from games.bots.simulation import play
from games.rules.protocol import Game

CONFIDENCE = 0.95
METHOD = "normal approximation of the mean lead, with the sample's standard deviation"


class Deal(NamedTuple):
    """The result of one deal: cards, or shares of first place, averaged over the seats."""

    first: float
    second: float

    @property
    def lead(self) -> float:
        return self.first - self.second


def of_one_seat(
    game: Game, config: Any, bots: Sequence[Bot], *, seed: str, deals: Iterable[int]
) -> list[list[int]]:
    """The cards of each bot, by deal."""
    return [
        [_cards(play(game, config, seats=1, bots=[bot], seed=seed, number=deal).outcome) for bot in bots]
        for deal in deals
    ]


def _cards(outcome: Mapping[str, Any] | None) -> int:
    assert outcome is not None
    cards: int = outcome["cards"]
    return cards


def of_a_table(
    game: Game, config: Any, first: Bot, second: Bot, *, seats: int, seed: str, deals: Iterable[int]
) -> list[Deal]:
    """Each deal is played as often as there are seats. A bot of equal strength has a share of 1 / seats."""
    found = []
    for deal in deals:
        share = Fraction(0)
        for seat in range(seats):
            players = [first if at == seat else second for at in range(seats)]
            outcome = play(game, config, seats=seats, bots=players, seed=seed, number=deal).outcome
            assert outcome is not None
            winners = outcome["places"][0]
            share += Fraction(seat in winners, len(winners))
        mean = share / seats
        found.append(Deal(float(mean), float((1 - mean) / (seats - 1))))
    return found


class Comparison(NamedTuple):
    """A comparison over at least two deals."""

    deals: Sequence[Deal]

    @property
    def first(self) -> float:
        return fmean(deal.first for deal in self.deals)

    @property
    def second(self) -> float:
        """The mean of one of the other bots."""
        return fmean(deal.second for deal in self.deals)

    @property
    def lead(self) -> float:
        return fmean(deal.lead for deal in self.deals)

    @property
    def reach(self) -> float:
        """The half width of the lead's interval, at CONFIDENCE by METHOD."""
        spread = stdev(deal.lead for deal in self.deals)
        return NormalDist().inv_cdf((1 + CONFIDENCE) / 2) * spread / math.sqrt(len(self.deals))

    @property
    def won(self) -> int:
        return sum(deal.lead > 0 for deal in self.deals)

    @property
    def lost(self) -> int:
        return sum(deal.lead < 0 for deal in self.deals)

    @property
    def sign_test(self) -> float:
        """Return the two-sided probability of so uneven a count of won and lost deals between equals."""
        decided, fewer = self.won + self.lost, min(self.won, self.lost)
        tail = sum(math.comb(decided, wins) for wins in range(fewer + 1))
        return min(1.0, float(Fraction(2 * tail, 2**decided)))

    def document(self) -> dict[str, Any]:
        return {
            "deals": len(self.deals),
            "first": self.first,
            "second": self.second,
            "lead": {
                "mean": self.lead,
                "low": self.lead - self.reach,
                "high": self.lead + self.reach,
                "confidence": CONFIDENCE,
                "method": METHOD,
            },
            "won": self.won,
            "lost": self.lost,
            "sign_test": self.sign_test,
        }
