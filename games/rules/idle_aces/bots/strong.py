"""The strong bot of Idle Aces: builds or waits, whichever leaves fewer cards in games played out.

Before the first redeal the order of the stock is unknown: worlds are dealt from the cards not yet seen. After a redeal
the whole order has been seen, and the one world is the true one; there each choice of the game played out is itself
tried both ways. Whatever it chooses is what `Steady` might, so its games end for the same reason.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

from games.bots.protocol import Move, Observation, Searching
from games.bots.search import best_action
from games.rules.idle_aces.bots.playout import (
    Position,
    after_building,
    after_waiting,
    cards_left,
    cards_left_with_care,
    is_open,
    waits_by_habit,
)
from games.rules.idle_aces.bots.steady import Steady, chosen, on_the_table, value

DOUBT = 0.0
OF_EACH = 8
WIN = 10
"""The value of a win in addition to the built cards, in cards."""

REMEMBERED = 64
"""Answers that a process caches."""

BUILD, WAIT = 0, 1


class Seen(NamedTuple):
    """The values that the events have shown, last card next."""

    waste: list[int]
    stock: list[int] | None
    """None as long as no card has been through the waste."""


@dataclass(frozen=True)
class Strong(Searching):
    """Chooses the same move for the same observation, so that a hint does not change."""

    name = "strong"
    playouts: int = 64

    def choose(self, observation: Observation, rng: random.Random) -> Move:
        table, seen = on_the_table(observation.view), what_was_seen(observation.history())
        if len(seen.waste) != len(table.waste):
            return Steady().choose(observation, rng)  # without the events there is nothing to search
        position = table._replace(waste=seen.waste)
        if seen.stock is not None or not table.stock:
            return chosen(observation, position._replace(stock=seen.stock or []), waiting_is_better_for_sure)
        return chosen(observation, position, self._waiting_is_better)

    def _waiting_is_better(self, position: Position) -> bool:
        """Estimate with an unknown order of the stock."""
        return is_open(position) and waiting_is_likely_better(frozen(position), self.playouts)


Frozen = tuple[tuple[int, ...], int, tuple[int, ...], tuple[int, ...], int]


def frozen(position: Position) -> Frozen:
    built, pairs, waste, stock, redeals_left = position
    return tuple(built), pairs, tuple(waste), tuple(stock), redeals_left


def thawed(position: Frozen) -> Position:
    built, pairs, waste, stock, redeals_left = position
    return Position([*built], pairs, [*waste], [*stock], redeals_left)


@lru_cache(REMEMBERED)
def waiting_is_likely_better(known: Frozen, playouts: int) -> bool:
    """Remembered, since a card on its way to its place comes back to the same question at every step."""
    position = thawed(known)
    unseen = [
        card
        for card in range(1, 14)
        for _ in range(OF_EACH - position.built[card] - position.waste.count(card))
    ]
    rng = random.Random(repr(known))  # noqa: S311 - sampled worlds, no deal
    first, other = (WAIT, BUILD) if waits_by_habit(position) else (BUILD, WAIT)
    best = best_action(
        [first, other],
        world=lambda: position._replace(stock=rng.sample(unseen, len(unseen))),
        value=worth,
        playouts=playouts,
        doubt=DOUBT,
    )
    return best == WAIT


def worth(position: Position, action: int) -> float:
    left = cards_left(after_building(position) if action == BUILD else after_waiting(position))
    return -left if left else WIN


def waiting_is_better_for_sure(position: Position) -> bool:
    """Decide with every card known."""
    return is_open(position) and _for_sure(frozen(position))


@lru_cache(REMEMBERED)
def _for_sure(known: Frozen) -> bool:
    position = thawed(known)
    building = cards_left_with_care(after_building(position))
    waiting = cards_left_with_care(after_waiting(position))
    return waits_by_habit(position) if building == waiting else waiting < building


def what_was_seen(events: Sequence[Mapping[str, Any]]) -> Seen:
    waste: list[int] = []
    stock: list[int] | None = None
    for event in events:
        kind = event["type"]
        if kind == "draw":
            waste.append(value(event["data"]["facts"]["card"]))
            if stock is not None:
                stock.pop()
        elif kind == "redeal":
            stock, waste = waste[::-1], []
        elif kind == "play" and event["data"]["move"]["from"] == "waste":
            waste.pop()
    return Seen(waste, stock)
