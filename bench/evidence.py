"""The evidence of a game of 500 events over the API: every event with its verdict, text, and request metadata.

The request goes through all of Django in this process. Wall time and processor time are printed.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from statistics import median
from typing import Any
from unittest.mock import patch

from django.db import connection
from django.utils import timezone
from rest_framework.test import APIClient

from accounts.models import Player
from accounts.services import issue_token
from bench._common import size
from core.commands import Command, Origin
from games import services, state
from games.models import GameRecord

EVENTS = size(500, 30)
TIMES = size(15, 1)

DEALS = 20
ALLOWED = 300.0
"""The target in milliseconds."""


def measure() -> dict[str, Any]:
    """Return the milliseconds of the page of all events, of one event, and of what a seat received."""
    player = Player.objects.get_or_create(username="benchmark")[0]
    game = played(player)
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {issue_token(player=player, name='bench')[1]}")
    base = f"/api/v1/games/{game.pk}/evidence/"

    def ask(address: str) -> Callable[[], None]:
        def once() -> None:
            answer = client.get(address)
            assert answer.status_code == 200, answer.content

        return once

    shown = client.get(base).json()
    assert (shown["version"], len(shown["results"]), shown["divergence"]) == (EVENTS, EVENTS, None)
    with patch("rest_framework.throttling.SimpleRateThrottle.allow_request", return_value=True):
        found = {
            "page": _timed(ask(base)),
            "event": _timed(ask(f"{base}{EVENTS}/")),
            "received": _timed(ask(f"{base}received/?at={EVENTS}&seat=0")),
        }
    print(f"evidence of a game of {EVENTS} events on {connection.vendor}, medians of {TIMES}")
    for name, (passed, spent) in found.items():
        print(f"  {name:10} {passed:>7.1f} ms, of the processor {spent:>7.1f} ms")
    return {
        "database": connection.vendor,
        **{f"{name}_ms": round(passed, 1) for name, (passed, _) in found.items()},
        "allowed_to_page_ratio": round(ALLOWED / found["page"][0], 2),
    }


TARGETS = {"allowed_to_page_ratio": 1.0}


def played(player: Player) -> GameRecord:
    """Play Idle Aces back and forth between two piles for the required number of events, then resign.

    A deal that ends before is dealt again: the bench draws its seeds like any other game.
    """
    for _ in range(DEALS):
        if game := _endless(player):
            return game
    raise RuntimeError(f"none of {DEALS} deals lasted for {EVENTS} events")


def _endless(player: Player) -> GameRecord | None:
    now = timezone.now()
    game = services.create_game(rules="idle-aces", config={}, seats=1, creator=player, now=now)
    services.take_seat(game=game, player=player, client_seed="bench", now=now)
    services.start_game(game=game, actor=player, now=now)
    for number in range(EVENTS - 5):
        made = services.play(
            game_id=game.pk, player=player, move=_next(game, number), command=_command(player), now=now
        )
        if made.version != number + 4:
            return None
    services.play(game_id=game.pk, player=player, move={"type": "resign"}, command=_command(player), now=now)
    return game


def _next(game: GameRecord, number: int) -> dict[str, Any]:
    """Return a play if there is one, else draw. Cards that move back and forth make the game endless."""
    moves = state.load(game.pk)[1].legal_moves(0)
    plays = [move for move in moves if move["type"] == "play"]
    others = [move for move in moves if move["type"] in ("draw", "redeal")]
    return plays[number % len(plays)] if plays and (number % 3 or not others) else others[0]


def _command(player: Player) -> Command:
    return Command(
        secrets.token_hex(32), "f" * 64, Origin(player.pk, "a" * 15, "2026-03-01T12:00:00.000000Z")
    )


def _timed(once: Callable[[], None]) -> tuple[float, float]:
    """Return milliseconds of wall time and of processor time."""
    once()
    times = []
    for _ in range(TIMES):
        began, cpu = time.perf_counter(), time.process_time()
        once()
        times.append((time.perf_counter() - began, time.process_time() - cpu))
    return 1000 * median(passed for passed, _ in times), 1000 * median(spent for _, spent in times)
