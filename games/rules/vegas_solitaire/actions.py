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
_WANTED = tuple(2 * (VALUE[card] - 1) + (not RED[card]) for card in PACK)
"""The kind that may lie on a card in a column; on an Ace one that no card is of."""
_KINGS = (2 * KING, 2 * KING + 1)
_COMPLETE = (KING,) * len(SUITS)

Table = tuple[tuple[int, ...], ...]
"""Actions, by the set of columns that they go to: a bit for each."""
Takers = dict[int, int]
"""The set of columns that take a card, by its kind."""


def _table(first: int, step: int = 1) -> Table:
    """Of the actions `first` + `step` × column."""
    sets = range(1 << len(COLUMNS))
    return tuple(
        tuple(first + step * column for column in COLUMNS if columns >> column & 1) for columns in sets
    )


_WASTE_DOWN = _table(WASTE_DOWN)
_FOUNDATIONS = tuple(
    (RED[13 * suit], _table(FOUNDATION_DOWN + len(COLUMNS) * suit)) for suit in range(len(SUITS))
)
_COLUMNS = tuple(
    (1 << column, FLIP + column, COLUMN_UP + column, _table(ACROSS + ACROSS_SOURCE * column, ACROSS_TARGET))
    for column in COLUMNS
)
"""Each column as a set, and the actions on it: its flip, its last card up, and that card across."""


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
            if VALUE[card] == foundations[SUIT[card]] + 1:
                actions.append(WASTE_UP)
            if (kind := KIND[card]) in takers:
                actions += _WASTE_DOWN[takers[kind]]
        for value, (red, table) in zip(foundations, _FOUNDATIONS, strict=True):
            if value and (kind := 2 * value + red) in takers:
                actions += table[takers[kind]]
        for cards, face_up, up, table in runs:
            card = cards[-1]
            if VALUE[card] == foundations[SUIT[card]] + 1:
                actions.append(up)
            if face_up > 1:
                actions += _across(cards, face_up, takers, table)
            elif (kind := KIND[card]) in takers:
                actions += table[takers[kind]]
    if state.before is not None:
        actions.append(UNDO)
    actions.append(COLLECT)
    return actions


def waste_playable(layout: Layout) -> bool:
    """Return whether the arrow is above the waste's top card, which exists."""
    card = layout.waste[-1]
    if VALUE[card] == layout.foundations[SUIT[card]] + 1:
        return True
    takers, _ = _face_up(layout.columns, layout.down, [])
    return KIND[card] in takers


def _face_up(
    columns: tuple[tuple[int, ...], ...], down: tuple[int, ...], actions: list[int]
) -> tuple[Takers, list[tuple[tuple[int, ...], int, int, Table]]]:
    """Return the takers, and for each column with a run: its cards, the number face up, and its actions up and across.

    Adds to `actions` what can be turned up.
    """
    takers: Takers = {}
    runs: list[tuple[tuple[int, ...], int, int, Table]] = []
    for cards, hidden, (column, flip, up, table) in zip(columns, down, _COLUMNS, strict=True):
        if not cards:
            for king in _KINGS:
                takers[king] = takers.get(king, 0) | column
        elif face_up := len(cards) - hidden:
            wanted = _WANTED[cards[-1]]
            takers[wanted] = takers[wanted] | column if wanted in takers else column
            runs.append((cards, face_up, up, table))
        else:
            actions.append(flip)
    return takers, runs


def _across(cards: tuple[int, ...], face_up: int, takers: Takers, table: Table) -> list[int]:
    """The moves of a run, whole or split; `table` has those of its last card."""
    found: list[int] = []
    for more, card in enumerate(cards[: -face_up - 1 : -1]):
        if (kind := KIND[card]) in takers:
            found += [action + more for action in table[takers[kind]]]
    found.sort()
    return found
