"""Exact chances in a race of Racing Aces at any moment, as fractions over the unseen cards (RULEBOOK 2 (4)).

Burned cards are unseen too and never come: the stock is as likely any cards of the unseen ones, in any order. So the
chance that after t more cards a suit has given exactly a of its u unseen ones, and so on for each suit, is
C(u, a) × … / C(all, t). Nobody has won by then if every suit still falls short of the line, and a suit wins with the
next card if it is one short and the card is its own. The cards of one draw are placed one by one and the row completed
first wins, so `cards_per_draw` says when the race stops and not who wins it.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from math import comb, factorial

from games.rules.cards import SUITS
from games.rules.manifest import Odds
from games.rules.racing_aces.game import STOCK, State

CARDS_OF_A_SUIT = len(STOCK) // len(SUITS)


def odds(state: State) -> Odds:
    """Return the odds for anyone who sees the rows and counts the stock; before the deal as after it."""
    if state.winner is not None:
        return Odds(tuple(Fraction(suit == state.winner) for suit in range(len(SUITS))), Fraction(0))
    return chances(
        finish_line=state.config.finish_line,
        rows=tuple([len(row) for row in state.rows]),
        stock=len(STOCK) - state.config.burn if state.stock is None else len(state.stock),
    )


def chances(*, finish_line: int, rows: Sequence[int], stock: int) -> Odds:
    """The chances while no row has reached the line; `rows` are their lengths, C D H S, Aces included.

    Raises ValueError for what no race without a winner can have come to.
    """
    if len(rows) != len(SUITS) or min(rows) < 1:
        raise ValueError(f"a race has {len(SUITS)} rows, each with its Ace")
    if not 2 <= finish_line <= CARDS_OF_A_SUIT + 1:
        raise ValueError(f"a line after {finish_line} cards cannot be")
    if max(rows) >= finish_line:
        raise ValueError("a row has reached the line: the race is won")
    needed = tuple([finish_line - row for row in rows])
    unseen = tuple([CARDS_OF_A_SUIT + 1 - row for row in rows])
    if not 0 <= stock <= sum(unseen):
        raise ValueError(f"a stock of {stock} cannot be: {sum(unseen)} cards are unseen")
    return first_to_give(needed, unseen, stock)


@lru_cache(maxsize=65536)
def first_to_give(needed: tuple[int, ...], unseen: tuple[int, ...], stock: int) -> Odds:
    """Return the odds of each suit to be the first with so many cards (at least one) among the next `stock` cards."""
    short = [
        [comb(cards, given) for given in range(min(need - 1, cards) + 1)]
        for need, cards in zip(needed, unseen, strict=True)
    ]
    suits = tuple(
        _wins(needed[suit], unseen[suit], sum(unseen), stock, _product(short[:suit] + short[suit + 1 :]))
        for suit in range(len(unseen))
    )
    nobody = _product(short)
    ways = nobody[stock] if stock < len(nobody) else 0
    return Odds(suits, Fraction(ways, comb(sum(unseen), stock)))


def _wins(need: int, cards: int, unseen: int, stock: int, others: Sequence[int]) -> Fraction:
    """`others` has the ways in which the other suits fall short, by how many cards they have given together."""
    last = comb(cards, need - 1) * max(0, cards - need + 1)
    ways = 0
    for given, short in enumerate(others[: max(0, stock - need + 1)]):
        before = given + need - 1
        ways += short * factorial(before) * factorial(unseen - before - 1)
    return Fraction(last * ways, factorial(unseen))


def _product(polynomials: Sequence[Sequence[int]]) -> list[int]:
    product = [1]
    for polynomial in polynomials:
        longer = [0] * (len(product) + len(polynomial) - 1)
        for i, one in enumerate(product):
            for j, other in enumerate(polynomial):
                longer[i + j] += one * other
        product = longer
    return product
