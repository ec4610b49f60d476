"""The effects of a move of Ace Race, without judging it (RULEBOOK 5)."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from games.rules.ace_race.actions import (
    ACE,
    BID,
    DECLINE,
    DRAW,
    NAME,
    ONE_GIFT,
    PLAYS,
    Gift,
    Play,
    gifts_of,
    highest_bid,
)
from games.rules.ace_race.position import (
    BIDDING,
    CHAINED,
    GIVEAWAY,
    HIGHER,
    HIGHEST_BID,
    LOWER,
    NAMING,
    NOBODY,
    NOTHING,
    OVER,
    PLAYING,
    WORTH,
    State,
    opens_the_game,
)
from games.rules.ace_race.rules import ABOVE_BELOW, MULTIPLES, SERIES, is_series

Shuffle = Callable[[tuple[int, ...], int], Sequence[int]]
"""Called with the cards, bottom to top, and the number of the reshuffle from 1."""


def bid(state: State, cards: int) -> State:
    """A bid, or NOTHING for a pass. With the one that ends the bidding its winner takes the cards."""
    bids = (*state.bids, (state.to_act, cards))
    highest = highest_bid(bids)
    waiting = state.seats - sum(said == NOTHING for _, said in bids)
    if highest == HIGHEST_BID or waiting == 0 or (waiting == 1 and highest != NOTHING):
        return _bidding_won(state._replace(bids=bids), highest)
    passed = [seat for seat, said in bids if said == NOTHING]
    next_seat = (state.to_act + 1) % state.seats
    while next_seat in passed:
        next_seat = (next_seat + 1) % state.seats
    return state._replace(bids=bids, to_act=next_seat)


def _bidding_won(state: State, highest: int) -> State:
    """If all pass, the seat left of the dealer wins with no card."""
    first = (state.config.dealer + 1) % state.seats
    winner = next((seat for seat, said in state.bids if said == highest != NOTHING), first)
    taken = max(highest, 0)
    pile = state.draw_pile
    hand = state.hands[winner] + pile[len(pile) - taken :][::-1]
    return state._replace(
        phase=NAMING,
        to_act=winner,
        hands=_with_hand(state.hands, winner, hand),
        draw_pile=pile[: len(pile) - taken],
    )


def name_rule(state: State, rule: int) -> State:
    """The bid winner's; before the first card comes what the previous winner may give away."""
    previous = state.config.previous_winner
    named = state._replace(rule=rule, rule_maker=state.to_act, phase=PLAYING)
    return named if previous is None else named._replace(phase=GIVEAWAY, to_act=previous)


def give(state: State, gifts: Sequence[Gift]) -> State:
    """An empty gift is a refusal to give. Giving away the last card wins."""
    giver, hands = state.to_act, state.hands
    for card, seat in gifts:
        hands = _with_hand(hands, giver, tuple([held for held in hands[giver] if held != card]))
        hands = _with_hand(hands, seat, (*hands[seat], card))
    if not hands[giver]:
        return state._replace(hands=hands, phase=OVER, to_act=NOBODY)
    to_act = state.rule_maker if opens_the_game(state) else (giver + 1) % state.seats
    return state._replace(hands=hands, phase=PLAYING, to_act=to_act)


def draw(state: State) -> State:
    config, seats, phase, seat, hands, pile, discards, rule, maker, direction, follow, series, *_ = state
    card = pile[-1]
    return State(
        config,
        seats,
        phase,
        seat,
        _with_hand(hands, seat, (*hands[seat], card)),
        pile[:-1],
        discards,
        rule,
        maker,
        direction,
        follow,
        series,
        card,
        state.reshuffles,
        state.idle,
        state.bids,
    )


def pass_turn(state: State) -> State:
    """After a draw, or for one where the pile is empty: as many of these as there are seats block the game."""
    config, seats, phase, seat, hands, pile, discards, rule, maker, direction, follow, series, *_ = state
    idle = state.idle + (state.drawn == NOTHING)
    seat = (seat + 1) % seats
    if idle == seats:
        phase, seat = OVER, NOBODY
    return State(
        config,
        seats,
        phase,
        seat,
        hands,
        pile,
        discards,
        rule,
        maker,
        direction,
        follow,
        series,
        NOTHING,
        state.reshuffles,
        idle,
        state.bids,
    )


def play(state: State, move: Play, shuffle: Shuffle) -> State:
    """`shuffle` is asked only by an Ace that does not win."""
    return _play_ace(state, move, shuffle) if move.rule != NOTHING else _play_cards(state, move)


def _play_ace(state: State, move: Play, shuffle: Shuffle) -> State:
    """Shuffle the discards under the Ace into the draw pile; its seat plays again. A winning Ace ends the game."""
    seat = state.to_act
    (ace,) = move.cards
    hand = tuple([card for card in state.hands[seat] if card != ace])
    hands = _with_hand(state.hands, seat, hand)
    if not hand:
        return state._replace(
            phase=OVER, to_act=NOBODY, hands=hands, discards=(*state.discards, ace), drawn=NOTHING
        )
    reshuffles = state.reshuffles + 1
    return State(
        state.config,
        state.seats,
        PLAYING,
        seat,
        hands,
        tuple(shuffle(state.draw_pile + state.discards, reshuffles)),
        move.cards,
        move.rule,
        seat,
        0,
        0,
        0,
        NOTHING,
        reshuffles,
        0,
        state.bids,
    )


def _play_cards(state: State, move: Play) -> State:
    config, seats, phase, seat, hands, pile, discards, rule, maker, direction, follow, series, *_ = state
    cards, joker, _, _ = move
    hand = tuple([card for card in hands[seat] if card not in cards and card != joker])
    discards += cards if joker == NOTHING else (joker, *cards)
    earned = joker == NOTHING and (
        _four_of_a_value(discards)
        or (series > 0 and is_series(cards) and series == min([WORTH[card] for card in cards]))
    )
    if not hand:
        phase, to_act = OVER, NOBODY
    elif earned:
        phase, to_act = GIVEAWAY, seat
    else:
        to_act = (seat + 1) % seats
    direction, follow, series = _goes_by(state, move)
    return State(
        config,
        seats,
        phase,
        to_act,
        _with_hand(hands, seat, hand),
        pile,
        discards,
        rule,
        maker,
        direction,
        follow,
        series,
        NOTHING,
        state.reshuffles,
        0,
        state.bids,
    )


def _goes_by(state: State, move: Play) -> tuple[int, int, int]:
    """Direction, value to follow and lowest value of a series, for the play after this one."""
    rule, cards = state.rule, move.cards
    value = WORTH[cards[-1]]
    if rule == ABOVE_BELOW:
        flipped = LOWER if state.direction == HIGHER else HIGHER
        return (flipped if state.follow else move.direction), value, 0
    if move.joker != NOTHING or rule not in (MULTIPLES, SERIES):
        return 0, 0, 0
    if len(cards) == 1:
        return 0, value if state.config.continuation == CHAINED else 0, 0
    return 0, value, min([WORTH[card] for card in cards]) if rule == SERIES else 0


def _four_of_a_value(discards: tuple[int, ...]) -> bool:
    top = [WORTH[card] for card in discards[-4:]]
    return len(top) == 4 and top[0] > 0 and top.count(top[0]) == 4


def _with_hand(
    hands: tuple[tuple[int, ...], ...], seat: int, hand: tuple[int, ...]
) -> tuple[tuple[int, ...], ...]:
    return (*hands[:seat], hand, *hands[seat + 1 :])


def after_action(state: State, action: int, rng: random.Random | None) -> State:
    """The state after the move of that number; `rng` shuffles. Raises ValueError for an Ace without one."""
    if action == DRAW:
        return draw(state)
    if ACE <= action < ONE_GIFT:
        return play(state, PLAYS[action], _by(rng))
    if action >= ONE_GIFT:
        return give(state, gifts_of(state, action))
    if action >= NAME:
        return name_rule(state, action - NAME)
    if action >= BID:
        return bid(state, action - BID)
    if action == DECLINE:
        return give(state, ())
    return bid(state, NOTHING) if state.phase == BIDDING else pass_turn(state)


def _by(rng: random.Random | None) -> Shuffle:
    def shuffled(cards: tuple[int, ...], number: int) -> list[int]:
        if rng is None:
            raise ValueError("an Ace shuffles: a source of chance is needed")
        return sorted(cards, key=lambda _: rng.random())

    return shuffled
