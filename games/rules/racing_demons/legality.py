"""Legality in Racing Demons: one move, all legal moves, and stuck seats (RULEBOOK 6)."""

from __future__ import annotations

from games.rules.cards import SUITS
from games.rules.protocol import Move
from games.rules.racing_demons.position import (
    ACES,
    BASE,
    BIT,
    DEMON,
    FOUNDATION,
    MOVES_OF_A_SEAT,
    NEW_FOUNDATION,
    PACK_OF,
    PASS,
    PILES,
    RED,
    SOURCE_NAMES,
    SOURCES,
    STUCK,
    SUIT,
    TARGETS,
    TEXT,
    TURN,
    VALUE,
    WASTE,
    Side,
    State,
    between_work_piles,
    encoded,
    is_complete,
)
from games.rules.racing_demons.rulings import Law
from games.rules.refusals import Fault, Ground, because


def fault(state: State, seat: int | None, move: Move) -> Fault | None:
    """Return why a well-formed move is illegal in a running game, or None."""
    if not state.sides:
        return "rule-forbids", Law.NOT_DEALT, None
    if seat is None or not 0 <= seat < len(state.sides):
        return "not-your-turn", Law.SEATED, None
    if state.spent >> seat & 1:
        return "rule-forbids", Law.SPENT, because("moves-spent", seat=seat, moves=MOVES_OF_A_SEAT)
    if state.config.by_turns and seat != state.turn:
        return "not-your-turn", Law.PACE, because("turn-of", seat=state.turn)
    kind, side = move["type"], state.sides[seat]
    if kind == "turn":
        return (
            None if side.stock or side.waste else ("pile-empty", Law.TURN, because("stock-and-waste-empty"))
        )
    if kind == "stuck":
        return (
            ("rule-forbids", Law.STUCK, because("stuck-already", seat=seat))
            if is_marked(state, seat)
            else None
        )
    if kind == "pass":
        return None if state.config.by_turns else ("rule-forbids", Law.PACE, because("no-turns"))
    return _move_fault(state, side, SOURCES[move["from"]], move["to"], move.get("count", 1))


def is_marked(state: State, seat: int) -> bool:
    return bool(state.marks >> seat & 1)


def _move_fault(state: State, side: Side, source: int, to: str, count: int) -> Fault | None:
    if source == WASTE and not side.waste:
        return "pile-empty", Law.SOURCE, because("waste-empty")
    target = TARGETS.get(to, NEW_FOUNDATION - 1)
    if not between_work_piles(source, target):
        card = _top(side, source)
    elif count > len(side.work[source]):
        return (
            "rule-forbids",
            Law.RUN,
            because("few-cards", pile=SOURCE_NAMES[source], count=len(side.work[source])),
        )
    elif source == target:
        return "rule-forbids", Law.ITSELF, because("lies-there", card=TEXT[side.work[source][-count]])
    else:
        card = side.work[source][-count]
    if target < FOUNDATION:
        return _work_fault(card, side.work[target][-1])
    if target == NEW_FOUNDATION:
        return (
            None if BIT[card] & ACES else ("wrong-rank", Law.FOUNDATION, because("no-ace", card=TEXT[card]))
        )
    if target - FOUNDATION >= len(state.foundations) or to not in TARGETS:
        return "no-such-pile", Law.FOUNDATION, because("foundations-started", count=len(state.foundations))
    return _foundation_fault(card, to, state.foundations[target - FOUNDATION])


def _top(side: Side, source: int) -> int:
    if source == WASTE:
        return side.waste[-1]
    return side.demon[-1] if source == DEMON else side.work[source][-1]


def _work_fault(card: int, top: int) -> Fault | None:
    if VALUE[card] != VALUE[top] - 1:
        return "wrong-rank", Law.WORK, because("not-one-lower", card=TEXT[card], top=TEXT[top])
    if RED[card] == RED[top]:
        return "wrong-colour", Law.WORK, because("same-colour", card=TEXT[card], top=TEXT[top])
    return None


def _foundation_fault(card: int, name: str, foundation: tuple[int, ...]) -> Fault | None:
    top = foundation[-1]
    suit = SUIT[card] == SUIT[top]
    if is_complete(foundation):
        return "pile-complete", Law.FOUNDATION, _complete(card if suit else None, name, foundation)
    if not suit:
        found = because("suit-of-pile", pile=name, suit=SUITS[SUIT[top]], card=TEXT[card])
        return "wrong-suit", Law.FOUNDATION, found
    if VALUE[card] == VALUE[top] + 1:
        return None
    if VALUE[card] <= VALUE[top]:
        first = foundation[VALUE[card] - 1]
        found = because(
            "shows-before", pile=name, top=TEXT[top], seat=PACK_OF[first], other=TEXT[first], card=TEXT[card]
        )
        return "wrong-rank", Law.FIRST, found
    return "wrong-rank", Law.FOUNDATION, because("shows", pile=name, top=TEXT[top], card=TEXT[card])


def _complete(card: int | None, name: str, foundation: tuple[int, ...]) -> Ground:
    """Name the seat that placed the card of that rank first; each card shows its owner."""
    if card is None:
        return because("complete-put", pile=name, seat=PACK_OF[foundation[-1]], top=TEXT[foundation[-1]])
    first = foundation[VALUE[card] - 1]
    return because("complete-before", pile=name, seat=PACK_OF[first], top=TEXT[first], card=TEXT[card])


# --- every legal move -------------------------------------------------------------------------------


def legal_actions(state: State, seat: int | None) -> list[int]:
    """Every move without a fault, once: the turn, what comes from demon, waste and work piles, stuck, pass."""
    if seat is None or state.result is not None or not 0 <= seat < len(state.sides):
        return []
    by_turns = state.config.by_turns
    if state.spent >> seat & 1 or (by_turns and seat != state.turn):
        return []
    side = state.sides[seat]
    actions = [TURN] if side.stock or side.waste else []
    _add_single(actions, DEMON, side.demon[-1], state, side)
    if side.waste:
        _add_single(actions, WASTE, side.waste[-1], state, side)
    _add_from_work(actions, state, side)
    if not state.marks >> seat & 1:
        actions.append(STUCK)
    if by_turns:
        actions.append(PASS)
    return actions


def _add_single(actions: list[int], source: int, card: int, state: State, side: Side) -> None:
    """The moves of the top card of demon or waste."""
    if BIT[card] & side.takes:
        wanted, red = VALUE[card] + 1, RED[card]
        for pile in PILES:
            top = side.work[pile][-1]
            if VALUE[top] == wanted and RED[top] != red:
                actions.append(encoded(source, pile))
    if BIT[card] & state.wanted:
        _add_to_foundations(actions, source, card, state)


def _add_to_foundations(actions: list[int], source: int, card: int, state: State) -> None:
    if BIT[card] & ACES:
        actions.append(encoded(source, NEW_FOUNDATION))
        return
    base = BASE[card]
    for number, wanted in enumerate(state.nexts):
        if wanted == base:
            actions.append(encoded(source, FOUNDATION + number))


def _add_from_work(actions: list[int], state: State, side: Side) -> None:
    """Each pile is one run, without gaps in rank, of alternating colours."""
    work, wanted = side.work, state.wanted
    for source, pile in enumerate(work):
        last = pile[-1]
        lowest, highest, red = VALUE[last], VALUE[pile[0]], RED[last]
        for target, (*_, top) in enumerate(work):
            value = VALUE[top] - 1
            # The run's card of that value is red if its last is, every other card.
            if lowest <= value <= highest and (red ^ (value - lowest & 1)) != RED[top] and source != target:
                actions.append(encoded(source, target, value - lowest + 1))
        if BIT[last] & wanted:
            _add_to_foundations(actions, source, last, state)


# --- who is stuck -----------------------------------------------------------------------------------


def has_a_move(side: Side, wanted: int) -> bool:
    """Whether a card of demon or work piles could be moved, or one of stock or waste if they all lay open.

    A part of a run between work piles does not count; of a whole pile the lowest card lies on the target.
    """
    takes = side.takes
    if (side.loose | BIT[side.demon[-1]]) & (takes | wanted):
        return True
    return any(BIT[pile[0]] & takes or BIT[pile[-1]] & wanted for pile in side.work)
