"""The effects of a move of Racing Demons and what settles after it, without judging it (RULEBOOK 6)."""

from __future__ import annotations

from typing import Any

from games.rules.cards import KING
from games.rules.racing_demons.legality import has_a_move
from games.rules.racing_demons.position import (
    BASE,
    BIT,
    COMPLETE,
    DEMON,
    FIRST_MOVE,
    FOUNDATION,
    MOVES,
    MOVES_OF_A_SEAT,
    NEW_FOUNDATION,
    TURN,
    VALUE,
    WASTE,
    Side,
    State,
    between_work_piles,
    taken_by,
    texts,
)

Settled = tuple[dict[str, Any], ...]
"""What followed a move, in order: `{"marked":seat}`, `{"burned":true}`, `{"ended":"stuck"}`."""

BURN_UP = "burn"


def after(state: State, seat: int, action: int) -> tuple[State, Settled]:
    """The state when a legal move has been made and everything has settled."""
    moves = state.moves
    made = moves[seat] + 1
    spent = state.spent | 1 << seat if made >= MOVES_OF_A_SEAT else state.spent
    moves = (*moves[:seat], made, *moves[seat + 1 :])
    if action >= FIRST_MOVE:
        state = _moved(state, seat, action, moves, spent)
        if state.ender is not None:
            return state, ()
    else:
        config, sides, foundations, nexts, wanted, marks, _, burns, _, turn, _, _ = state
        if action == TURN:
            sides = (*sides[:seat], _turned(sides[seat], config.turn), *sides[seat + 1 :])
        else:
            marks |= 1 << seat
        state = State(config, sides, foundations, nexts, wanted, marks, spent, burns, moves, turn, None, None)
    state, settled = _settled(state)
    if state.config.by_turns and state.result is None:
        state = state._replace(turn=_next(state, seat))
    return state, settled


def _next(state: State, seat: int) -> int:
    """The next seat clockwise that has moves left; there is one while the game is on."""
    seats = len(state.sides)
    following = ((seat + step) % seats for step in range(1, seats + 1))
    return next(other for other in following if not state.spent >> other & 1)


def _turned(side: Side, count: int) -> Side:
    demon, work, stock, waste, _, loose, takes = side
    if not stock:
        stock, waste = waste[::-1], ()
    cards = stock[: -count - 1 : -1]
    return Side(demon, work, stock[:-count], waste + cards, len(cards), loose, takes)


def _moved(state: State, seat: int, action: int, moves: tuple[int, ...], spent: int) -> State:
    source, target, count = MOVES[action - FIRST_MOVE]
    config, sides, foundations, nexts, wanted, marks, _, burns, _, turn, _, _ = state
    demon, work, stock, waste, fan, loose, takes = sides[seat]
    frees = True
    if source == DEMON:
        cards, demon = demon[-1:], demon[:-1]
    elif source == WASTE:
        cards, waste = waste[-1:], waste[:-1]
        fan = fan - 1 if fan > 1 else (1 if waste else 0)
        loose ^= BIT[cards[0]]
    else:
        pile = work[source]
        if target >= FOUNDATION:
            count = 1
        cards, rest = pile[-count:], pile[:-count]
        if rest:
            frees = target >= FOUNDATION
        else:
            rest, demon = demon[-1:], demon[:-1]
        work = (*work[:source], rest, *work[source + 1 :])
    if target < FOUNDATION:
        work = (*work[:target], work[target] + cards, *work[target + 1 :])
    else:
        foundations, nexts, wanted = _founded(foundations, nexts, wanted, target, cards)
    if source < DEMON or target < FOUNDATION:
        takes = taken_by(work)
    if frees:
        marks, burns = state.spent, 0
    return State(
        config,
        (*sides[:seat], Side(demon, work, stock, waste, fan, loose, takes), *sides[seat + 1 :]),
        foundations,
        nexts,
        wanted,
        marks,
        spent,
        burns,
        moves,
        turn,
        None if demon else "out",
        None if demon else seat,
    )


def _founded(
    foundations: tuple[tuple[int, ...], ...],
    nexts: tuple[int, ...],
    wanted: int,
    target: int,
    cards: tuple[int, ...],
) -> tuple[tuple[tuple[int, ...], ...], tuple[int, ...], int]:
    """Foundations, what each takes next, and all that they take, with a card put up."""
    card = cards[0]
    following = BASE[card] + 1 if VALUE[card] != KING else COMPLETE
    if target == NEW_FOUNDATION:
        foundations, nexts = (*foundations, cards), (*nexts, following)
    else:
        number = target - FOUNDATION
        foundations = (
            *foundations[:number],
            foundations[number] + cards,
            *foundations[number + 1 :],
        )
        nexts = (*nexts[:number], following, *nexts[number + 1 :])
        if BASE[card] not in nexts:
            wanted &= ~BIT[card]
    if following != COMPLETE:
        wanted |= BIT[following]
    return foundations, nexts, wanted


# --- what settles -----------------------------------------------------------------------------------


def _settled(state: State) -> tuple[State, Settled]:
    """Marks, burn or end follow one another until nothing more follows (RULEBOOK 6 (7))."""
    everybody = state.everybody
    steps: list[dict[str, Any]] = []
    while True:
        marks = state.marks
        if marks != everybody:
            for seat, side in enumerate(state.sides):
                bit = 1 << seat
                if not marks & bit and (state.spent & bit or not has_a_move(side, state.wanted)):
                    marks |= bit
                    steps.append({"marked": seat})
        if marks != everybody:
            return (state._replace(marks=marks) if steps else state), tuple(steps)
        if state.config.stuck != BURN_UP or state.burns >= state.config.turn - 1:
            steps.append({"ended": "stuck"})
            return state._replace(marks=marks, result="stuck"), tuple(steps)
        steps.append({"burned": True})
        state = state._replace(
            sides=tuple([_burned(side) for side in state.sides]), marks=state.spent, burns=state.burns + 1
        )


def _burned(side: Side) -> Side:
    """The waste from its bottom, then the stock from its top, the first of these moved to the end."""
    in_order = side.waste + side.stock[::-1]
    in_order = in_order[1:] + in_order[:1]
    return side._replace(stock=in_order[::-1], waste=(), fan=0)


# --- what it reveals --------------------------------------------------------------------------------


def facts_of(state: State, seat: int, action: int, settled: Settled) -> dict[str, Any]:
    """The facts of a move made in `state` (RULEBOOK 9)."""
    side = state.sides[seat]
    facts: dict[str, Any] = {}
    if action == TURN:
        turned = _turned(side, state.config.turn)
        facts["cards"] = texts(turned.waste[len(turned.waste) - turned.fan :])
        if not side.stock:
            facts["flipped"] = True
    elif action >= FIRST_MOVE:
        source, target, count = MOVES[action - FIRST_MOVE]
        pile = (*side.work, side.demon, side.waste)[source]
        cards = pile[-count if between_work_piles(source, target) else -1 :]
        facts["cards"] = texts(cards)
        if target == NEW_FOUNDATION:
            facts["foundation"] = len(state.foundations)
        if source < DEMON and len(cards) == len(pile):
            facts["filled"] = texts(side.demon[-1:])[0]
    if settled:
        facts["settled"] = list(settled)
    return facts
