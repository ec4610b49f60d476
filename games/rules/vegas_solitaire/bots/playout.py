"""A fast player of Vegas Solitaire for playouts, on cards as numbers.

It has the steady player's goals and two more, each of two moves: part of a run moves to another column so that the card
beneath it can go up; a card returns from a foundation so that another can be placed on it. Every goal decreases the
first of the steady player's numbers that it changes, so a game played by goals ends.
"""

from __future__ import annotations

import random

from games.rules.cards import KING, RED, SUIT, VALUE
from games.rules.vegas_solitaire.actions import (
    ACROSS,
    ACROSS_SOURCE,
    ACROSS_TARGET,
    COLLECT,
    COLUMN_UP,
    DRAW,
    FLIP,
    FOUNDATION_DOWN,
    KIND,
    RECYCLE,
    WASTE_DOWN,
    WASTE_UP,
)
from games.rules.vegas_solitaire.changes import after_action
from games.rules.vegas_solitaire.position import COLUMNS, Layout, State

UNCOVERS, USES, BORROWS, TURNS = range(4)
"""Classes of candidates: uncover a hidden card; play one or make room; take one back; turn the stock."""
Plan = tuple[int, ...]
"""One action, or two of which the second is the reason for the first."""
Candidate = tuple[int, int, Plan]
"""Class, weight within the class, and plan."""
END: Plan = (COLLECT,)

OTHER_COLOUR = tuple((1, 2) if suit in (0, 3) else (0, 3) for suit in range(4))
_LIES_ON = tuple(2 * (VALUE[card] + 1) + (not RED[card]) for card in range(52))
"""The kind of card that a card can be placed on in a column: 2 × value + whether it is red."""
_EMPTY = (2 * (KING + 1), 2 * (KING + 1) + 1)
"""An empty column counts as a card one higher than a King, of either colour."""


def cards_put_up(state: State, rng: random.Random) -> int:
    """Return the number of cards on the foundations at the end of a playout."""
    while True:
        layout = state.layout
        assert layout is not None
        plan = preferred(candidates(layout), rng)
        if plan is END:
            return sum(layout.foundations)
        state = after(state, plan)


def after(state: State, plan: Plan) -> State:
    for action in plan:
        state = after_action(state, action)
    return state


def preferred(found: list[Candidate], rng: random.Random) -> Plan:
    if not found:
        return END
    if len(found) == 1:
        return found[0][2]
    first = min(found)[0]
    best = [candidate for candidate in found if candidate[0] == first]
    if len(best) == 1:
        return best[0][2]
    return rng.choices(best, [weight for _, weight, _ in best])[0][2]


def candidates(layout: Layout) -> list[Candidate]:
    """Return all plans worth considering; only one if it can do no harm. Empty if the game should be collected."""
    tops = _tops(layout)
    if isinstance(tops, int):
        return [(UNCOVERS, 1, (tops,))]
    found = _from_waste(layout, tops)
    for column in COLUMNS:
        if layout.columns[column]:
            found += _from_column(layout, tops, column)
    if _king_waits(layout):
        for column in COLUMNS:
            if layout.columns[column] and not layout.down[column]:
                found += _whole_run(layout, tops, column)
    found += _borrowings(layout, tops)
    if layout.stock:
        found.append((TURNS, 1, (DRAW,)))
    elif layout.waste and layout.passes_left > 1:
        found.append((TURNS, 1, (RECYCLE,)))
    return found


Tops = dict[int, list[int]]
"""By kind of card, the columns that such a card is the last of; for the King's, the empty columns."""


def _tops(layout: Layout) -> Tops | int:
    """Or the action that can do no harm."""
    columns, down, foundations, waste = layout.columns, layout.down, layout.foundations, layout.waste
    tops: Tops = {}
    for column in COLUMNS:
        cards = columns[column]
        if not cards:
            for kind in _EMPTY:
                tops.setdefault(kind, []).append(column)
            continue
        if down[column] == len(cards):
            return FLIP + column
        card = cards[-1]
        tops.setdefault(KIND[card], []).append(column)
        if VALUE[card] == foundations[SUIT[card]] + 1 and _is_safe(card, foundations):
            return COLUMN_UP + column
    if waste:
        card = waste[-1]
        if VALUE[card] == foundations[SUIT[card]] + 1 and _is_safe(card, foundations):
            return WASTE_UP
    return tops


def _is_safe(card: int, foundations: tuple[int, ...]) -> bool:
    """Return whether no card will need this one in a column: both of the other colour below it are up."""
    one, other = OTHER_COLOUR[SUIT[card]]
    below = VALUE[card] - 1
    return foundations[one] >= below and foundations[other] >= below


def _from_waste(layout: Layout, tops: Tops) -> list[Candidate]:
    if not layout.waste:
        return []
    card = layout.waste[-1]
    found: list[Candidate] = [(USES, 1, (WASTE_DOWN + target,)) for target in tops.get(_LIES_ON[card], ())]
    if VALUE[card] == layout.foundations[SUIT[card]] + 1:
        found.append((USES, 1, (WASTE_UP,)))
    return found


def _from_column(layout: Layout, tops: Tops, column: int) -> list[Candidate]:
    """The column has cards, the last of them face up."""
    cards, hidden = layout.columns[column], layout.down[column]
    face_up = len(cards) - hidden
    found = _whole_run(layout, tops, column) if hidden else []
    if face_up > 1:
        found += _splits(layout, tops, column)
    if VALUE[cards[-1]] == layout.foundations[SUIT[cards[-1]]] + 1:
        uncovers = hidden and face_up == 1
        found.append((UNCOVERS if uncovers else USES, hidden if uncovers else 1, (COLUMN_UP + column,)))
    return found


def _whole_run(layout: Layout, tops: Tops, column: int) -> list[Candidate]:
    """Off hidden cards, or to make room; a King's run leaves no room that it does not take."""
    cards, hidden = layout.columns[column], layout.down[column]
    card = cards[hidden]
    if not hidden and VALUE[card] == KING:
        return []
    how, weight = (UNCOVERS, hidden) if hidden else (USES, 1)
    run = ACROSS + ACROSS_SOURCE * column + len(cards) - hidden - 1
    return [(how, weight, (run + ACROSS_TARGET * target,)) for target in tops.get(_LIES_ON[card], ())]


def _king_waits(layout: Layout) -> bool:
    """For an empty column: on the waste, or on hidden cards."""
    if layout.waste and VALUE[layout.waste[-1]] == KING:
        return True
    return any(
        down and VALUE[cards[down]] == KING for cards, down in zip(layout.columns, layout.down, strict=True)
    )


def _splits(layout: Layout, tops: Tops, column: int) -> list[Candidate]:
    """The part of a run above a card that could go up, to another column."""
    cards, foundations = layout.columns[column], layout.foundations
    found: list[Candidate] = []
    for at in range(layout.down[column], len(cards) - 1):
        beneath = cards[at]
        if VALUE[beneath] == foundations[SUIT[beneath]] + 1:
            part = ACROSS + ACROSS_SOURCE * column + len(cards) - at - 2
            found += [
                (USES, 1, (part + ACROSS_TARGET * target, COLUMN_UP + column))
                for target in tops.get(_LIES_ON[cards[at + 1]], ())
            ]
    return found


def _borrowings(layout: Layout, tops: Tops) -> list[Candidate]:
    """Move a card of a foundation to a column, and on it the waste's card or a run above hidden cards."""
    found: list[Candidate] = []
    for suit, top in enumerate(layout.foundations):
        if top < 2 or not (targets := tops.get(_LIES_ON[13 * suit + top - 1])):
            continue
        kind, target = KIND[13 * suit + top - 1], targets[0]
        down = FOUNDATION_DOWN + len(COLUMNS) * suit + target
        found += [(BORROWS, 1, (down, action)) for action in takers_of(layout, kind, target)]
    return found


def takers_of(layout: Layout, kind: int, column: int) -> list[int]:
    """The actions that put what brings the end nearer on a column whose last card is of that kind."""
    found: list[int] = []
    if layout.waste and _LIES_ON[layout.waste[-1]] == kind:
        found.append(WASTE_DOWN + column)
    for source in COLUMNS:
        hidden, cards = layout.down[source], layout.columns[source]
        if source != column and 0 < hidden < len(cards) and _LIES_ON[cards[hidden]] == kind:
            run = ACROSS + ACROSS_SOURCE * source + len(cards) - hidden - 1
            found.append(run + ACROSS_TARGET * column)
    return found
