"""The speed of random games with complete lists of legal moves, compared with other libraries in the same run.

The figures are moves a second of processor time on one core. Games are dealt before the measurement and played to their
end. If several seats may act, a random one does.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from typing import Any, cast

from bench._common import size
from games.rules import GameKey, get
from games.rules.protocol import Searchable

MOVES = size(60_000, 200)
"""The number of moves in a round."""
ROUNDS = size(3, 1)
"""The number of rounds. The best is taken, because other load on the machine is not part of the measurement."""
START_POSITIONS = size(2_000, 10)
"""The number of deals, which are used again if necessary and played differently each time."""

OURS: Sequence[tuple[str, dict[str, Any], int, int, str]] = (
    ("vegas-solitaire", {"draw": 3}, 1, 60_000, "solitaire"),
    ("idle-aces", {}, 1, 100_000, "solitaire"),
    ("ace-race", {}, 4, 40_000, "uno"),
    ("racing-demons", {}, 4, 40_000, "solitaire"),
    ("racing-aces", {}, 0, 300_000, "uno"),
)
"""Slug, config, seats, the target in moves a second, and the most similar game of a peer."""

TARGETS = {f"{slug}_ratio".replace("-", "_"): 1.0 for slug, *_ in OURS}
COMPILED_TARGETS = TARGETS | {"vegas_solitaire_by_solitaire_ratio": 1.0}

Round = Callable[[], int]
"""A function that plays games until MOVES are made, and returns their number."""


def measure() -> dict[str, Any]:
    """Return moves a second of each game, with ratios to the target and to the peer. Prints a line for each."""
    print(f"random playouts, moves a second (best of {ROUNDS} rounds of {MOVES:,} moves)")
    peers = {name: _peer(name, prepare) for name, prepare in PEERS.items()}
    figures: dict[str, Any] = {f"{name}_moves_per_second": speed for name, speed in peers.items()}
    for slug, config, seats, target, peer in OURS:
        found = _speed(_ours(slug, config, seats))
        name = slug.replace("-", "_")
        figures[f"{name}_moves_per_second"] = round(found)
        figures[f"{name}_ratio"] = round(found / target, 2)
        line = f"  {slug:18} {found:>9,.0f}   {found / target:.2f} of {target:,}"
        if peer_speed := peers[peer]:
            figures[f"{name}_by_{peer}_ratio"] = round(found / peer_speed, 2)
            line += f"; {found / peer_speed:.2f} of {peer}"
        print(line, flush=True)
    return figures


def _speed(play: Round) -> float:
    """Return moves a second, in the best round."""
    found = []
    for _ in range(ROUNDS):
        began = time.process_time()
        moves = play()
        found.append(moves / (time.process_time() - began))
    return max(found)


def _ours(slug: str, config: dict[str, Any], seats: int) -> Round:
    game = cast("Searchable", get(slug))
    parsed, rng = game.parse_config(config), random.Random(1)
    starts = []
    for number in range(START_POSITIONS):
        key = GameKey(number.to_bytes(32, "big"), [""] * seats)
        starts.append(game.evolve(game.initial(parsed, seats), *game.deal(parsed, seats, key)))

    def play() -> int:
        moves = 0
        while True:
            for state in starts:
                moves += playout(game, state, rng)
                if moves >= MOVES:
                    return moves

    return play


def playout(game: Searchable, state: Any, rng: random.Random) -> int:
    """Play to the end by random moves, and return their number."""
    legal_actions, apply_action, is_over, to_act = (
        game.legal_actions,
        game.apply_action,
        game.is_over,
        game.to_act,
    )
    moves = 0
    while not is_over(state):
        waiting = to_act(state)
        if len(waiting) < 2:
            seat = waiting[0] if waiting else None
            actions = legal_actions(state, seat)
        else:
            seat = rng.choice(waiting)
            actions = legal_actions(state, seat)
            if not actions:
                waiting = [other for other in waiting if legal_actions(state, other)]
                seat = rng.choice(waiting)
                actions = legal_actions(state, seat)
        state = apply_action(state, seat, rng.choice(actions), rng)
        moves += 1
    return moves


def _peer(name: str, prepare: Callable[[random.Random], Round]) -> int | None:
    try:
        play = prepare(random.Random(1))
    except ImportError as missing:
        print(f"  {name:18} not measured: {missing.name} is not installed here")
        return None
    found = _speed(play)
    print(f"  {name:18} {found:>9,.0f}   {prepare.__doc__}", flush=True)
    return round(found)


def _open_spiel(rng: random.Random) -> Round:
    """OpenSpiel (C++, called from Python); each card that it turns up counts as a move too"""
    import pyspiel

    game = pyspiel.load_game("solitaire")

    def play() -> int:
        moves = 0
        while moves < MOVES:
            state = game.new_initial_state()
            while not state.is_terminal():
                state.apply_action(rng.choice(state.legal_actions()))
                moves += 1
        return moves

    return play


def _rlcard(rng: random.Random) -> Round:
    """RLCard (Python), its bare game without observations"""
    from rlcard.games.uno import Game

    def play() -> int:
        moves = 0
        while moves < MOVES // 4:
            game = Game()
            game.init_game()
            while not game.is_over():
                game.step(rng.choice(game.get_legal_actions()))
                moves += 1
        return moves

    return play


def _chess(rng: random.Random) -> Round:
    """python-chess (Python)"""
    import chess

    def play() -> int:
        moves = 0
        while moves < MOVES // 4:
            board = chess.Board()
            while not board.is_game_over():
                board.push(rng.choice(list(board.legal_moves)))
                moves += 1
        return moves

    return play


PEERS: dict[str, Callable[[random.Random], Round]] = {
    "solitaire": _open_spiel,
    "uno": _rlcard,
    "chess": _chess,
}
