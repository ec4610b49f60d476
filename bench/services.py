"""What a durable move of Vegas costs through `games.services`, beside the least a store must do and a library.

Each side plays by turns in short slices, so that what else the machine does meets them alike; the median of the
slices' ratios is told.
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
from bench.store import eventsourcing_rate, raw_postgres_rate, raw_sqlite_rate
from core.commands import Command
from games import services, state
from games.models import GameRecord

SLICES = 7
SECONDS = 0.7
"""Of each side, in each slice."""

MOVES = 100
"""At most, of one game; then the next is dealt, outside of the time that counts."""

RAW_FLOOR = 0.40
PEER_FLOOR = 2.5
"""What is asked for, as ratios."""


def measure() -> dict[str, Any]:
    """Durable moves a second by games.services, by a bare compare-and-set, by `eventsourcing`. Prints the ratios."""
    raw = raw_postgres_rate if connection.vendor == "postgresql" else raw_sqlite_rate
    player, chance = _player(), random.Random(1)
    sides: dict[str, Callable[[], float]] = {
        "raw": lambda: raw(SECONDS),
        "services": lambda: moves_rate(player, chance),
        "eventsourcing": lambda: eventsourcing_rate(SECONDS),
        "eventsourcing_cached": lambda: eventsourcing_rate(SECONDS, remembered=1000),
    }
    for rate in sides.values():
        rate()
    slices = [{name: rate() for name, rate in sides.items()} for _ in range(SLICES)]
    to_raw = median(each["services"] / each["raw"] for each in slices)
    to_peer = median(each["services"] / each["eventsourcing"] for each in slices)
    to_cached = median(each["services"] / each["eventsourcing_cached"] for each in slices)
    figures = {
        "database": connection.vendor,
        **{
            f"{name.replace(' ', '_')}_per_second": round(median(each[name] for each in slices))
            for name in sides
        },
        "move_to_raw_ratio": round(to_raw, 2),
        "move_to_eventsourcing_ratio": round(to_peer, 2),
        "move_to_eventsourcing_cached_ratio": round(to_cached, 2),
    }
    print(f"moves through games.services on {connection.vendor}, one process, medians of {SLICES} slices")
    for name in sides:
        print(f"  {name:20} {figures[f'{name}_per_second']:>7,} a second")
    print(f"  of raw {to_raw:.2f} (asked: {RAW_FLOOR}), of eventsourcing {to_peer:.1f} (asked: {PEER_FLOOR})")
    return figures


TARGETS = {"move_to_raw_ratio": RAW_FLOOR, "move_to_eventsourcing_ratio": PEER_FLOOR}


def moves_rate(player: Player, chance: random.Random, seconds: float = SECONDS) -> float:
    """Moves a second; every one a command with its own id, answered with view and legal moves."""
    spent, made = 0.0, 0
    while spent < seconds:
        game = deal(player)
        moves = state.load(game.pk)[1].legal_moves(0)
        began = time.perf_counter()
        for move in _choices(moves, chance):
            command = Command(secrets.token_hex(32), "f" * 64)
            played = services.play(
                game_id=game.pk, player=player, move=move, command=command, now=timezone.now()
            )
            moves[:] = played.legal_moves
            made += 1
        spent += time.perf_counter() - began
    return made / spent


def _choices(moves: list[dict[str, Any]], chance: random.Random) -> Iterator[dict[str, Any]]:
    """Any legal moves but collecting, chosen from what the list holds at that time."""
    for _ in range(MOVES):
        going_on = [move for move in moves if move["type"] != "collect"]
        if not going_on:
            return
        yield chance.choice(going_on)


def deal(player: Player) -> GameRecord:
    now = timezone.now()
    game = services.create_game(
        rules="vegas-solitaire", config={"draw": 3, "stake": 0}, seats=1, creator=player, now=now
    )
    services.take_seat(game=game, player=player, client_seed="bench", now=now)
    return services.start_game(game=game, actor=player, now=now)


def _player() -> Player:
    return Player.objects.get_or_create(username="benchmark")[0]
