"""Racing Demons, steadily: what others could take first, then the demon, then the rest, then the stock.

Its games end. Each of its moves but a turn, `stuck`, `pass` and a move that bares a card for a foundation brings a card
nearer to the foundations: from demon or waste to the work piles, or up. Who bares a card for a foundation puts it up
next, unless somebody else has put one there. When it has gone through its stock and nothing came of it, it is stuck and
says so; and when all have said so, the stocks are burned, a few times at most.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from games.bots.protocol import Move, Sight

RANKS = "A23456789TJQK"

Wish = Callable[[Sight, Move], bool]


class Steady:
    """Greedy; it remembers only whether the last pass through its stock was in vain."""

    name = "steady"

    def choose(self, sight: Sight, rng: random.Random) -> Move:
        for wish in WISHES:
            if fitting := [move for move in sight.legal_moves if wish(sight, move)]:
                return rng.choice(fitting)
        return self._without_a_play(sight, rng)

    def waits(self, sight: Sight) -> bool:
        """A stuck seat is not stuck any more when somebody's move may have changed that."""
        return bool(sight.view["you"]["stuck"]) and not any(
            wish(sight, move) for wish in WISHES for move in sight.legal_moves
        )

    def _without_a_play(self, sight: Sight, rng: random.Random) -> Move:
        by_type = {move["type"]: move for move in sight.legal_moves}
        you = sight.view["you"]
        if "stuck" in by_type and ("turn" not in by_type or (not you["stock"] and pass_was_in_vain(sight))):
            return by_type["stuck"]
        waiting = by_type.get("turn") or by_type.get("pass")
        return waiting or rng.choice(sight.legal_moves)


def goes_up(move: Move) -> bool:
    return bool(move["type"] == "move" and move["to"].startswith("foundation:"))


def pile(sight: Sight, move: Move) -> Sequence[str]:
    """The work pile that a move takes from; nothing for other sources."""
    if move["type"] != "move" or not move["from"].startswith("work:"):
        return ()
    cards: Sequence[str] = sight.view["you"]["work"][int(move["from"][-1])]
    return cards


def empties_a_pile(sight: Sight, move: Move) -> bool:
    """Then the demon gives up a card."""
    cards = pile(sight, move)
    return bool(cards) and len(cards) == (1 if goes_up(move) else move.get("count", 1))


def uses_the_demon(sight: Sight, move: Move) -> bool:
    return move.get("from") == "demon" or empties_a_pile(sight, move)


def puts_up_the_demon(sight: Sight, move: Move) -> bool:
    return goes_up(move) and uses_the_demon(sight, move)


def puts_up_a_king(sight: Sight, move: Move) -> bool:
    return goes_up(move) and rank(moved_card(sight, move)) == len(RANKS) - 1


def puts_up_a_card(sight: Sight, move: Move) -> bool:
    return goes_up(move)


def plays_the_demon(sight: Sight, move: Move) -> bool:
    return uses_the_demon(sight, move)


def bares_a_card_for_a_foundation(sight: Sight, move: Move) -> bool:
    """A part of a run leaves a card that could go up at once."""
    cards = pile(sight, move)
    if not cards or goes_up(move) or empties_a_pile(sight, move):
        return False
    return cards[-move.get("count", 1) - 1][:2] in set(wanted_cards(sight))


def plays_the_waste(sight: Sight, move: Move) -> bool:
    return move.get("from") == "waste"


WISHES: Sequence[Wish] = (
    puts_up_the_demon,
    puts_up_a_king,
    puts_up_a_card,
    plays_the_demon,
    bares_a_card_for_a_foundation,
    plays_the_waste,
)
"""What it looks for, the best first; foundations before all, since nobody else can play on its work piles."""


def rank(card: str) -> int:
    return RANKS.index(card[0])


def moved_card(sight: Sight, move: Move) -> str:
    """The card of a move to a foundation."""
    you = sight.view["you"]
    if move["from"] == "demon":
        card: str = you["demon_top"]
    elif move["from"] == "waste":
        card = you["waste"][-1]
    else:
        card = pile(sight, move)[-1]
    return card


def wanted_cards(sight: Sight) -> Iterator[str]:
    """Rank and suit of what goes on the foundations, whosever card it is."""
    yield from ("AC", "AD", "AH", "AS")
    for foundation in sight.view["foundations"]:
        if len(foundation["cards"]) < len(RANKS):
            yield RANKS[len(foundation["cards"])] + foundation["suit"]


def pass_was_in_vain(sight: Sight) -> bool:
    """Whether nothing has changed for this seat since it began to go through its stock."""
    for event in reversed(sight.history()):
        facts: Mapping[str, Any] = event["data"].get("facts", {})
        if event["type"] == "dealt" or {"burned": True} in facts.get("settled", ()):
            return True
        if event["type"] == "turn" and event["seat"] == sight.seat and "flipped" in facts:
            return True
        if event["type"] == "move" and (event["seat"] == sight.seat or goes_up(event["data"]["move"])):
            return False
    return True
