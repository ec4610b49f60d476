"""A fast player of Ace Race, for games played out in the head: like the steady one, on cards as numbers."""

from __future__ import annotations

import random
from collections.abc import Sequence

from games.rules.ace_race.actions import (
    ACE,
    BID,
    NAME,
    ONE_GIFT,
    PASS,
    PLAYS,
    SINGLE,
    TWO_GIFTS,
    legal_actions,
)
from games.rules.ace_race.changes import after_action
from games.rules.ace_race.position import BIDDING, GIVEAWAY, JOKERS, NAMING, OVER, WORTH, State
from games.rules.ace_race.rules import (
    ABOVE_BELOW,
    ACES,
    MULTIPLES,
    RULES,
    SERIES,
    goes_alone,
)

LONGEST = 400
"""Moves after which a playout is judged in its present position."""
PLAYED_BY = tuple(
    frozenset(card for card in range(54) if goes_alone(rule, 0, 0, card)) for rule in range(len(RULES))
)
"""By rule: cards that can always be played alone."""

Hand = tuple[int, ...]


def played_out(state: State, rng: random.Random) -> State:
    for _ in range(LONGEST):
        if state.phase == OVER:
            break
        state = after_action(state, choose(state, rng), rng)
    return state


def choose(state: State, rng: random.Random) -> int:
    phase = state.phase
    hand = state.hands[state.to_act]
    if phase == NAMING:
        return NAME + best_rule(hand, range(len(RULES)))
    if phase == GIVEAWAY:
        return gift(state, hand)
    actions = legal_actions(state)
    if len(actions) == 1:
        return actions[0]
    return bid(actions, hand) if phase == BIDDING else turn(state, hand, actions, rng)


def bid(actions: Sequence[int], hand: Hand) -> int:
    """The right to begin, for nothing."""
    return BID if actions[1] == BID else PASS


def best_rule(hand: Hand, rules: Sequence[int]) -> int:
    return max(rules, key=lambda rule: promise(hand, rule))


def promise(hand: Hand, rule: int) -> float:
    """About how many cards go in three turns, and a little for those that go later."""
    if rule in (MULTIPLES, SERIES):
        counts = [0] * 14
        for card in hand:
            counts[WORTH[card]] += 1
        if rule == MULTIPLES:
            groups = sorted((count for count in counts[2:] if count > 1), reverse=True)
        else:
            groups = []
            for low in range(2, 12):
                while counts[low] and counts[low + 1] and counts[low + 2]:
                    for value in (low, low + 1, low + 2):
                        counts[value] -= 1
                    groups.append(3)
        return sum(groups[:3]) + 0.1 * sum(groups[3:])
    alone = PLAYED_BY[rule]
    fitting = len([card for card in hand if card in alone])
    if rule == ABOVE_BELOW:
        fitting = fitting * 2 // 3
    return fitting if fitting < 3 else 3 + 0.1 * (fitting - 3)


def gift(state: State, hand: Hand) -> int:
    """Return the two least useful cards, both for the other seat with the fewest cards."""
    places = sorted(least_useful(state, hand)[:2])
    seat, seats = state.to_act, state.seats
    further = min(range(1, seats), key=lambda step: len(state.hands[(seat + step) % seats]))
    if len(places) == 1:
        return ONE_GIFT + 8 * places[0] + further
    return TWO_GIFTS + 4096 * places[0] + 64 * places[1] + 9 * further


def least_useful(state: State, hand: Hand) -> list[int]:
    """The places of a hand's cards, those first that are of least use: Aces and jokers are of most."""
    alone = PLAYED_BY[state.rule]
    use = [
        9 if card in ACES else 8 if card in JOKERS else (card in alone) + 0.1 * WORTH[card] for card in hand
    ]
    return sorted(range(len(hand)), key=use.__getitem__)


def turn(state: State, hand: Hand, actions: Sequence[int], rng: random.Random) -> int:
    """Play as many cards as possible; a joker, then an Ace, only if nothing else can be played or it wins."""
    most = len(hand)
    best, best_value = actions[0], 0.0
    for action in actions:
        if action < ACE:
            continue
        play = PLAYS[action]
        if action < SINGLE:
            value = 0.1 + 0.1 * promise(hand, play.rule) if most > 1 else 9.0
        elif play.joker >= 0:
            value = 0.8 if most > 2 else 9.0
        else:
            value = 1.0 + len(play.cards)
            if len(play.cards) == most:
                value = 9.0
        value += 0.05 * rng.random()
        if value > best_value:
            best, best_value = action, value
    return best
