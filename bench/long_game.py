"""The cost of each operation on a game of 40,000 events: Racing Demons for eight, in a process with empty caches.

The requests go through all of Django in this process. Processor time and the size of the response are printed. The
bundle, which contains every event, has a separate figure.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from django.db import connection
from django.utils import timezone
from rest_framework.test import APIClient

from accounts.models import Player
from accounts.services import issue_token
from bench._common import size
from games import services, state
from games.evidence import verification
from games.models import GameRecord
from tests.long_games import long_race

EVENTS = size(40_000, 600)
SEATS = 8

MOST_MS = 250.0
MOST_MB = 20.0
"""The targets for processor time and size of any response."""


def measure() -> dict[str, Any]:
    """Print the milliseconds of processor time and megabytes of each operation, and return the largest."""
    now = timezone.now()
    names = [f"seat{seat}" for seat in range(SEATS)] + ["stranger"]
    *seats, stranger = [Player.objects.get_or_create(username=name)[0] for name in names]
    began = time.perf_counter()
    game = long_race(seats, events=EVENTS, now=now)
    print(
        f"a game of {EVENTS:,} events on {connection.vendor}, written in {time.perf_counter() - began:.1f} s"
    )
    base, anyone, own = f"/api/v1/games/{game.pk}/", _client(stranger), _client(seats[0])
    found, slowest = _Figures(), 0.0
    with_first = time.process_time()
    state.cache.clear()
    state.load(game.pk)
    print(
        f"  the first fold, which stores the snapshots: {1000 * (time.process_time() - with_first):,.0f} ms"
    )

    for tail in (
        "",
        "legal-moves/",
        "events/",
        f"events/?after={EVENTS - 500}",
        "replay/",
        f"replay/?at={EVENTS // 2}",
        "recording/?limit=1",
        "recording/",
        f"recording/?after={EVENTS - 500}",
        "verification/",
    ):
        slowest = max(slowest, found.ask(f"GET {tail}", lambda tail=tail: anyone.get(base + tail)))
    for name, key, headers in (
        ("POST moves/, stale", "a", {"HTTP_IF_MATCH": '"0"'}),
        ("POST moves/", "b", {}),
        ("POST moves/, repeated", "b", {}),
    ):
        took = found.ask(name, lambda key=key, headers=headers: _move(own, base, key, **headers))
        slowest = max(slowest, took)
    services.void_game(game_id=game.pk, reason="bench", by=None, now=timezone.now())
    game = GameRecord.objects.get(pk=game.pk)
    began = time.process_time()
    verification.run(game.pk, now=timezone.now())
    print(f"  the job that verifies it: {1000 * (time.process_time() - began):,.0f} ms")
    for tail in (
        "verification/",
        "evidence/",
        f"evidence/?after={EVENTS - 500}",
        f"evidence/{EVENTS}/",
        f"evidence/received/?at={EVENTS}&seat=0",
        "replay/?all=true",
        "recording/?all=true",
        f"recording/?all=true&after={EVENTS - 500}",
    ):
        slowest = max(slowest, found.ask(f"over: GET {tail}", lambda tail=tail: own.get(base + tail)))
    bundle = found.ask("over: GET bundle/", lambda: own.get(f"{base}bundle/"))
    return {
        "database": connection.vendor,
        "slowest_ms": round(slowest, 1),
        "bundle_ms": round(bundle, 1),
        "largest_mb": round(found.largest, 2),
        "allowed_to_slowest_ratio": round(MOST_MS / slowest, 2),
        "allowed_to_largest_ratio": round(MOST_MB / found.largest, 2),
    }


TARGETS = {"allowed_to_slowest_ratio": 1.0, "allowed_to_largest_ratio": 1.0}


class _Figures:
    def __init__(self) -> None:
        self.largest = 0.0

    def ask(self, name: str, request: Callable[[], Any]) -> float:
        """Return the median milliseconds of three requests, each with empty caches."""
        times = []
        for _ in range(3):
            state.cache.clear()
            began = time.process_time()
            answer = request()
            size = len(answer.content) / 1e6
            times.append(1000 * (time.process_time() - began))
            assert answer.status_code in (200, 201, 202, 412), answer.content
        took = sorted(times)[1]
        print(f"  {name:42} {answer.status_code} {took:>8.1f} ms {size:>8.3f} MB")
        self.largest = max(self.largest, size)
        return took


def _client(player: Player) -> APIClient:
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {issue_token(player=player, name='bench')[1]}")
    return client


def _move(client: APIClient, base: str, key: str, **headers: str) -> Any:
    return client.post(
        f"{base}moves/", {"move": {"type": "turn"}}, format="json", HTTP_IDEMPOTENCY_KEY=key, **headers
    )
