"""The one home of "may I?" in Racing Demons: one move, the list of all, and who is stuck (RULEBOOK 6)."""

from __future__ import annotations

from games.rules.cards import SUITS
from games.rules.protocol import Move, Ruling
from games.rules.racing_demons.actions import PASS, STUCK, TURN, between_work_piles, encoded
from games.rules.racing_demons.position import (
    ACES,
    BASE,
    BIT,
    DEMON,
    FOUNDATION,
    MOVES_OF_A_SEAT,
    NEW_FOUNDATION,
    PACK_OF,
    PILES,
    RED,
    SOURCE_NAMES,
    SOURCES,
    SUIT,
    TARGETS,
    TEXT,
    VALUE,
    WASTE,
    Side,
    State,
    is_complete,
)
from games.rules.racing_demons.rulings import Law

Fault = tuple[str, Ruling, str | None]
"""Code, the rule that forbids, the fact."""


def fault(state: State, seat: int | None, move: Move) -> Fault | None:
    """Why a well-formed move may not be made now, in a game that is not over; None when it may."""
    if not state.sides:
        return "rule-forbids", Law.NOT_DEALT, None
    if seat is None or not 0 <= seat < len(state.sides):
        return "not-your-turn", Law.SEATED, None
    if state.spent >> seat & 1:
        return "rule-forbids", Law.SPENT, f"seat {seat} has made its {MOVES_OF_A_SEAT:,} moves"
    if state.config.by_turns and seat != state.turn:
        return "not-your-turn", Law.PACE, f"it is the turn of seat {state.turn}"
    kind, side = move["type"], state.sides[seat]
    if kind == "turn":
        return None if side.stock or side.waste else ("pile-empty", Law.TURN, "stock and waste are empty")
    if kind == "stuck":
        return (
            ("rule-forbids", Law.STUCK, f"seat {seat} is stuck already") if is_marked(state, seat) else None
        )
    if kind == "pass":
        return None if state.config.by_turns else ("rule-forbids", Law.PACE, "nobody has a turn to pass")
    return _move_fault(state, side, SOURCES[move["from"]], move["to"], move.get("count", 1))


def is_marked(state: State, seat: int) -> bool:
    return bool(state.marks >> seat & 1)


def _move_fault(state: State, side: Side, source: int, to: str, count: int) -> Fault | None:
    if source == WASTE and not side.waste:
        return "pile-empty", Law.SOURCE, "the waste is empty"
    target = TARGETS.get(to, NEW_FOUNDATION - 1)
    if not between_work_piles(source, target):
        card = _top(side, source)
    elif count > len(side.work[source]):
        return "rule-forbids", Law.RUN, f"{SOURCE_NAMES[source]} has {len(side.work[source])} cards"
    elif source == target:
        return "rule-forbids", Law.ITSELF, f"{TEXT[side.work[source][-count]]} lies there already"
    else:
        card = side.work[source][-count]
    if target < FOUNDATION:
        return _work_fault(card, side.work[target][-1])
    if target == NEW_FOUNDATION:
        return None if BIT[card] & ACES else ("wrong-rank", Law.FOUNDATION, f"{TEXT[card]} is no Ace")
    if target - FOUNDATION >= len(state.foundations) or to not in TARGETS:
        return "no-such-pile", Law.FOUNDATION, f"{len(state.foundations)} foundations have been started"
    return _foundation_fault(card, to, state.foundations[target - FOUNDATION])


def _top(side: Side, source: int) -> int:
    if source == WASTE:
        return side.waste[-1]
    return side.demon[-1] if source == DEMON else side.work[source][-1]


def _work_fault(card: int, top: int) -> Fault | None:
    if VALUE[card] != VALUE[top] - 1:
        return "wrong-rank", Law.WORK, f"{TEXT[card]} is not one lower than {TEXT[top]}"
    if RED[card] == RED[top]:
        return "wrong-colour", Law.WORK, f"{TEXT[card]} is of the colour of {TEXT[top]}"
    return None


def _foundation_fault(card: int, name: str, foundation: tuple[int, ...]) -> Fault | None:
    top = foundation[-1]
    suit = SUIT[card] == SUIT[top]
    if is_complete(foundation):
        first = _who_was_first(card, foundation) if suit else _who_put(top)
        return "pile-complete", Law.FOUNDATION, f"{name} is complete: {first}"
    if not suit:
        return "wrong-suit", Law.FOUNDATION, f"{name} is of {SUITS[SUIT[top]]}, the card is {TEXT[card]}"
    if VALUE[card] == VALUE[top] + 1:
        return None
    if VALUE[card] <= VALUE[top]:
        return "wrong-rank", Law.FIRST, f"{name} shows {TEXT[top]}: {_who_was_first(card, foundation)}"
    return "wrong-rank", Law.FOUNDATION, f"{name} shows {TEXT[top]}, the card is {TEXT[card]}"


def _who_was_first(card: int, foundation: tuple[int, ...]) -> str:
    """The loser of a race is told who put the card of that rank there; a card says whose it is."""
    return f"{_who_put(foundation[VALUE[card] - 1])}, before {TEXT[card]}"


def _who_put(card: int) -> str:
    return f"seat {PACK_OF[card]} was first with {TEXT[card]}"


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
