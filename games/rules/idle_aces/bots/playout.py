"""Idle Aces as numbers: the counts of built values determine which others can be built.

Moves between piles change no such number, and with them *neighbours* (a twos pile that shows v, a kings pile that shows
v + 1) reach any value from 2 to 12. So a card can be built, now or after such moves, if more cards of the value below
or above it are built than of its own value, or if there are neighbours, which it then uses up. If more cards of both
adjacent values are built, building it makes the piles neighbours again. The only remaining decision is to build the
card on the waste or to wait.
"""

from __future__ import annotations

from typing import NamedTuple

ACE, TWO, QUEEN, KING = 1, 2, 12, 13
NEAR_THE_ENDS = frozenset((2, 3, 4, 11, 12, 13))


class Position(NamedTuple):
    """Values only. The last card of stock and waste is the next one."""

    built: list[int]
    """By value, the bases included; of each there are eight in the end."""
    neighbours: int
    """Pairs of piles, each counted once."""
    waste: list[int]
    stock: list[int]
    redeals_left: int


def gain(built: list[int], value: int) -> int:
    """By how many the neighbours change when a card of that value, 2…13, is built: 1, 0 or -1.

    The ends need no case of their own: Aces never lead the 2s, and nothing lies beyond the Kings.
    """
    own = built[value]
    return (built[value - 1] > own) + (built[value + 1] > own) - 1


def neighbours(built: list[int]) -> int:
    """Return the number of neighbours that must exist, however the piles are arranged."""
    return 8 - built[KING] - sum(max(0, built[value] - built[value + 1]) for value in range(TWO, KING))


def can_be_built(position: Position, value: int) -> bool:
    """Return whether a card of that value fits now or after plays between the piles."""
    if value == ACE:
        return position.built[ACE] < position.built[TWO]
    return position.neighbours + gain(position.built, value) >= 0


def should_wait(value: int, gained: int, redeals_left: int) -> bool:
    """Return whether a card is better built later: if it closes an end for good, or costs neighbours near one. Aces
    never wait.
    """
    if not redeals_left:
        return gained < 0 and value in (TWO, KING)
    return value in (TWO, KING) or (gained < 0 and value in NEAR_THE_ENDS)


_EARLY, _LATE = (
    tuple([tuple([should_wait(value, gained, redeals) for value in range(14)]) for gained in (0, 1, -1)])
    for redeals in (1, 0)
)
"""The same by what is gained (-1 is the last) and value: playouts ask a million times."""


def after_building(position: Position) -> Position:
    built, pairs, waste, stock, redeals_left = position
    value = waste[-1]
    built = built[:]
    if value != ACE:
        pairs += gain(built, value)
    built[value] += 1
    return Position(built, pairs, waste[:-1], stock, redeals_left)


def after_waiting(position: Position) -> Position:
    """One card is drawn, or the waste flipped over when none is left."""
    built, pairs, waste, stock, redeals_left = position
    if stock:
        return Position(built, pairs, [*waste, stock[-1]], stock[:-1], redeals_left)
    return Position(built, pairs, [], waste[::-1], redeals_left - 1)


def cards_left(position: Position) -> int:
    """Cards not built at the end, when every card that can be built is, unless it should wait."""
    built, pairs, waste, stock, redeals_left = position
    built, waste = built[:], waste[:]
    undrawn, waits = len(stock), _EARLY if redeals_left else _LATE
    while True:
        while waste:
            value = waste[-1]
            own = built[value]
            if value == ACE:
                if own >= built[TWO]:
                    break
            else:
                gained = (built[value - 1] > own) + (built[value + 1] > own) - 1
                if pairs + gained < 0 or (waits[gained][value] and (undrawn or redeals_left)):
                    break
                pairs += gained
            built[value] = own + 1
            waste.pop()
        if undrawn:
            undrawn -= 1
            waste.append(stock[undrawn])
        elif waste and redeals_left:
            redeals_left -= 1
            stock, waste = waste[::-1], []
            undrawn, waits = len(stock), _EARLY if redeals_left else _LATE
        else:
            return len(waste)


def cards_left_with_care(position: Position) -> int:
    """Likewise, but where there is a choice both are tried out first: for a stock whose order is known."""
    while True:
        if position.waste and can_be_built(position, position.waste[-1]):
            wait = is_open(position) and waiting_is_better(position)
            position = after_waiting(position) if wait else after_building(position)
        elif position.stock or (position.waste and position.redeals_left):
            position = after_waiting(position)
        else:
            return len(position.waste)


def is_open(position: Position) -> bool:
    """Return whether a card that could be built might also wait."""
    return position.waste[-1] != ACE and bool(position.stock or position.redeals_left)


def waiting_is_better(position: Position) -> bool:
    building, waiting = cards_left(after_building(position)), cards_left(after_waiting(position))
    return waits_by_habit(position) if building == waiting else waiting < building


def waits_by_habit(position: Position) -> bool:
    value = position.waste[-1]
    return is_open(position) and should_wait(value, gain(position.built, value), position.redeals_left)
