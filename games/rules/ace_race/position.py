"""The position of Ace Race: cards, turn, phase, and rule (RULEBOOK 5)."""

from __future__ import annotations

from typing import NamedTuple

from games.rules.cards import PACK, VALUE

SEATS = (2, 3, 4, 6)
JOKERS = (52, 53)
WORTH = (*(VALUE[card] if VALUE[card] > 1 else 0 for card in PACK), 0, 0)
"""A card's value 2 … 13; 0 for Aces and jokers."""
HIGHEST_BID = 6

BIDDING, NAMING, GIVEAWAY, PLAYING, OVER = range(5)
PHASES = ("bidding", "rule", "giveaway", "playing", "over")

NOBODY = NOTHING = -1
"""No seat; no card, no rule."""
HIGHER, LOWER = 1, 2
DIRECTIONS = (None, "higher", "lower")
STRICT, CHAINED = "strict", "chained"


class Config(NamedTuple):
    dealer: int
    previous_winner: int | None
    continuation: str


class State(NamedTuple):
    """The last card of a pile is its top."""

    config: Config
    seats: int
    """0 before the deal."""
    phase: int
    to_act: int
    hands: tuple[tuple[int, ...], ...]
    """By seat, each in order of arrival."""
    draw_pile: tuple[int, ...]
    discards: tuple[int, ...]
    rule: int
    """An index of `rules.RULES`, or NOTHING."""
    rule_maker: int
    direction: int
    """The direction of the next play under Above/Below: HIGHER, LOWER, or 0."""
    follow: int
    """The value that the next single card goes by: under Above/Below the base, under Multiples and Series what may be
    continued; 0 for none."""
    series: int
    """The lowest value of the previous play where that was a series of three; else 0."""
    drawn: int
    """The card that the seat to act has drawn this turn, or NOTHING."""
    reshuffles: int
    idle: int
    """Passes without a draw that followed one another since the last play."""
    bids: tuple[tuple[int, int], ...]
    """Seat and bid; NOTHING for a pass."""


def undealt(config: Config, seats: int) -> State:
    return State(
        config=config,
        seats=0,
        phase=BIDDING,
        to_act=NOBODY,
        hands=((),) * seats,
        draw_pile=(),
        discards=(),
        rule=NOTHING,
        rule_maker=NOBODY,
        direction=0,
        follow=0,
        series=0,
        drawn=NOTHING,
        reshuffles=0,
        idle=0,
        bids=(),
    )


def dealt(before: State, pack: tuple[int, ...]) -> State:
    """Singly, from the dealer's left clockwise: 8 cards each to six players, 12 to fewer."""
    seats = len(before.hands)
    first = (before.config.dealer + 1) % seats
    each = 8 if seats == 6 else 12
    from_the_top = pack[::-1]
    return before._replace(
        seats=seats,
        to_act=first,
        hands=tuple(from_the_top[(seat - first) % seats : each * seats : seats] for seat in range(seats)),
        draw_pile=pack[: len(pack) - each * seats],
    )


def opens_the_game(state: State) -> bool:
    """Return whether a giveaway is the previous winner's: no card has been played yet."""
    return not state.discards
