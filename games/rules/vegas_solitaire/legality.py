"""Why a move of Vegas Solitaire may not be made now (RULEBOOK 3); `actions` finds all those that may."""

from __future__ import annotations

from games.rules.cards import KING, RED, SUIT, SUITS, TEXT, VALUE
from games.rules.protocol import Move, Ruling
from games.rules.vegas_solitaire.position import (
    ANY_FOUNDATION,
    FOUNDATION,
    PILE_NAMES,
    SOURCES,
    TARGETS,
    WASTE,
    Layout,
    State,
    head,
    is_complete,
    on_its_last_pass,
)
from games.rules.vegas_solitaire.rulings import Law

Fault = tuple[str, Ruling, str | None]
"""Code, the rule that forbids, the fact."""


def fault(state: State, layout: Layout, move: Move) -> Fault | None:
    """Why a well-formed move of the player may not be made now; None when it may."""
    kind = move["type"]
    if kind == "collect":
        return None
    if kind == "undo":
        return None if state.before else ("cannot-undo", Law.UNDO, None)
    if is_complete(layout):
        return "rule-forbids", Law.AUTO, "every card is on the foundations"
    if kind == "draw":
        return _draw_fault(layout)
    if kind == "recycle":
        return _recycle_fault(layout)
    if kind == "flip":
        return _flip_fault(layout, move["column"])
    return _move_fault(layout, SOURCES[move["from"]], TARGETS[move["to"]], move.get("count", 1))


def _draw_fault(layout: Layout) -> Fault | None:
    if layout.stock:
        return None
    if on_its_last_pass(layout):
        return "no-passes-left", Law.EXHAUSTED, "the stock is empty and the last pass is over"
    return "pile-empty", Law.EXHAUSTED, "the stock is empty"


def _recycle_fault(layout: Layout) -> Fault | None:
    if layout.stock:
        return "rule-forbids", Law.RECYCLE, f"{len(layout.stock)} cards are left in the stock"
    if on_its_last_pass(layout):
        return "no-passes-left", Law.PASSES, "the last pass is over"
    return None if layout.waste else ("pile-empty", Law.RECYCLE, "the waste is empty")


def _flip_fault(layout: Layout, column: int) -> Fault | None:
    cards = layout.columns[column]
    if not cards:
        return "pile-empty", Law.FLIP, f"column:{column} is empty"
    if layout.down[column] < len(cards):
        return "rule-forbids", Law.FLIP, f"{TEXT[cards[-1]]} lies face up"
    return None


def _move_fault(layout: Layout, source: int, target: int, count: int) -> Fault | None:
    return _source_fault(layout, source, target, count) or _target_fault(layout, source, target, count)


def _source_fault(layout: Layout, source: int, target: int, count: int) -> Fault | None:
    """What is wrong with the cards moved."""
    if source == WASTE:
        return None if layout.waste else ("pile-empty", Law.SOURCE, "the waste is empty")
    if source >= FOUNDATION:
        if layout.foundations[source - FOUNDATION]:
            return None
        return "pile-empty", Law.SOURCE, f"{PILE_NAMES[source]} is empty"
    cards, down = layout.columns[source], layout.down[source]
    if not cards:
        return "pile-empty", Law.SOURCE, f"{PILE_NAMES[source]} is empty"
    face_up = len(cards) - down
    if not face_up:
        return "rule-forbids", Law.FLIP, f"the last card of {PILE_NAMES[source]} lies face down"
    if target != ANY_FOUNDATION and count > face_up:
        return "rule-forbids", Law.RUN, f"{PILE_NAMES[source]} has {face_up} cards face up"
    return None


def _target_fault(layout: Layout, source: int, target: int, count: int) -> Fault | None:
    card = head(layout, source, target, count)
    if target == ANY_FOUNDATION:
        if source >= FOUNDATION:
            return "rule-forbids", Law.ITSELF, f"{TEXT[card]} lies there already"
        return foundation_fault(layout, card)
    if source == target:
        return "rule-forbids", Law.ITSELF, f"{TEXT[card]} lies there already"
    return column_fault(layout, card, target)


def foundation_fault(layout: Layout, card: int) -> Fault | None:
    top = layout.foundations[SUIT[card]]
    if VALUE[card] == top + 1:
        return None
    letter = SUITS[SUIT[card]]
    found = TEXT[13 * SUIT[card] + top - 1] if top else "nothing"
    return "wrong-rank", Law.FOUNDATION, f"foundation:{letter} shows {found}, the card is {TEXT[card]}"


def column_fault(layout: Layout, card: int, column: int) -> Fault | None:
    cards = layout.columns[column]
    if not cards:
        if VALUE[card] == KING:
            return None
        return "wrong-rank", Law.EMPTY_COLUMN, f"{TEXT[card]} is no King"
    if layout.down[column] == len(cards):
        return "rule-forbids", Law.FLIP, f"the last card of column:{column} lies face down"
    top = cards[-1]
    if VALUE[card] != VALUE[top] - 1:
        return "wrong-rank", Law.COLUMN, f"{TEXT[card]} is not one lower than {TEXT[top]}"
    if RED[card] == RED[top]:
        return "wrong-colour", Law.COLUMN, f"{TEXT[card]} is of the colour of {TEXT[top]}"
    return None
