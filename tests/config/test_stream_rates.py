"""Connects to event streams are counted by player, and every one of them by address."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connections

from accounts import services
from accounts.models import Player
from config.streams import Streams
from eventstore import feed
from games import services as games
from tests.conftest import NOW

pytestmark = pytest.mark.django_db(transaction=True)


class Door:
    """Connects to the streams of this process, and goes away as soon as it is answered."""

    def __init__(self) -> None:
        self.streams = Streams(self._otherwise, feed.Hub(feed.waker()))
        self.streams._threads = ThreadPoolExecutor(1)

    async def _otherwise(self, *_: Any) -> None:
        raise AssertionError("not for the streams")

    def connect(self, path: str, token: str, address: str = "198.51.100.7") -> tuple[int, str]:
        """The status, and the seconds to wait if it is too many."""
        return asyncio.run(self._connect(path, token, address))

    async def _connect(self, path: str, token: str, address: str) -> tuple[int, str]:
        sent: list[dict[str, Any]] = []
        answered = asyncio.Event()

        async def receive() -> dict[str, Any]:
            await answered.wait()
            return {"type": "http.disconnect"}

        async def send(message: Any) -> None:
            sent.append(message)
            answered.set()

        scope = {
            "type": "http",
            "method": "GET",
            "path": path,
            "query_string": b"",
            "headers": [(b"accept", b"text/event-stream"), (b"authorization", f"Bearer {token}".encode())],
            "client": (address, 4711),
        }
        await self.streams(scope, receive, send)
        headers = dict(sent[0]["headers"])
        return sent[0]["status"], headers.get(b"retry-after", b"").decode()

    def close(self) -> None:
        self.streams._threads.submit(connections.close_all).result()
        self.streams.close()


@pytest.fixture
def door() -> Any:
    one = Door()
    yield one
    one.close()


@pytest.fixture
def path(player: Player) -> str:
    game = games.create_game(rules="racing-aces", config={}, seats=2, creator=player, now=NOW)
    return f"/api/v1/games/{game.pk}/events/"


def token(player: Player) -> str:
    return services.issue_token(player=player)[1]


def test_a_player_connects_so_often(
    door: Door, path: str, player: Player, rival: Player, settings: Any
) -> None:
    settings.API_RATES = {**settings.API_RATES, "streams": (2, 10**9)}
    anns = token(player)
    assert [door.connect(path, anns)[0] for _ in range(2)] == [200, 200]
    status, wait = door.connect(path, anns)
    assert status == 429
    assert int(wait) > 1
    assert door.connect(path, token(rival))[0] == 200


def test_one_who_is_nobody_is_counted_by_address(door: Door, path: str, settings: Any) -> None:
    settings.API_RATES = {**settings.API_RATES, "requests": (2, 10**9)}
    assert [door.connect(path, "nonsense")[0] for _ in range(3)] == [401, 401, 429]
    assert door.connect(path, "nonsense", address="198.51.100.8")[0] == 401
