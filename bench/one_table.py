"""Eight concurrent players at one table: the moves a second that its stream accepts, without loss or duplicates.

All moves are appended to one stream, so the rates are compared with that of one player alone, who makes one move after
the other. The eight players are threads of one process, separate processes, and clients of a server with two workers.
The sides are measured by turns in short slices, so that other load on the machine affects them equally.
"""

from __future__ import annotations

import multiprocessing
import secrets
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack
from statistics import median
from typing import Any
from uuid import UUID

from django.db import connection, connections
from django.utils import timezone

from accounts.models import Player
from accounts.services import issue_token
from bench._common import size
from bench.http import WORKERS, Requests, serving, together
from core.commands import Command
from eventstore import store
from games import selectors, services
from games.models import GameRecord

SEATS = 8
SLICES = size(5, 1)
SECONDS = size(1.5, 0.1)
"""The length of a slice for each side."""
TARGET = 200
"""Moves a second."""
TARGETS = {"threads_ratio": 1.0, "processes_ratio": 1.0, "http_ratio": 1.0}
"""Ratios to the target."""

TURN = {"type": "turn"}
"""A move that is always legal and never the last, so that the game continues during the measurement."""


def measure() -> dict[str, Any]:
    """Return accepted moves a second at one table. Prints each rate and its ratio to one player alone."""
    with ExitStack() as servers:
        sides: dict[str, Callable[[], float]] = {
            "alone": _alone,
            "threads": _threads,
            "processes": _processes,
        }
        if connection.vendor == "postgresql":
            server = servers.enter_context(serving("config.asgi:application", "bench._unlimited"))
            sides["http"] = lambda: _clients(server.port)
        for side in sides.values():
            side()
        slices = [{name: side() for name, side in sides.items()} for _ in range(SLICES)]
    rates = {name: median(each[name] for each in slices) for name in sides}
    of_alone = {name: median(each[name] / each["alone"] for each in slices) for name in sides}
    print(
        f"one table, {SEATS} players at once, on {connection.vendor}, medians of {SLICES} slices (target: {TARGET})"
    )
    for name, rate in rates.items():
        print(f"  {name:9} {rate:>6,.0f} moves a second  {of_alone[name]:.2f} of one alone")
    return {
        "database": connection.vendor,
        **{f"{name}_per_second": round(rate) for name, rate in rates.items()},
        **{f"{name}_ratio": round(rate / TARGET, 2) for name, rate in rates.items() if name != "alone"},
        "http_workers": WORKERS,
    }


def deal() -> tuple[UUID, list[Player]]:
    now = timezone.now()
    players = [Player.objects.get_or_create(username=f"racer-{seat}")[0] for seat in range(SEATS)]
    game = services.create_game(rules="racing-demons", config={}, seats=SEATS, creator=players[0], now=now)
    for player in players:
        services.take_seat(game=game, player=player, client_seed="bench", now=now)
    services.start_game(game=game, actor=players[0], now=now)
    return game.pk, players


def checked(game: UUID, moves: int) -> None:
    """Check that the stream contains exactly the accepted moves and that the game verifies."""
    recorded = sum("move" in event.data for event in store.read(game))
    if recorded != moves:
        raise AssertionError(f"{moves} moves were accepted, {recorded} are in the stream")
    if not selectors.verification(GameRecord.objects.get(pk=game))["ok"]:
        raise AssertionError("the game does not verify")


def turns(game: UUID, player: Player, until: float) -> int:
    """Make moves of one player until the time, and return their number."""
    made = 0
    while time.time() < until:
        command = Command(secrets.token_hex(32), "f" * 64)
        services.play(game_id=game, player=player, move=TURN, command=command, now=timezone.now())
        made += 1
    return made


def _alone() -> float:
    game, players = deal()
    began = time.time()
    made = turns(game, players[0], began + SECONDS)
    taken = time.time() - began
    checked(game, made)
    return made / taken


def _threads() -> float:
    game, players = deal()
    made: list[int] = []
    began = time.time()

    def run(player: Player) -> None:
        try:
            made.append(turns(game, player, began + SECONDS))
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=(player,)) for player in players]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    taken = time.time() - began
    checked(game, sum(made))
    return sum(made) / taken


def _processes() -> float:
    """Return the rate of processes, measured from the time when the last is ready."""
    game, players = deal()
    connections.close_all()
    context = multiprocessing.get_context("fork")
    answers, start = context.Queue(), context.Barrier(SEATS + 1)

    def run(player: Player) -> None:
        connection.ensure_connection()
        start.wait()
        answers.put(turns(game, player, time.time() + SECONDS))

    processes = [context.Process(target=run, args=(player,)) for player in players]
    for process in processes:
        process.start()
    start.wait()
    began = time.time()
    made = sum(answers.get(timeout=SECONDS + 60) for _ in processes)
    taken = time.time() - began
    for process in processes:
        process.join()
    checked(game, made)
    return made / taken


def _clients(port: int) -> float:
    game, players = deal()
    path = f"/api/v1/games/{game}/moves/"
    clients = [
        Requests(path, f"Bearer {issue_token(player=player)[1]}", moves=("turn",)) for player in players
    ]
    made = together(port, clients, SECONDS)
    checked(game, made.moves)
    return made.rate
