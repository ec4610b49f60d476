"""Why a move of Ace Race may not be made (RULEBOOK 5). `actions` lists the moves that may.

A refusal speaks only of what the seat to act may know: its own hand, and what lies open.
"""

from __future__ import annotations

from collections.abc import Callable

from games.rules.ace_race.actions import highest_bid
from games.rules.ace_race.forms import rule_of
from games.rules.ace_race.position import (
    BIDDING,
    DIRECTIONS,
    GIVEAWAY,
    HIGHEST_BID,
    JOKERS,
    NAMING,
    NOTHING,
    PLAYING,
    WORTH,
    State,
)
from games.rules.ace_race.rules import (
    ABOVE_BELOW,
    ACES,
    HIGH,
    LOW,
    MEDIUM,
    MULTIPLES,
    PRIME,
    RULES,
    SERIES,
    goes_alone,
    is_multiple,
    is_series,
)
from games.rules.ace_race.rulings import Law
from games.rules.cards import CARD, TEXT, cards
from games.rules.protocol import Move, Ruling

Fault = tuple[str, Ruling, str | None]
"""Code, the rule that forbids, the fact."""

_LAWS = {
    MULTIPLES: Law.MULTIPLES,
    SERIES: Law.SERIES,
    HIGH: Law.HIGH,
    MEDIUM: Law.MEDIUM,
    LOW: Law.LOW,
    PRIME: Law.PRIME,
    ABOVE_BELOW: Law.ABOVE_BELOW,
}
"""The rest are Suits."""


def fault(state: State, move: Move) -> Fault | None:
    """Why a well-formed move of the seat to act may not be made now; None when it may."""
    judge = _JUDGES.get((state.phase, move["type"]))
    if judge is not None:
        return judge(state, move)
    if "direction" in move:
        return "malformed-move", Law.DIRECTION, "no first play under above-below is due"
    return "rule-forbids", _PHASE_LAWS[state.phase], f"`{move['type']}` is no move of this phase"


def _bid_fault(state: State, move: Move) -> Fault | None:
    wanted: int = move["cards"]
    highest = highest_bid(state.bids)
    if wanted > HIGHEST_BID:
        return "bid-too-high", Law.BIDDING, f"the highest bid is {HIGHEST_BID}"
    if wanted < 0:
        return "bid-too-low", Law.BIDDING, "the lowest bid is 0"
    if wanted <= highest:
        return "bid-too-low", Law.BIDDING, f"the last bid is {highest}"
    return None


def _draw_fault(state: State, move: Move) -> Fault | None:
    if state.drawn != NOTHING:
        return "rule-forbids", Law.TURN, f"{TEXT[state.drawn]} has been drawn"
    return None if state.draw_pile else ("pile-empty", Law.EMPTY_PILE, "the draw pile is empty")


def _pass_fault(state: State, move: Move) -> Fault | None:
    if state.drawn == NOTHING and state.draw_pile:
        return "must-draw-first", Law.TURN, f"{len(state.draw_pile)} cards are left in the draw pile"
    return None


def _give_fault(state: State, move: Move) -> Fault | None:
    gifts = move["gifts"]
    if missing := _missing(state, cards(gift["card"] for gift in gifts)):
        return missing
    if any(gift["to"] == state.to_act for gift in gifts):
        return "rule-forbids", Law.GIVEAWAY, "a gift goes to another seat"
    return None


def _play_fault(state: State, move: Move) -> Fault | None:
    return (
        _direction_fault(state, move)
        or _cards_fault(state, move)
        or _target_fault(state, cards(move["cards"]), move)
    )


def _direction_fault(state: State, move: Move) -> Fault | None:
    wanted = state.rule == ABOVE_BELOW and not state.follow and "rule" not in move
    if wanted and "direction" not in move:
        return (
            "malformed-move",
            Law.DIRECTION,
            "`direction` is missing: this is the first play under above-below",
        )
    if "direction" in move and not wanted:
        return "malformed-move", Law.DIRECTION, "no first play under above-below is due"
    return None


def _cards_fault(state: State, move: Move) -> Fault | None:
    """What is wrong with the cards, whatever they are played on."""
    named = cards(move["cards"])
    joker = move.get("joker")
    moved = named if joker is None else (*named, CARD[joker])
    if missing := _missing(state, moved):
        return missing
    if any(card in JOKERS for card in named):
        return "rule-forbids", Law.JOKER, "a joker stands in `joker`, with a card 2…K in `cards`"
    if state.drawn != NOTHING and state.drawn not in moved:
        return "rule-forbids", Law.TURN, f"{TEXT[state.drawn]} has been drawn and is not among the cards"
    if joker is not None and (len(named) != 1 or named[0] in ACES):
        return (
            "rule-forbids",
            Law.JOKER,
            f"{joker} goes with one card 2…K, not with {' '.join(move['cards'])}",
        )
    if "rule" in move and len(named) != 1:
        return "rule-forbids", Law.ACE, f"{len(named)} cards are played together"
    return None


def _missing(state: State, moved: tuple[int, ...]) -> Fault | None:
    hand = list(state.hands[state.to_act])
    for card in moved:
        if card not in hand:
            return "no-such-card", Law.HAND, f"{TEXT[card]} is not in the hand, or named twice"
        hand.remove(card)
    return None


def _target_fault(state: State, played: tuple[int, ...], move: Move) -> Fault | None:
    """What is wrong with cards that could be played, under the rule in force."""
    if "rule" in move:
        rule = RULES[rule_of(move["rule"])]
        if rule.ace == played[0]:
            return None
        law = Law.SPADES if ACES[3] in (rule.ace, played[0]) else Law.ACE
        return "rule-forbids", law, f"{TEXT[played[0]]} does not name {rule.name}"
    if "joker" in move:
        return None
    if len(played) == 1:
        return _single_fault(state, played[0])
    return _group_fault(state, played)


def _single_fault(state: State, card: int) -> Fault | None:
    rule, follow = state.rule, state.follow
    if goes_alone(rule, follow, state.direction, card):
        return None
    law = _LAWS.get(rule, Law.SUITS)
    if law is Law.SUITS:
        return "wrong-suit", Law.SUITS, f"the suit is {RULES[rule].suit}, the card is {TEXT[card]}"
    if rule in (MULTIPLES, SERIES) and not follow:
        return "rule-forbids", law, "nothing that one card could continue was played"
    if rule == ABOVE_BELOW:
        return "wrong-rank", law, f"{TEXT[card]} is not {DIRECTIONS[state.direction]} than the value {follow}"
    if follow:
        return "wrong-rank", law, f"{TEXT[card]} does not continue the value {follow}"
    return "wrong-rank", law, f"{TEXT[card]} has the value {WORTH[card]}"


def _group_fault(state: State, played: tuple[int, ...]) -> Fault | None:
    if state.rule == MULTIPLES:
        if is_multiple(played):
            return None
        return "wrong-rank", Law.MULTIPLES, "the cards are not of one value"
    if state.rule == SERIES and len(played) == 3:
        if is_series(played):
            return None
        return "wrong-rank", Law.SERIES, "the values do not follow one another as listed"
    law = _LAWS.get(state.rule, Law.SUITS)
    return "rule-forbids", law, f"{len(played)} cards are played together"


def _no_fault(state: State, move: Move) -> None:
    return None


_JUDGES: dict[tuple[int, str], Callable[[State, Move], Fault | None]] = {
    (BIDDING, "bid"): _bid_fault,
    (BIDDING, "pass"): _no_fault,
    (NAMING, "rule"): _no_fault,
    (GIVEAWAY, "give"): _give_fault,
    (GIVEAWAY, "decline"): _no_fault,
    (PLAYING, "play"): _play_fault,
    (PLAYING, "draw"): _draw_fault,
    (PLAYING, "pass"): _pass_fault,
}
_PHASE_LAWS = {BIDDING: Law.BIDDING, NAMING: Law.FIRST_RULE, GIVEAWAY: Law.GIVEAWAY, PLAYING: Law.PHASE}
