"""Why a move of Ace Race is illegal (RULEBOOK 5). `actions` lists the legal moves.

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
from games.rules.protocol import Move
from games.rules.refusals import Fault, because

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
    """Return why a well-formed move of the seat to act is illegal, or None."""
    judge = _JUDGES.get((state.phase, move["type"]))
    if judge is not None:
        return judge(state, move)
    if "direction" in move:
        return "malformed-move", Law.DIRECTION, because("direction-not-due")
    return "rule-forbids", _PHASE_LAWS[state.phase], because("no-move-of-phase", move=move["type"])


def _bid_fault(state: State, move: Move) -> Fault | None:
    wanted: int = move["cards"]
    highest = highest_bid(state.bids)
    if wanted > HIGHEST_BID:
        return "bid-too-high", Law.BIDDING, because("highest-bid", bid=HIGHEST_BID)
    if wanted < 0:
        return "bid-too-low", Law.BIDDING, because("lowest-bid")
    if wanted <= highest:
        return "bid-too-low", Law.BIDDING, because("last-bid", bid=highest)
    return None


def _draw_fault(state: State, move: Move) -> Fault | None:
    if state.drawn != NOTHING:
        return "rule-forbids", Law.TURN, because("drawn-already", card=TEXT[state.drawn])
    return None if state.draw_pile else ("pile-empty", Law.EMPTY_PILE, because("draw-pile-empty"))


def _pass_fault(state: State, move: Move) -> Fault | None:
    if state.drawn == NOTHING and state.draw_pile:
        return "must-draw-first", Law.TURN, because("draw-pile-left", count=len(state.draw_pile))
    return None


def _give_fault(state: State, move: Move) -> Fault | None:
    gifts = move["gifts"]
    if missing := _missing(state, cards(gift["card"] for gift in gifts)):
        return missing
    if any(gift["to"] == state.to_act for gift in gifts):
        return "rule-forbids", Law.GIVEAWAY, because("gift-to-itself")
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
        return "malformed-move", Law.DIRECTION, because("direction-missing")
    if "direction" in move and not wanted:
        return "malformed-move", Law.DIRECTION, because("direction-not-due")
    return None


def _cards_fault(state: State, move: Move) -> Fault | None:
    """Return the fault of the cards, whatever they are played on."""
    named = cards(move["cards"])
    joker = move.get("joker")
    moved = named if joker is None else (*named, CARD[joker])
    if missing := _missing(state, moved):
        return missing
    if any(card in JOKERS for card in named):
        return "rule-forbids", Law.JOKER, because("joker-among-cards")
    if state.drawn != NOTHING and state.drawn not in moved:
        return "rule-forbids", Law.TURN, because("drawn-left-out", card=TEXT[state.drawn])
    if joker is not None and (len(named) != 1 or named[0] in ACES):
        return "rule-forbids", Law.JOKER, because("joker-with", joker=joker, cards=" ".join(move["cards"]))
    if "rule" in move and len(named) != 1:
        return "rule-forbids", Law.ACE, because("cards-together", count=len(named))
    return None


def _missing(state: State, moved: tuple[int, ...]) -> Fault | None:
    hand = list(state.hands[state.to_act])
    for card in moved:
        if card not in hand:
            return "no-such-card", Law.HAND, because("not-in-hand", card=TEXT[card])
        hand.remove(card)
    return None


def _target_fault(state: State, played: tuple[int, ...], move: Move) -> Fault | None:
    """Return the fault of playable cards under the rule in force."""
    if "rule" in move:
        rule = RULES[rule_of(move["rule"])]
        if rule.ace == played[0]:
            return None
        law = Law.SPADES if ACES[3] in (rule.ace, played[0]) else Law.ACE
        return "rule-forbids", law, because("names-other-rule", card=TEXT[played[0]], rule=rule.name)
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
        return "wrong-suit", Law.SUITS, because("suit-of-rule", suit=str(RULES[rule].suit), card=TEXT[card])
    if rule in (MULTIPLES, SERIES) and not follow:
        return "rule-forbids", law, because("nothing-to-continue")
    if rule == ABOVE_BELOW:
        wrong = f"not-{DIRECTIONS[state.direction]}"
        return "wrong-rank", law, because(wrong, card=TEXT[card], value=follow)
    if follow:
        return "wrong-rank", law, because("does-not-continue", card=TEXT[card], value=follow)
    return "wrong-rank", law, because("has-value", card=TEXT[card], value=WORTH[card])


def _group_fault(state: State, played: tuple[int, ...]) -> Fault | None:
    if state.rule == MULTIPLES:
        if is_multiple(played):
            return None
        return "wrong-rank", Law.MULTIPLES, because("not-one-value")
    if state.rule == SERIES and len(played) == 3:
        if is_series(played):
            return None
        return "wrong-rank", Law.SERIES, because("not-consecutive")
    law = _LAWS.get(state.rule, Law.SUITS)
    return "rule-forbids", law, because("cards-together", count=len(played))


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
