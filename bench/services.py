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
from bench._meters import Pace, spent
from bench.store import eventsourcing_pace, raw_postgres_pace, raw_sqlite_pace
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
    raw = raw_postgres_pace if connection.vendor == "postgresql" else raw_sqlite_pace
    player, chance = _player(), random.Random(1)
    sides: dict[str, Callable[[], Pace]] = {
        "raw": lambda: raw(SECONDS),
        "services": lambda: moves_pace(player, chance),
        "services_uncached": lambda: moves_pace(player, chance, cached=False),
    }
    if installed("eventsourcing"):
        sides["eventsourcing"] = lambda: eventsourcing_pace(SECONDS)
        sides["eventsourcing_cached"] = lambda: eventsourcing_pace(SECONDS, cached=1000)
    for pace in sides.values():
        pace()
    slices = [{name: pace() for name, pace in sides.items()} for _ in range(SLICES)]
    figures: dict[str, Any] = {"database": connection.vendor}
    print(f"moves through games.services on {connection.vendor}, one process, medians of {SLICES} slices")
    for name in sides:
        rate, cost = (median(measure) for measure in zip(*(each[name] for each in slices), strict=True))
        figures |= {f"{name}_per_second": round(rate), f"{name}_processor_ms": round(cost, 3)}
        print(f"  {name.replace('_', ' '):20} {rate:>7,.0f} a second, {cost:.3f} ms of processor time each")
    for move, side in (("move", "services"), ("uncached_move", "services_uncached")):
        for name in sides:
            if not name.startswith("services"):
                pairs = [(each[side], each[name]) for each in slices]
                figures |= {
                    f"{move}_to_{name}_ratio": round(median(one.rate / peer.rate for one, peer in pairs), 2),
                    f"{move}_to_{name}_processor_times": round(
                        median(one.times(peer) for one, peer in pairs), 2
                    ),
                }
    return figures


TARGETS = {"move_to_raw_ratio": RAW_FLOOR, "move_to_eventsourcing_ratio": PEER_FLOOR}


def moves_pace(
    player: Player, chance: random.Random, seconds: float = SECONDS, *, cached: bool = True
) -> Pace:
    """Measure moves. Each is a command with an id, and returns the view and the legal moves.

    Without the cache of the process, each move folds its game from the last snapshot.
    """
    took, used, made = 0.0, 0.0, 0
    while took < seconds:
        game = deal(player)
        moves = state.load(game.pk)[1].legal_moves(0)
        before, began = spent(), time.perf_counter()
        for move in _choices(moves, chance):
            if not cached:
                state.cache.clear()
            command = Command(secrets.token_hex(32), "f" * 64)
            played = services.play(
                game_id=game.pk, player=player, move=move, command=command, now=timezone.now()
            )
            moves[:] = played.legal_moves
            made += 1
        took += time.perf_counter() - began
        used += spent() - before
    return Pace(made / took, 1000 * used / made)


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
