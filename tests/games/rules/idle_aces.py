"""Helpers for Idle Aces: positions written as text, and short forms of moves."""

from __future__ import annotations

import random
from collections.abc import Sequence

from games.rules import Fact, GameKey, Refused, get
from games.rules.idle_aces import Config, IdleAces, State
from games.rules.idle_aces.position import BASES, CARD, DECK, VALUE

GAME = get("idle-aces")
assert isinstance(GAME, IdleAces)

DRAW, REDEAL, RESIGN = ({"type": kind} for kind in ("draw", "redeal", "resign"))
PILES = [*(f"twos:{n}" for n in range(4)), *(f"kings:{n}" for n in range(4))]
UNIVERSE = [
    DRAW,
    REDEAL,
    RESIGN,
    *({"type": "play", "from": source, "to": to} for source in ["waste", *PILES] for to in [*PILES, "aces"]),
]
"""Every well-formed move."""


def play(source: str, target: str) -> dict[str, str]:
    return {"type": "play", "from": source, "to": target}


def cards(text: str) -> tuple[int, ...]:
    return tuple([CARD[card] for card in text.split()])


def position(
    *,
    twos: Sequence[str] = (),
    kings: Sequence[str] = (),
    stock: str = "5S.b",
    waste: str = "",
    aces: str = "",
    redeals_left: int = 1,
) -> State:
    """Return a position. Piles are text without their bases, last card on top. Suits do not matter."""
    built = [*twos, *[""] * (4 - len(twos)), *kings, *[""] * (4 - len(kings))]
    return State(
        Config(redeals=1),
        cards(stock),
        cards(waste),
        redeals_left,
        tuple([(base, *cards(text)) for base, text in zip(BASES, built, strict=True)]),
        cards(aces),
        0,
        None,
    )


def run(first: str, last: str, suit: str = "S", pack: str = "b") -> str:
    """Return the cards of one suit from one rank to another, up or down."""
    ranks = "A23456789TJQK"
    start, end = ranks.index(first), ranks.index(last)
    step = 1 if end >= start else -1
    return " ".join(f"{ranks[rank]}{suit}.{pack}" for rank in range(start, end + step, step))


def dealt(number: int = 0, **config: int) -> State:
    parsed = GAME.parse_config(config)
    return evolved(
        GAME.initial(parsed, 1), GAME.deal(parsed, 1, GameKey(number.to_bytes(32, "big"), ["idle"]))
    )


def evolved(state: State, *facts: Fact) -> State:
    for fact in facts:
        state = GAME.evolve(state, *fact)
    return state


def after(state: State, *moves: dict[str, str]) -> State:
    """Return the state after moves of seat 0, each of which must be legal."""
    for move in moves:
        state = evolved(state, *GAME.decide(state, 0, move))
    return state


def refused(state: State, move: object, seat: int | None = 0) -> Refused | None:
    try:
        GAME.decide(state, seat, move)
    except Refused as refusal:
        return refusal
    return None


def refusal(state: State, move: object, seat: int | None = 0) -> Refused:
    caught = refused(state, move, seat)
    assert caught is not None, f"{move} was accepted"
    return caught


def plays(state: State) -> list[tuple[str, str]]:
    return [(move["from"], move["to"]) for move in GAME.legal_moves(state, 0) if move["type"] == "play"]


def all_cards(state: State) -> list[int]:
    return sorted([*state.stock, *state.waste, *state.aces, *(card for pile in state.piles for card in pile)])


EVERY_CARD = sorted([*BASES, *DECK])


def by_chance(state: State, rng: random.Random, moves: int) -> State:
    """Return the state after up to a number of random moves, without resigning."""
    for _ in range(moves):
        if GAME.is_over(state):
            break
        actions = GAME.legal_actions(state, 0)
        state = GAME.apply_action(state, 0, rng.choice(actions[:-1] or actions))
    return state


def value(card: str) -> int:
    return VALUE[CARD[card]]
