"""Helpers for Racing Demons: positions written as text, and moves."""

from __future__ import annotations

from typing import Any

import pytest

from games.rules import Fact, GameKey, Refused, get
from games.rules.racing_demons import RacingDemons, Side, State
from games.rules.racing_demons.position import ACES, BASE, BIT, CARD, COMPLETE, bits, side, undealt

GAME: RacingDemons = get("racing-demons")  # type: ignore[assignment]
SEED = bytes(range(32))

TURN: dict[str, Any] = {"type": "turn"}
STUCK: dict[str, Any] = {"type": "stuck"}
PASS: dict[str, Any] = {"type": "pass"}
IDLE = ("KC", "KD", "KH", "KS")
"""Work piles that take a Queen and nothing else."""


def move(source: str, to: str, count: int | None = None) -> dict[str, Any]:
    keys: dict[str, Any] = {"type": "move", "from": source, "to": to}
    return keys if count is None else keys | {"count": count}


def hand(
    demon: str = "9C 9S",
    work: tuple[str, ...] = IDLE,
    stock: str = "AD",
    waste: str = "",
    fan: int | None = None,
) -> dict[str, Any]:
    """Return one side. Piles are text, last card on top. An Ace in its stock prevents it from being stuck."""
    return {"demon": demon, "work": work, "stock": stock, "waste": waste, "fan": fan}


HOPELESS = hand(stock="")


def position(
    *hands: dict[str, Any],
    foundations: tuple[str, ...] = (),
    marked: tuple[int, ...] = (),
    burns: int = 0,
    moves: tuple[int, ...] | None = None,
    to_move: int = 0,
    **config: Any,
) -> State:
    """Return a position. Cards of a foundation have their packs (`AH.1 2H.0`), cards of a side have none."""
    piles = tuple(tuple(CARD[card] for card in text.split()) for text in foundations)
    nexts = tuple(COMPLETE if len(pile) == 13 else BASE[pile[-1]] + 1 for pile in piles)
    sides = tuple(_side(each, seat) for seat, each in enumerate(hands))
    return undealt(GAME.parse_config(config))._replace(
        sides=sides,
        foundations=piles,
        nexts=nexts,
        wanted=ACES | sum({BIT[card] for card in nexts if card != COMPLETE}),
        marks=sum(1 << seat for seat in marked),
        burns=burns,
        moves=moves or (0,) * len(hands),
        turn=to_move,
    )


def _side(written: dict[str, Any], seat: int) -> Side:
    def pile(text: str) -> tuple[int, ...]:
        return tuple(CARD[f"{card}.{seat}"] for card in text.split())

    waste = pile(written["waste"])
    fan = min(len(waste), 3) if written["fan"] is None else written["fan"]
    work = tuple(pile(text) for text in written["work"])
    return side(pile(written["demon"]), work, stock=pile(written["stock"]), waste=waste, fan=fan)


def dealt(seats: int = 2, seed: bytes = SEED, **config: Any) -> State:
    parsed = GAME.parse_config(config)
    key = GameKey(seed, ["ann", *[""] * (seats - 1)])
    return after(GAME.initial(parsed, seats), GAME.deal(parsed, seats, key))


def after(state: State, *facts: Fact) -> State:
    for fact in facts:
        state = GAME.evolve(state, fact.type, fact.seat, fact.data, fact.private)
    return state


def play(state: State, seat: int, *moves: dict[str, Any]) -> State:
    """Return the state after moves of one seat, each of which must be legal."""
    for each in moves:
        state = after(state, *GAME.decide(state, seat, each))
    return state


def facts(state: State, seat: int, made: dict[str, Any]) -> dict[str, Any]:
    """Return the facts of a legal move."""
    found: dict[str, Any] = GAME.decide(state, seat, made)[0].data["facts"]
    return found


def refusal(state: State, seat: int | None, made: object) -> Refused:
    with pytest.raises(Refused) as caught:
        GAME.decide(state, seat, made)
    return caught.value


def consistent(state: State) -> bool:
    """Return whether the bit sets agree with the cards."""
    return all(
        each == side(each.demon, each.work, stock=each.stock, waste=each.waste, fan=each.fan)
        for each in state.sides
    ) and state.wanted == ACES | bits(card for card in state.nexts if card != COMPLETE)
