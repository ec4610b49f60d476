"""The moves of Vegas Solitaire as small integers, and all that are legal now (RULEBOOK 3).

What is legal is looked up here, not judged move by move: search and playouts ask for nothing more often.
`legality.fault` says why one move may not be made; that both agree on every move is a property of the tests.
"""

from __future__ import annotations

from games.rules.cards import KING, PACK, RED, SUIT, SUITS, VALUE
from games.rules.protocol import Move
from games.rules.vegas_solitaire.position import (
    ANY_FOUNDATION,
    COLUMNS,
    FOUNDATION,
    PILE_NAMES,
    WASTE,
    Layout,
    State,
)

LONGEST_RUN = 13

DRAW, RECYCLE, FLIP, UNDO, COLLECT = 0, 1, 2, 9, 10
"""FLIP + column. The rest have a source, a target and a count:"""
WASTE_UP = 11
WASTE_DOWN = 12
"""+ column"""
FOUNDATION_DOWN = WASTE_DOWN + len(COLUMNS)
"""+ 7 × suit + column"""
COLUMN_UP = FOUNDATION_DOWN + len(SUITS) * len(COLUMNS)
"""+ column"""
ACROSS = COLUMN_UP + len(COLUMNS)
"""+ ACROSS_SOURCE × source + ACROSS_TARGET × target + count − 1"""
ACROSS_TARGET = LONGEST_RUN
ACROSS_SOURCE = ACROSS_TARGET * len(COLUMNS)

ROUTES: tuple[tuple[int, int, int], ...] = (
    (WASTE, ANY_FOUNDATION, 1),
    *((WASTE, column, 1) for column in COLUMNS),
    *((FOUNDATION + suit, column, 1) for suit in range(len(SUITS)) for column in COLUMNS),
    *((column, ANY_FOUNDATION, 1) for column in COLUMNS),
    *(
        (source, target, count)
        for source in COLUMNS
        for target in COLUMNS
        for count in range(1, LONGEST_RUN + 1)
    ),
)
"""Source, target and count of an action, counted from WASTE_UP."""


def _route_as_move(source: int, target: int, count: int) -> Move:
    """`count` stands where it matters."""
    move: Move = {"type": "move", "from": PILE_NAMES[source], "to": PILE_NAMES[target]}
    return {**move, "count": count} if source in COLUMNS and target in COLUMNS else move


MOVES: tuple[Move, ...] = (
    {"type": "draw"},
    {"type": "recycle"},
    *({"type": "flip", "column": column} for column in COLUMNS),
    {"type": "undo"},
    {"type": "collect"},
    *(_route_as_move(*route) for route in ROUTES),
)
"""By action."""

KIND = tuple(2 * VALUE[card] + RED[card] for card in PACK)
"""A card's rank and colour: all that a column asks of it."""
_KINDS = 2 * KING + 2
_KING, _RED_KING = _KINDS - 2, _KINDS - 1
_WANTED = tuple(2 * (VALUE[card] - 1) + (not RED[card]) for card in PACK)
"""The kind that may lie on a card in a column; on an Ace one that no card is of."""
_BELOW = tuple(VALUE[card] - 1 for card in PACK)
"""The value of the foundation that a card goes up to."""
_COMPLETE = (KING,) * len(SUITS)

Table = tuple[tuple[int, ...], ...]
"""Actions, by the set of columns that they go to: a bit for each."""
Takers = list[int]
"""The set of columns that take a card, by its kind."""


def _table(first: int, step: int = 1) -> Table:
    """Of the actions `first` + `step` × column."""
    sets = range(1 << len(COLUMNS))
    return tuple(
        tuple(first + step * column for column in COLUMNS if columns >> column & 1) for columns in sets
    )


_WASTE_DOWN = _table(WASTE_DOWN)
_FOUNDATION_DOWN = tuple(_table(FOUNDATION_DOWN + len(COLUMNS) * suit) for suit in range(len(SUITS)))
_ACROSS = tuple(_table(ACROSS + ACROSS_SOURCE * column, ACROSS_TARGET) for column in COLUMNS)
"""The last card of each column across."""


def legal_actions(state: State, layout: Layout) -> list[int]:
    """Every move without a fault, once; those onto columns from one pile by target, then count."""
    stock, waste, _, columns, down, foundations, passes_left = layout
    actions: list[int] = []
    if foundations != _COMPLETE:
        if stock:
            actions.append(DRAW)
        elif waste and passes_left > 1:
            actions.append(RECYCLE)
        takers, runs = _face_up(columns, down, actions)
        if waste:
            card = waste[-1]
            if _BELOW[card] == foundations[SUIT[card]]:
                actions.append(WASTE_UP)
            if targets := takers[KIND[card]]:
                actions += _WASTE_DOWN[targets]
        for suit, value in enumerate(foundations):
            if value and (targets := takers[KIND[13 * suit + value - 1]]):
                actions += _FOUNDATION_DOWN[suit][targets]
        for column, card, face_up in runs:
            if _BELOW[card] == foundations[SUIT[card]]:
                actions.append(COLUMN_UP + column)
            if face_up > 1:
                actions += _across(columns[column], face_up, takers, _ACROSS[column])
            elif targets := takers[KIND[card]]:
                actions += _ACROSS[column][targets]
    if state.before is not None:
        actions.append(UNDO)
    actions.append(COLLECT)
    return actions


def waste_playable(layout: Layout) -> bool:
    """Return whether the arrow is above the waste's top card, which exists."""
    card = layout.waste[-1]
    if _BELOW[card] == layout.foundations[SUIT[card]]:
        return True
    takers, _ = _face_up(layout.columns, layout.down, [])
    return takers[KIND[card]] > 0


def _face_up(
    columns: tuple[tuple[int, ...], ...], down: tuple[int, ...], actions: list[int]
) -> tuple[Takers, list[tuple[int, int, int]]]:
    """Return the takers, and for each column with a run: its number, its last card, and the number face up.

    Adds to `actions` what can be turned up.
    """
    takers = [0] * _KINDS
    runs: list[tuple[int, int, int]] = []
    for column, cards in enumerate(columns):
        if not cards:
            takers[_KING] |= 1 << column
            takers[_RED_KING] |= 1 << column
        elif face_up := len(cards) - down[column]:
            card = cards[-1]
            takers[_WANTED[card]] |= 1 << column
            runs.append((column, card, face_up))
        else:
            actions.append(FLIP + column)
    return takers, runs


def _across(cards: tuple[int, ...], face_up: int, takers: Takers, table: Table) -> list[int]:
    """The moves of a run, whole or split; `table` has those of its last card."""
    found: list[int] = []
    for more in range(face_up):
        if targets := takers[KIND[cards[-1 - more]]]:
            found += [action + more for action in table[targets]]
    found.sort()
    return found
