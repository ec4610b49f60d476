"""How fast games are played by chance with full lists of legal moves, beside other libraries' in the same run.

Moves a second of processor time on one core. A game is dealt before the clock starts (the peers' games are set up
before it too) and played to its end; where several seats may act, chance says which does.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from typing import Any, cast

from games.rules import GameKey, get
from games.rules.protocol import Searchable

MOVES = 60_000
"""A round takes as many games as this many moves need."""
ROUNDS = 3
"""The best of so many is taken: what else the machine does is not the games' speed."""
START_POSITIONS = 2_000
"""Used again from the first when there are not enough; chance plays each differently."""

OURS: Sequence[tuple[str, dict[str, Any], int, int, str]] = (
    ("vegas-solitaire", {"draw": 3}, 1, 60_000, "solitaire"),
    ("idle-aces", {}, 1, 100_000, "solitaire"),
    ("ace-race", {}, 4, 40_000, "uno"),
    ("racing-demons", {}, 4, 40_000, "solitaire"),
    ("racing-aces", {}, 0, 300_000, "uno"),
)
"""Slug, config, seats, the moves a second asked for, and the peer that it is most like."""

TARGETS = {f"{slug}_ratio".replace("-", "_"): 1.0 for slug, *_ in OURS}

Round = Callable[[], int]
"""Plays games until MOVES are made; how many moves it made."""


def measure() -> dict[str, Any]:
    """Moves a second of each, with ratios to what is asked for and to the peer; prints a line for each."""
    print(f"playouts by chance, moves a second (best of {ROUNDS} rounds of {MOVES:,} moves)")
    peers = {name: _peer(name, prepare) for name, prepare in PEERS.items()}
    figures: dict[str, Any] = {f"{name}_moves_per_second": speed for name, speed in peers.items()}
    for slug, config, seats, asked, peer in OURS:
        found = _speed(_ours(slug, config, seats))
        name = slug.replace("-", "_")
        figures[f"{name}_moves_per_second"] = round(found)
        figures[f"{name}_ratio"] = round(found / asked, 2)
        line = f"  {slug:18} {found:>9,.0f}   {found / asked:.2f} of {asked:,}"
        if beside := peers[peer]:
            figures[f"{name}_by_{peer}_ratio"] = round(found / beside, 2)
            line += f"; {found / beside:.2f} of {peer}"
        print(line, flush=True)
    return figures


def _speed(play: Round) -> float:
    """Moves a second."""
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
    """Play to the end by chance; how many moves that took."""
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
