"""The cost of a durable move of Vegas Solitaire by `games.services`, compared with a bare store and a library.

The sides are measured by turns in short slices, so that other load on the machine affects them equally. The median of
the ratios of the slices is printed.
"""

from __future__ import annotations

import random
import secrets
import time
from collections.abc import Callable, Iterator
from statistics import median
from typing import Any

from django.db import connection
from django.utils import timezone

from accounts.models import Player
from bench._common import installed, size
from bench.store import eventsourcing_rate, raw_postgres_rate, raw_sqlite_rate
from core.commands import Command
from games import services, state
from games.models import GameRecord

SLICES = size(7, 1)
SECONDS = size(0.7, 0.05)
"""The length of a slice for each side."""

MOVES = 100
"""The maximum for one game. Dealing the next is not measured."""

RAW_FLOOR = 0.40
PEER_FLOOR = 2.5
"""The targets, as ratios."""


def measure() -> dict[str, Any]:
    """Return durable moves a second of games.services, a bare compare-and-set, and `eventsourcing`. Prints ratios."""
    raw = raw_postgres_rate if connection.vendor == "postgresql" else raw_sqlite_rate
    player, chance = _player(), random.Random(1)
    sides: dict[str, Callable[[], float]] = {
        "raw": lambda: raw(SECONDS),
        "services": lambda: moves_rate(player, chance),
        "services_uncached": lambda: moves_rate(player, chance, cached=False),
    }
    if installed("eventsourcing"):
        sides["eventsourcing"] = lambda: eventsourcing_rate(SECONDS)
        sides["eventsourcing_cached"] = lambda: eventsourcing_rate(SECONDS, cached=1000)
    for rate in sides.values():
        rate()
    slices = [{name: rate() for name, rate in sides.items()} for _ in range(SLICES)]
    figures = {
        "database": connection.vendor,
        **{f"{name}_per_second": round(median(each[name] for each in slices)) for name in sides},
        **{
            f"{move}_to_{name}_ratio": round(median(each[side] / each[name] for each in slices), 2)
            for move, side in (("move", "services"), ("uncached_move", "services_uncached"))
            for name in sides
            if not name.startswith("services")
        },
    }
    print(f"moves through games.services on {connection.vendor}, one process, medians of {SLICES} slices")
    for name in sides:
        print(f"  {name.replace('_', ' '):20} {figures[f'{name}_per_second']:>7,} a second")
    return figures


TARGETS = {"move_to_raw_ratio": RAW_FLOOR, "move_to_eventsourcing_ratio": PEER_FLOOR}


def moves_rate(
    player: Player, chance: random.Random, seconds: float = SECONDS, *, cached: bool = True
) -> float:
    """Return moves a second. Each is a command with an id, and returns the view and the legal moves.

    Without the cache of the process, each move folds its game from the last snapshot.
    """
    spent, made = 0.0, 0
    while spent < seconds:
        game = deal(player)
        moves = state.load(game.pk)[1].legal_moves(0)
        began = time.perf_counter()
        for move in _choices(moves, chance):
            if not cached:
                state.cache.clear()
            command = Command(secrets.token_hex(32), "f" * 64)
            played = services.play(
                game_id=game.pk, player=player, move=move, command=command, now=timezone.now()
            )
            moves[:] = played.legal_moves
            made += 1
        spent += time.perf_counter() - began
    return made / spent


def _choices(moves: list[dict[str, Any]], chance: random.Random) -> Iterator[dict[str, Any]]:
    """Yield random legal moves except `collect`, chosen from the present contents of the list."""
    for _ in range(MOVES):
        others = [move for move in moves if move["type"] != "collect"]
        if not others:
            return
        yield chance.choice(others)


def deal(player: Player) -> GameRecord:
    now = timezone.now()
    game = services.create_game(
        rules="vegas-solitaire", config={"draw": 3, "stake": 0}, seats=1, creator=player, now=now
    )
    services.take_seat(game=game, player=player, client_seed="bench", now=now)
    return services.start_game(game=game, actor=player, now=now)


def _player() -> Player:
    return Player.objects.get_or_create(username="benchmark")[0]
