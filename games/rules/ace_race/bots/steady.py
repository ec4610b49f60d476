"""The steady bot of Ace Race: many cards at once, Aces and jokers last, gifts to the seat nearest the end.

Its games end. Between two Aces that do not win, 2 × draw pile + all hands starts at 108 at most and every draw and play
makes it smaller; to a draw belongs one pass, to a play one giveaway, and once the pile is empty, with 54 cards in hand
at most, fewer than six passes lie between two plays: 546 moves. When ACES_TO_PLAY have been played in a game it plays
no more of them, but to win. So where all seats play steadily a game has fewer than 9,400 moves, and the cap of moves is
never met.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from games.bots.protocol import Move, Observation

ACES_TO_PLAY = 16

VALUES = {rank: number for number, rank in enumerate("23456789TJQK", start=2)}
SPREAD = {"high": range(10, 14), "medium": range(6, 10), "low": range(2, 6), "prime": (2, 3, 5, 7, 11, 13)}
TURNS_AHEAD = 3
"""Own turns by which a rule is judged."""

Hand = Sequence[str]


class Steady:
    name = "steady"

    def choose(self, observation: Observation, rng: random.Random) -> Move:
        choices = {"bidding": bid, "rule": name_rule, "giveaway": give, "playing": play}
        return best(observation.legal_moves, choices[observation.view["phase"]](observation), rng)


Judgement = Callable[[Move], tuple[float, ...]]


def best(moves: Sequence[Move], judge: Judgement, rng: random.Random) -> Move:
    """Among moves that are judged alike chance decides."""
    judged = [(judge(move), move) for move in moves]
    highest = max(judgement for judgement, _ in judged)
    return rng.choice([move for judgement, move in judged if judgement == highest])


# --- bidding and the first rule -------------------------------------------------------------------


def bid(observation: Observation) -> Judgement:
    """The right to begin is taken for nothing; a card or two are paid for it with a hand that one rule empties fast."""
    hand = observation.view["hand"]
    worth = max(promise(hand, rule) for rule in every_rule()) - len(hand) / 2
    limit = 0 if worth < 0 else 1 if worth < 2 else 2

    def judge(move: Move) -> tuple[float, ...]:
        if move["type"] == "pass":
            return (0.0,)
        return (1.0, -move["cards"]) if move["cards"] <= limit else (-1.0,)

    return judge


def name_rule(observation: Observation) -> Judgement:
    hand = observation.view["hand"]
    return lambda move: (promise(hand, move["rule"]),)


def every_rule() -> list[Mapping[str, Any]]:
    named = [{"name": name} for name in (*SPREAD, "multiples", "series", "above-below")]
    return [*named, *({"name": "suits", "suit": suit} for suit in "CDHS")]


def promise(hand: Hand, rule: Mapping[str, Any]) -> float:
    """About how many cards of the hand go in the next few turns under a rule, and a little for those after."""
    plays = sorted(plays_under(hand, rule), reverse=True)
    return sum(plays[:TURNS_AHEAD]) + 0.1 * sum(plays[TURNS_AHEAD:])


def plays_under(hand: Hand, rule: Mapping[str, Any]) -> list[int]:
    """Return the number of cards of each play that a hand has under a rule."""
    name = rule["name"]
    if name == "suits":
        return [1 for card in hand if card[1] == rule["suit"] and value(card)]
    if name in SPREAD:
        return [1 for card in hand if value(card) in SPREAD[name]]
    values = [value(card) for card in hand if value(card)]
    if name == "multiples":
        return [count for count in Counter(values).values() if count > 1]
    if name == "series":
        return [3] * runs(values)
    return [1] * (len(values) * 2 // 3)


def runs(values: Sequence[int]) -> int:
    """Return how many series of three can be taken from the values, from the lowest."""
    left, found = [0] * 14, 0
    for one in values:
        left[one] += 1
    for low in range(2, 12):
        if taken := min(left[low], left[low + 1], left[low + 2]):
            left[low + 1] -= taken
            left[low + 2] -= taken
            found += taken
    return found


# --- gifts ----------------------------------------------------------------------------------------


def give(observation: Observation) -> Judgement:
    """Give as many of the least useful cards as allowed, to the shortest hands."""
    view = observation.view
    use = usefulness(view["hand"], view["rule"])

    def judge(move: Move) -> tuple[float, ...]:
        gifts = move.get("gifts", [])
        receivers = -sum(view["hands"][gift["to"]] for gift in gifts)
        return len(gifts), -sum(use[gift["card"]] for gift in gifts), receivers

    return judge


def usefulness(hand: Hand, rule: Mapping[str, Any] | None) -> dict[str, float]:
    """Return the usefulness of each card: Aces and jokers most, then cards under the rule in force and cards with
    equals.
    """
    use: dict[str, float] = {}
    whole = sum(plays_under(hand, rule)) if rule else 0
    without: dict[tuple[int, int, str], int] = {}
    """What goes without a card: only its value and how many there are of it matter, and its suit where suits do."""
    for card in hand:
        if card in use:
            continue
        if card[0] in "AX":
            use[card] = 9.0 if card[0] == "A" else 6.0
            continue
        others = [held for held in hand if held != card]
        gone = 0
        if rule:
            alike = (value(card), len(hand) - len(others), card[1] if rule["name"] == "suits" else "")
            if alike not in without:
                without[alike] = sum(plays_under(others, rule))
            gone = whole - without[alike]
        use[card] = gone + 0.5 * sum(value(held) == value(card) for held in others)
    return use


# --- a turn ---------------------------------------------------------------------------------------


def play(observation: Observation) -> Judgement:
    """Win; else play by the rule in force; else a joker with a card; else an Ace that a play can follow; else draw."""
    view = observation.view
    hand: Hand = view["hand"]
    ace_may = (
        any("rule" in move for move in observation.legal_moves) and aces_played(observation) < ACES_TO_PLAY
    )

    def judge(move: Move) -> tuple[float, ...]:
        if move["type"] != "play":
            return (0.0,)
        left = rest(hand, move)
        if not left:
            return (9.0,)
        if "rule" in move:
            return judge_ace(left, move["rule"]) if ace_may else (-1.0,)
        use = usefulness(left, view["rule"])
        kept = sum(use[card] for card in left) / len(left)
        tight = -room_after(move)
        if "joker" in move:
            return (2.0, tight, kept)
        return (3.0, float(len(move["cards"])), tight, kept)

    return judge


def judge_ace(left: Hand, rule: Mapping[str, Any]) -> tuple[float, ...]:
    """First of all where the rest of the hand can follow at once."""
    if can_follow(left, rule):
        return (8.0,)
    plays = plays_under(left, rule)
    return (1.0, promise(left, rule)) if plays else (-1.0,)


def can_follow(left: Hand, rule: Mapping[str, Any]) -> bool:
    """Return whether the rest of a hand can be played in one turn after the Ace that names the rule."""
    aces = sum(card[0] == "A" for card in left)
    if aces:
        return len(left) - aces <= 1
    if len(left) == 2 and any(card[0] == "X" for card in left):
        return any(value(card) for card in left)
    if len(left) == 1 and rule["name"] == "above-below":
        return bool(value(left[0]))
    return plays_under(left, rule) == [len(left)]


def room_after(move: Move) -> float:
    """Return how many values may follow the first card under Above/Below; 0 if no direction is named."""
    if "direction" not in move:
        return 0.0
    named = value(move["cards"][0])
    return float(13 - named if move["direction"] == "higher" else named - 2)


def rest(hand: Hand, move: Move) -> list[str]:
    return [card for card in hand if card not in move["cards"] and card != move.get("joker")]


def aces_played(observation: Observation) -> int:
    return sum(event["type"] == "play" and "rule" in event["data"]["move"] for event in observation.history())


def value(card: str) -> int:
    """2 … 13; 0 for Aces and jokers."""
    return VALUES.get(card[0], 0)
