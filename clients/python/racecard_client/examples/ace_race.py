"""A bot for Ace Race: it plays as many cards as it can, and an Ace before it draws."""

from __future__ import annotations

from collections.abc import Sequence

from racecard_client.bot import Move, View

RANKS = {"high": "TJQK", "medium": "6789", "low": "2345", "prime": "2357JK"}


class AceRace:
    rules = ("ace-race",)

    def choose(self, view: View, legal: Sequence[Move]) -> Move:
        return max(legal, key=lambda move: value(view["hand"], move))


def value(hand: Sequence[str], move: Move) -> int:
    """The best move has the highest number. A card is a rank and a suit, such as 7H; the jokers are X1 and X2."""
    if move["type"] == "rule":
        return fitting(hand, move["rule"])
    if move["type"] == "give":
        return len(move["gifts"])
    if move["type"] != "play":
        return {"pass": 10, "draw": 20}.get(move["type"], 0)
    if "rule" in move:  # an Ace
        return 21 + fitting(hand, move["rule"])
    return 30 + 10 * len(move["cards"]) - 5 * ("joker" in move)


def fitting(hand: Sequence[str], rule: Move) -> int:
    """The number of cards that can be played under a rule that permits single cards."""
    if rule["name"] == "suits":
        return sum(card[1] == rule["suit"] and card[0] != "A" for card in hand)
    if rule["name"] == "above-below":
        return 1
    return sum(card[0] in RANKS.get(rule["name"], "") for card in hand)
