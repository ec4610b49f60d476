"""The effects of a move of Vegas Solitaire, without judging it (RULEBOOK 3 and 9)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from games.rules.cards import KING, SUIT, TEXT, VALUE, texts
from games.rules.protocol import Fact, Move
from games.rules.vegas_solitaire.actions import MOVES, ROUTES, WASTE_UP
from games.rules.vegas_solitaire.position import (
    ANY_FOUNDATION,
    EMPTY_TABLE,
    FOUNDATION,
    SOURCES,
    TARGETS,
    WASTE,
    Layout,
    State,
    head,
)

_new = tuple.__new__
"""Makes a named tuple from all its members in half the time that calling its class takes."""


def _drawn(state: State, layout: Layout) -> tuple[int, ...]:
    return layout.stock[: -state.config.draw - 1 : -1]


def event_of(state: State, layout: Layout, move: Move) -> Fact:
    """Return the event of a legal move."""
    return _new(Fact, (move["type"], 0, {"move": move, "facts": _facts_of(state, layout, move)}, None))


def _facts_of(state: State, layout: Layout, move: Move) -> dict[str, Any]:
    kind = move["type"]
    if kind == "draw":
        return {"cards": texts(_drawn(state, layout))}
    if kind == "move":
        source, target, count = _route(move)
        moved = layout.columns[source][-count:] if count > 1 else (head(layout, source, target, 1),)
        facts: dict[str, Any] = {"cards": texts(moved)}
        if _may_settle(layout) and (cards := rest_goes_up(_moved(layout, source, target, count))):
            facts["auto"] = texts(cards)
        return facts
    if kind == "flip":
        column = move["column"]
        facts = {"card": TEXT[layout.columns[column][-1]]}
        if _may_settle(layout) and (cards := rest_goes_up(_flipped(layout, column))):
            facts["auto"] = texts(cards)
        return facts
    if kind == "collect":
        placed = sum(layout.foundations)
        return {"cards": placed, "winnings": state.config.pence_per_card * placed}
    return {}


def _route(move: Move) -> tuple[int, int, int]:
    """Return source, target, and count, which matters only between columns."""
    source, target = SOURCES[move["from"]], TARGETS[move["to"]]
    return source, target, move.get("count", 1) if _between_columns(source, target) else 1


def _between_columns(source: int, target: int) -> bool:
    return 0 <= source < ANY_FOUNDATION and target != ANY_FOUNDATION


def _may_settle(layout: Layout) -> bool:
    """Return whether a move can leave neither stock nor waste, without making it; most cannot."""
    return not layout.stock and len(layout.waste) <= 1


def rest_goes_up(layout: Layout) -> list[int]:
    """The cards that go up by themselves, in the order in which they go: by rank, then suits C D H S."""
    if layout.stock or layout.waste or any(layout.down):
        return []
    return sorted((card for column in layout.columns for card in column), key=_rank_then_suit)


def _rank_then_suit(card: int) -> tuple[int, int]:
    return VALUE[card], card


def _settled(layout: Layout) -> Layout:
    """The layout after the cards that go up by themselves have gone."""
    if layout.stock or layout.waste or any(layout.down):
        return layout
    return Layout((), (), 0, EMPTY_TABLE.columns, EMPTY_TABLE.down, (KING,) * 4, layout.passes_left)


def _with(numbers: tuple[int, ...], index: int, number: int) -> tuple[int, ...]:
    return numbers[:index] + (number,) + numbers[index + 1 :]  # noqa: RUF005 - three times as fast as unpacking


def _flipped(layout: Layout, column: int) -> Layout:
    stock, waste, fan, columns, down, foundations, passes = layout
    down = _with(down, column, down[column] - 1)
    return _new(Layout, (stock, waste, fan, columns, down, foundations, passes))


def _moved(layout: Layout, source: int, target: int, count: int) -> Layout:
    stock, waste, fan, columns, down, foundations, passes = layout
    piles = list(columns)
    if source == WASTE:
        cards = waste[-1:]
        waste = waste[:-1]
        fan = fan - 1 if fan > 1 else (1 if waste else 0)
    elif source >= FOUNDATION:
        suit = source - FOUNDATION
        cards = (13 * suit + foundations[suit] - 1,)
        foundations = _with(foundations, suit, foundations[suit] - 1)
    else:
        column = piles[source]
        cards = column[-count:]
        piles[source] = column[:-count]
    if target == ANY_FOUNDATION:
        suit = SUIT[cards[0]]
        foundations = _with(foundations, suit, foundations[suit] + 1)
    else:
        piles[target] += cards
    return _new(Layout, (stock, waste, fan, tuple(piles), down, foundations, passes))


def _after_draw(state: State, move: Move) -> State:
    config, layout, _, _ = state
    assert layout is not None
    stock, waste, _, columns, down, foundations, passes = layout
    cards = _drawn(state, layout)
    after = (stock[: -config.draw], waste + cards, len(cards), columns, down, foundations, passes)
    return _new(State, (config, _new(Layout, after), layout, False))


def _after_recycle(state: State, move: Move) -> State:
    layout = state.layout
    assert layout is not None
    after = layout._replace(stock=layout.waste[::-1], waste=(), fan=0, passes_left=layout.passes_left - 1)
    return State(state.config, after, None, False)


def _after_flip(state: State, move: Move) -> State:
    assert state.layout is not None
    return State(state.config, _settled(_flipped(state.layout, move["column"])), None, False)


def _after_move(state: State, move: Move) -> State:
    return _after_route(state, *_route(move))


def _after_route(state: State, source: int, target: int, count: int) -> State:
    config, layout, _, _ = state
    assert layout is not None
    after = _moved(layout, source, target, count)
    if not after.stock and not after.waste:
        settled = _settled(after)
        if settled is not after:
            return State(config, settled, None, False)
    return _new(State, (config, after, None if _between_columns(source, target) else layout, False))


def _after_undo(state: State, move: Move) -> State:
    return State(state.config, state.before, None, False)


def _after_collect(state: State, move: Move) -> State:
    return State(state.config, state.layout, None, True)


CHANGES: dict[str, Callable[[State, Move], State]] = {
    "draw": _after_draw,
    "recycle": _after_recycle,
    "flip": _after_flip,
    "move": _after_move,
    "undo": _after_undo,
    "collect": _after_collect,
}


def after_action(state: State, action: int) -> State:
    """The state after the move of that number."""
    if action >= WASTE_UP:
        return _after_route(state, *ROUTES[action - WASTE_UP])
    move = MOVES[action]
    return CHANGES[move["type"]](state, move)
