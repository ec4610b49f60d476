"""Legal plays of Idle Aces, and why others are illegal (RULEBOOK 4).

`fault` judges one move and names what is wrong; `legal_actions` lists all moves that have no fault, by tables instead
of trials, since playouts ask for it at every step.
"""

from __future__ import annotations

from games.rules.cards import ACE
from games.rules.idle_aces.position import (
    ACES,
    CELLS,
    COMPLETE,
    DRAW,
    PILE_NAMES,
    PILES,
    REDEAL,
    RESIGN,
    SOURCES,
    TARGETS,
    TEXT,
    TOP,
    TWOS,
    VALUE,
    WANTED,
    WASTE,
    State,
)
from games.rules.idle_aces.rulings import Law
from games.rules.protocol import Move
from games.rules.refusals import Fault, because

_FROM = tuple([1 << source for source in range(9)])


def _onto(target: int) -> tuple[tuple[int, ...], ...]:
    """The plays onto the target from every set of sources; a set's bits are its index."""
    plays: list[tuple[int, ...]] = [()]
    for source in range(9):
        plays += [(*others, 9 * target + source) for others in plays]
    return tuple(plays)


_ONTO = tuple(_onto(target) for target in range(9))
"""The plays onto a target, by the set of the sources that fit as bits."""


def fault(state: State, move: Move) -> Fault | None:
    """Return why a well-formed move of the player is illegal now, or None."""
    kind = move["type"]
    if kind == "draw":
        return None if state.stock else ("pile-empty", Law.DRAW, because("stock-empty"))
    if kind == "redeal":
        return _redeal_fault(state)
    if kind == "play":
        source, target = SOURCES[move["from"]], TARGETS[move["to"]]
        return _source_fault(state, source, target) or _target_fault(state, source, target)
    return None


def _redeal_fault(state: State) -> Fault | None:
    if state.stock:
        return "rule-forbids", Law.REDEAL, because("stock-left", count=len(state.stock))
    return None if state.redeals_left else ("no-passes-left", Law.REDEALS, because("no-redeal"))


def _source_fault(state: State, source: int, target: int) -> Fault | None:
    """Return the fault of the moved card."""
    if source == WASTE:
        return None if state.waste else ("pile-empty", Law.WASTE, because("waste-empty"))
    cards = state.piles[source]
    if len(cards) == 1:
        return "rule-forbids", Law.BASE, because("only-base", pile=PILE_NAMES[source], card=TEXT[cards[0]])
    if source == target:
        return "rule-forbids", Law.ITSELF, because("lies-there", card=TEXT[cards[-1]])
    return None


def _target_fault(state: State, source: int, target: int) -> Fault | None:
    card = moved_card(state, source)
    if target == ACES:
        if len(state.aces) == CELLS:
            return "pile-complete", Law.ACES, because("aces-full")
        return None if VALUE[card] == ACE else ("wrong-rank", Law.ACES, because("no-ace", card=TEXT[card]))
    cards, name = state.piles[target], PILE_NAMES[target]
    law, wrong = (Law.TWOS, "not-one-higher-on") if target in TWOS else (Law.KINGS, "not-one-lower-on")
    if len(cards) == COMPLETE[target]:
        return "pile-complete", law, because("complete", pile=name, card=TEXT[cards[-1]])
    if VALUE[card] != WANTED[target][len(cards)]:
        return "wrong-rank", law, because(wrong, card=TEXT[card], top=TEXT[cards[-1]], pile=name)
    return None


def moved_card(state: State, source: int) -> int:
    return state.waste[-1] if source == WASTE else state.piles[source][-1]


def legal_actions(state: State) -> list[int]:
    """Every legal move, once: draw, redeal, the plays by target and then source, resign."""
    _, stock, waste, redeals_left, piles, aces, _, _ = state
    loose = [0] * 15
    """By value: the sources that show a card of it which may leave, as bits."""
    heights = [*map(len, piles)]
    for pile in PILES:
        if (height := heights[pile]) > 1:
            loose[TOP[pile][height]] |= _FROM[pile]
    if waste:
        loose[VALUE[waste[-1]]] |= _FROM[WASTE]
    actions = [DRAW] if stock else [REDEAL] if redeals_left else []
    for pile in PILES:
        if sources := loose[WANTED[pile][heights[pile]]]:
            actions += _ONTO[pile][sources]
    if loose[ACE] and len(aces) < CELLS:
        actions += _ONTO[ACES][loose[ACE]]
    actions.append(RESIGN)
    return actions
