"""The moves of Ace Race as small integers, and all legal moves (RULEBOOK 5).

What is legal is looked up here, not judged move by move: search and playouts ask for nothing more often.
`legality.fault` says why one move may not be made; that both agree on every move is a property of the tests.

A move can be written in more than one way where order does not matter to it; here each stands once: the cards of a
multiple by suit C D H S, two gifts in the order of the giver's hand.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import combinations, product
from typing import NamedTuple

from games.rules.ace_race.position import (
    BIDDING,
    DIRECTIONS,
    GIVEAWAY,
    HIGHER,
    HIGHEST_BID,
    JOKERS,
    LOWER,
    NAMING,
    NOTHING,
    PLAYING,
    WORTH,
    State,
)
from games.rules.ace_race.rules import (
    ABOVE_BELOW,
    MULTIPLES,
    RULES,
    RULES_OF,
    SERIES,
    VALUED,
    goes_alone,
)
from games.rules.cards import SUIT, TEXT
from games.rules.protocol import Move

DRAW, PASS, DECLINE, BID = 0, 1, 2, 3
"""BID + number of cards."""
NAME = BID + HIGHEST_BID + 1
"""+ rule"""
ACE = 32
"""+ rule: the Ace that names it is played"""
SINGLE = 64
"""+ 192 × direction + 64 × joker (0 none, 1 X1, 2 X2) + card"""
MULTIPLE = SINGLE + 9 * 64
"""+ 16 × value + suits, one bit each"""
RUN = 1024
"""+ 128 × lowest value + 32 × its suit + 8 × the next's + 2 × the highest's + 1 where played downwards"""
ONE_GIFT = 4096
"""+ 8 × place of the card in the giver's hand + number of seats that the receiver sits further on"""
TWO_GIFTS = ONE_GIFT + 8 * 64
"""+ 4096 × the earlier card's place + 64 × the later's + 8 × and + 1 × how much further on they go"""
ACTIONS = TWO_GIFTS + 4096 * 64
"""Every action is below this."""


class Play(NamedTuple):
    cards: tuple[int, ...]
    joker: int = NOTHING
    rule: int = NOTHING
    """The rule that an Ace names."""
    direction: int = 0


Gift = tuple[int, int]
"""Card and seat."""

PLAYABLE = tuple(card for card in range(54) if WORTH[card])
_BY_VALUE = {value: tuple(card for card in PLAYABLE if WORTH[card] == value) for value in VALUED}


def _single(card: int, joker: int = 0, direction: int = 0) -> int:
    return SINGLE + 192 * direction + 64 * joker + card


def _plays() -> Iterator[tuple[int, Play]]:
    for index, rule in enumerate(RULES):
        yield ACE + index, Play((rule.ace,), rule=index)
    for card, joker, direction in product(PLAYABLE, range(3), (0, HIGHER, LOWER)):
        under = JOKERS[joker - 1] if joker else NOTHING
        yield _single(card, joker, direction), Play((card,), under, direction=direction)
    for value, suits in product(VALUED, range(16)):
        cards = tuple(card for card in _BY_VALUE[value] if suits >> SUIT[card] & 1)
        if len(cards) > 1:
            yield MULTIPLE + 16 * value + suits, Play(cards)
    for low, suits3 in product(range(2, 12), product(range(4), repeat=3)):
        cards = tuple(_BY_VALUE[low + step][suit] for step, suit in enumerate(suits3))
        action = RUN + 128 * low + 32 * suits3[0] + 8 * suits3[1] + 2 * suits3[2]
        yield action, Play(cards)
        yield action + 1, Play(cards[::-1])


PLAYS = dict(_plays())
"""By action: every play there is."""

_SUITS_IN = tuple(tuple(suit for suit in range(4) if suits >> suit & 1) for suits in range(16))
_MULTIPLES = tuple(
    tuple(
        tuple(
            MULTIPLE + 16 * value + chosen
            for chosen in range(16)
            if chosen & held == chosen and len(_SUITS_IN[chosen]) > 1 and value in VALUED
        )
        for held in range(16)
    )
    for value in range(14)
)
"""By value and the suits held."""
_MULTIPLES_WITH = tuple(
    tuple(
        tuple(action for action in _MULTIPLES[WORTH[card]][held] if card in PLAYS[action].cards)
        for held in range(16)
    )
    for card in range(54)
)
"""By a card that must be among them and the suits held of its value."""
_ACES = tuple(tuple(ACE + rule for rule in RULES_OF.get(card, ())) for card in range(54))


@cache
def _alone(rule: int, follow: int, direction: int) -> tuple[tuple[int, ...], ...]:
    """By card, its plays without another card."""
    ways = (HIGHER, LOWER) if rule == ABOVE_BELOW and not follow else (0,)
    return tuple(
        tuple(_single(card, direction=way) for way in ways)
        if goes_alone(rule, follow, direction, card)
        else _ACES[card]
        for card in range(54)
    )


def _on_joker(ways: tuple[int, ...]) -> tuple[tuple[tuple[int, ...], ...], ...]:
    return tuple(
        tuple(tuple(_single(card, joker, way) for way in ways) if WORTH[card] else () for card in range(54))
        for joker in (1, 2)
    )


_JOKER = (_on_joker((0,)), _on_joker((HIGHER, LOWER)))
"""By whether a direction must be named, joker and card: the plays of the two together."""
_SUIT_BIT = tuple(1 << SUIT[card] if WORTH[card] else 0 for card in range(54))


@cache
def _runs(low: int, lowest: int, middle: int, highest: int) -> tuple[int, ...]:
    """The series from a lowest value, by the suits held of each of its values."""
    held = product(_SUITS_IN[lowest], _SUITS_IN[middle], _SUITS_IN[highest])
    return tuple(
        RUN + 128 * low + 32 * a + 8 * b + 2 * c + downwards for a, b, c in held for downwards in (0, 1)
    )


@cache
def giveaways(cards: int, seats: int) -> tuple[int, ...]:
    """Return the possible gifts from a hand: none, one card, or two in the order of the hand."""
    to = range(1, seats)
    return (
        DECLINE,
        *(ONE_GIFT + 8 * place + further for place in range(cards) for further in to),
        *(
            _two_gifts(one, other, to_one, to_other)
            for one, other in combinations(range(cards), 2)
            for to_one in to
            for to_other in to
        ),
    )


def _two_gifts(one: int, other: int, to_one: int, to_other: int) -> int:
    return TWO_GIFTS + 4096 * one + 64 * other + 8 * to_one + to_other


def legal_actions(state: State) -> list[int] | tuple[int, ...]:
    """Every legal move of the seat to act, once."""
    phase = state.phase
    if phase == PLAYING:
        return _turn(state) if state.drawn == NOTHING else _after_draw(state)
    if phase == GIVEAWAY:
        return giveaways(len(state.hands[state.to_act]), state.seats)
    if phase == BIDDING:
        return (PASS, *range(BID + highest_bid(state.bids) + 1, BID + HIGHEST_BID + 1))
    return tuple(range(NAME, NAME + len(RULES))) if phase == NAMING else ()


def highest_bid(bids: tuple[tuple[int, int], ...]) -> int:
    """Return the highest bid, or -1 without a bid."""
    return max([cards for _, cards in bids], default=NOTHING)


def _turn(state: State) -> list[int]:
    hand, rule = state.hands[state.to_act], state.rule
    actions = [DRAW if state.draw_pile else PASS]
    alone = _alone(rule, state.follow, state.direction)
    for card in hand:
        actions += alone[card]
    if rule == MULTIPLES:
        held = _held(hand)
        for value in VALUED:
            actions += _MULTIPLES[value][held[value]]
    elif rule == SERIES:
        actions += _series(_held(hand))
    for joker, plays in zip(JOKERS, _JOKER[rule == ABOVE_BELOW and not state.follow], strict=True):
        if joker in hand:
            for card in hand:
                actions += plays[card]
    return actions


def _after_draw(state: State) -> list[int]:
    """Only what includes the drawn card, or a pass."""
    hand, rule, drawn = state.hands[state.to_act], state.rule, state.drawn
    actions = [PASS]
    on_joker = _JOKER[rule == ABOVE_BELOW and not state.follow]
    if drawn in JOKERS:
        for card in hand:
            actions += on_joker[drawn - JOKERS[0]][card]
        return actions
    actions += _alone(rule, state.follow, state.direction)[drawn]
    value = WORTH[drawn]
    if value and rule == MULTIPLES:
        actions += _MULTIPLES_WITH[drawn][_held(hand)[value]]
    elif value and rule == SERIES:
        held = _held(hand)
        held[value] = _SUIT_BIT[drawn]
        actions += _series([suits if abs(at - value) < 3 else 0 for at, suits in enumerate(held)])
    for joker, plays in zip(JOKERS, on_joker, strict=True):
        if joker in hand:
            actions += plays[drawn]
    return actions


def _held(hand: tuple[int, ...]) -> list[int]:
    """The suits held of each value, one bit each."""
    held = [0] * 14
    for card in hand:
        held[WORTH[card]] |= _SUIT_BIT[card]
    return held


def _series(held: list[int]) -> list[int]:
    actions: list[int] = []
    for low in range(2, 12):
        if held[low] and held[low + 1] and held[low + 2]:
            actions += _runs(low, held[low], held[low + 1], held[low + 2])
    return actions


def gifts_of(state: State, action: int) -> tuple[Gift, ...]:
    hand, seat, seats = state.hands[state.to_act], state.to_act, state.seats
    if action < TWO_GIFTS:
        place, further = divmod(action - ONE_GIFT, 8)
        return ((hand[place], (seat + further) % seats),)
    places, furthers = divmod(action - TWO_GIFTS, 64)
    one, other = divmod(places, 64)
    to_one, to_other = divmod(furthers, 8)
    return (hand[one], (seat + to_one) % seats), (hand[other], (seat + to_other) % seats)


def move_of(state: State, action: int) -> Move:
    if action >= ONE_GIFT:
        gifts = [{"card": TEXT[card], "to": seat} for card, seat in gifts_of(state, action)]
        return {"type": "give", "gifts": gifts}
    if action >= ACE:
        return _play_move(PLAYS[action])
    if action >= NAME:
        return {"type": "rule", "rule": RULES[action - NAME].document()}
    if action >= BID:
        return {"type": "bid", "cards": action - BID}
    return {"type": ("draw", "pass", "decline")[action]}


def _play_move(play: Play) -> Move:
    move: Move = {"type": "play", "cards": [TEXT[card] for card in play.cards]}
    if play.joker != NOTHING:
        move["joker"] = TEXT[play.joker]
    if play.rule != NOTHING:
        move["rule"] = RULES[play.rule].document()
    if play.direction:
        move["direction"] = DIRECTIONS[play.direction]
    return move
