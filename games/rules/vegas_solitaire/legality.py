"""Why a move of Vegas Solitaire is illegal (RULEBOOK 3); `actions` finds the legal moves."""

from __future__ import annotations

from games.rules.cards import KING, RED, SUIT, SUITS, TEXT, VALUE
from games.rules.protocol import Move
from games.rules.refusals import Fault, because
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


def fault(state: State, layout: Layout, move: Move) -> Fault | None:
    """Return why a well-formed move of the player is illegal now, or None."""
    kind = move["type"]
    if kind == "collect":
        return None
    if kind == "undo":
        return None if state.before else ("cannot-undo", Law.UNDO, None)
    if is_complete(layout):
        return "rule-forbids", Law.AUTO, because("all-on-foundations")
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
        return "no-passes-left", Law.EXHAUSTED, because("stock-empty-last-pass")
    return "pile-empty", Law.EXHAUSTED, because("stock-empty")


def _recycle_fault(layout: Layout) -> Fault | None:
    if layout.stock:
        return "rule-forbids", Law.RECYCLE, because("stock-left", count=len(layout.stock))
    if on_its_last_pass(layout):
        return "no-passes-left", Law.PASSES, because("last-pass-over")
    return None if layout.waste else ("pile-empty", Law.RECYCLE, because("waste-empty"))


def _flip_fault(layout: Layout, column: int) -> Fault | None:
    cards = layout.columns[column]
    if not cards:
        return "pile-empty", Law.FLIP, because("pile-is-empty", pile=f"column:{column}")
    if layout.down[column] < len(cards):
        return "rule-forbids", Law.FLIP, because("lies-face-up", card=TEXT[cards[-1]])
    return None


def _move_fault(layout: Layout, source: int, target: int, count: int) -> Fault | None:
    return _source_fault(layout, source, target, count) or _target_fault(layout, source, target, count)


def _source_fault(layout: Layout, source: int, target: int, count: int) -> Fault | None:
    """Return the fault of the moved cards."""
    if source == WASTE:
        return None if layout.waste else ("pile-empty", Law.SOURCE, because("waste-empty"))
    if source >= FOUNDATION:
        if layout.foundations[source - FOUNDATION]:
            return None
        return "pile-empty", Law.SOURCE, because("pile-is-empty", pile=PILE_NAMES[source])
    cards, down = layout.columns[source], layout.down[source]
    if not cards:
        return "pile-empty", Law.SOURCE, because("pile-is-empty", pile=PILE_NAMES[source])
    face_up = len(cards) - down
    if not face_up:
        return "rule-forbids", Law.FLIP, because("lies-face-down", pile=PILE_NAMES[source])
    if target != ANY_FOUNDATION and count > face_up:
        return "rule-forbids", Law.RUN, because("few-face-up", pile=PILE_NAMES[source], count=face_up)
    return None


def _target_fault(layout: Layout, source: int, target: int, count: int) -> Fault | None:
    card = head(layout, source, target, count)
    if target == ANY_FOUNDATION:
        if source >= FOUNDATION:
            return "rule-forbids", Law.ITSELF, because("lies-there", card=TEXT[card])
        return foundation_fault(layout, card)
    if source == target:
        return "rule-forbids", Law.ITSELF, because("lies-there", card=TEXT[card])
    return column_fault(layout, card, target)


def foundation_fault(layout: Layout, card: int) -> Fault | None:
    top = layout.foundations[SUIT[card]]
    if VALUE[card] == top + 1:
        return None
    pile = f"foundation:{SUITS[SUIT[card]]}"
    if not top:
        return "wrong-rank", Law.FOUNDATION, because("shows-nothing", pile=pile, card=TEXT[card])
    shown = TEXT[13 * SUIT[card] + top - 1]
    return "wrong-rank", Law.FOUNDATION, because("shows", pile=pile, top=shown, card=TEXT[card])


def column_fault(layout: Layout, card: int, column: int) -> Fault | None:
    cards = layout.columns[column]
    if not cards:
        if VALUE[card] == KING:
            return None
        return "wrong-rank", Law.EMPTY_COLUMN, because("no-king", card=TEXT[card])
    if layout.down[column] == len(cards):
        return "rule-forbids", Law.FLIP, because("lies-face-down", pile=f"column:{column}")
    top = cards[-1]
    if VALUE[card] != VALUE[top] - 1:
        return "wrong-rank", Law.COLUMN, because("not-one-lower", card=TEXT[card], top=TEXT[top])
    if RED[card] == RED[top]:
        return "wrong-colour", Law.COLUMN, because("same-colour", card=TEXT[card], top=TEXT[top])
    return None
