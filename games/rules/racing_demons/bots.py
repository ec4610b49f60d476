"""The steady bot of Racing Demons: contested cards, then the demon, then the rest, then the stock.

Its games end. Each of its moves but a turn, `stuck`, `pass` and a move that bares a card for a foundation brings a card
nearer to the foundations: from demon or waste to the work piles, or up. A seat that bares a card for a foundation plays
it there next, unless another seat has played one. After a pass through its stock without a play it declares itself
stuck; when all seats have, the stocks are burned, a few times at most.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from games.bots.protocol import Move, Observation

RANKS = "A23456789TJQK"

Preference = Callable[[Observation, Move], bool]


class Steady:
    """Greedy; it remembers only whether the last pass through its stock led to a play."""

    name = "steady"

    def choose(self, observation: Observation, rng: random.Random) -> Move:
        for preference in PREFERENCES:
            if fitting := [move for move in observation.legal_moves if preference(observation, move)]:
                return rng.choice(fitting)
        return self._without_a_play(observation, rng)

    def waits(self, observation: Observation) -> bool:
        """A stuck seat may have a move again after another seat's move."""
        return bool(observation.view["you"]["stuck"]) and not any(
            preference(observation, move) for preference in PREFERENCES for move in observation.legal_moves
        )

    def _without_a_play(self, observation: Observation, rng: random.Random) -> Move:
        by_type = {move["type"]: move for move in observation.legal_moves}
        you = observation.view["you"]
        if "stuck" in by_type and (
            "turn" not in by_type or (not you["stock"] and pass_changed_nothing(observation))
        ):
            return by_type["stuck"]
        waiting = by_type.get("turn") or by_type.get("pass")
        return waiting or rng.choice(observation.legal_moves)


def goes_up(move: Move) -> bool:
    return bool(move["type"] == "move" and move["to"].startswith("foundation:"))


def pile(observation: Observation, move: Move) -> Sequence[str]:
    """The work pile that a move takes from; nothing for other sources."""
    if move["type"] != "move" or not move["from"].startswith("work:"):
        return ()
    cards: Sequence[str] = observation.view["you"]["work"][int(move["from"][-1])]
    return cards


def empties_a_pile(observation: Observation, move: Move) -> bool:
    """Return whether the demon then plays a card to the empty pile."""
    cards = pile(observation, move)
    return bool(cards) and len(cards) == (1 if goes_up(move) else move.get("count", 1))


def uses_the_demon(observation: Observation, move: Move) -> bool:
    return move.get("from") == "demon" or empties_a_pile(observation, move)


def puts_up_the_demon(observation: Observation, move: Move) -> bool:
    return goes_up(move) and uses_the_demon(observation, move)


def puts_up_a_king(observation: Observation, move: Move) -> bool:
    return goes_up(move) and rank(moved_card(observation, move)) == len(RANKS) - 1


def puts_up_a_card(observation: Observation, move: Move) -> bool:
    return goes_up(move)


def plays_the_demon(observation: Observation, move: Move) -> bool:
    return uses_the_demon(observation, move)


def bares_a_card_for_a_foundation(observation: Observation, move: Move) -> bool:
    """A part of a run leaves a card that could go up at once."""
    cards = pile(observation, move)
    if not cards or goes_up(move) or empties_a_pile(observation, move):
        return False
    return cards[-move.get("count", 1) - 1][:2] in set(wanted_cards(observation))


def plays_the_waste(observation: Observation, move: Move) -> bool:
    return move.get("from") == "waste"


PREFERENCES: Sequence[Preference] = (
    puts_up_the_demon,
    puts_up_a_king,
    puts_up_a_card,
    plays_the_demon,
    bares_a_card_for_a_foundation,
    plays_the_waste,
)
"""Preferences, best first; foundations come first, since other seats cannot use its work piles."""


def rank(card: str) -> int:
    return RANKS.index(card[0])


def moved_card(observation: Observation, move: Move) -> str:
    """The card of a move to a foundation."""
    you = observation.view["you"]
    if move["from"] == "demon":
        card: str = you["demon_top"]
    elif move["from"] == "waste":
        card = you["waste"][-1]
    else:
        card = pile(observation, move)[-1]
    return card


def wanted_cards(observation: Observation) -> Iterator[str]:
    """Return rank and suit of the cards that foundations accept, of any owner."""
    yield from ("AC", "AD", "AH", "AS")
    for foundation in observation.view["foundations"]:
        if len(foundation["cards"]) < len(RANKS):
            yield RANKS[len(foundation["cards"])] + foundation["suit"]


def pass_changed_nothing(observation: Observation) -> bool:
    """Return whether nothing has changed for this seat since it began the pass through its stock."""
    for event in reversed(observation.history()):
        facts: Mapping[str, Any] = event["data"].get("facts", {})
        if event["type"] == "dealt" or {"burned": True} in facts.get("settled", ()):
            return True
        if event["type"] == "turn" and event["seat"] == observation.seat and "flipped" in facts:
            return True
        if event["type"] == "move" and (event["seat"] == observation.seat or goes_up(event["data"]["move"])):
            return False
    return True
