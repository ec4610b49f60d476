"""Connects to event streams are counted by player, and every one of them by address."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from types import SimpleNamespace
from typing import Any
from uuid import UUID

import pytest
from django.db import connections

from accounts import services
from accounts.models import Player
from config.streams.application import Streams
from eventstore import feed
from games import selectors
from games import services as games
from tests.conftest import NOW
from tests.long_games import long_race

pytestmark = pytest.mark.django_db(transaction=True)


class Door:
    """Connects to the streams of this process, and goes away as soon as it is answered."""

    def __init__(self) -> None:
        self.streams = Streams(self._otherwise, feed.Hub(feed.waker()))
        self.streams._threads = ThreadPoolExecutor(1)
        self.hints: dict[UUID, int] = {}
        """Sent when the first events have been."""

    async def _otherwise(self, *_: Any) -> None:
        raise AssertionError("not for the streams")

    def connect(self, path: str, token: str, address: str = "198.51.100.7") -> tuple[int, str]:
        """The status, and the seconds to wait if it is too many."""
        sent = asyncio.run(self._connect(path, token, address, 0))
        headers = dict(sent[0]["headers"])
        return sent[0]["status"], headers.get(b"retry-after", b"").decode()

    def ids(self, path: str, token: str, events: int) -> list[str]:
        """The ids of the first events that are sent."""
        sent = asyncio.run(self._connect(path, token, "198.51.100.7", events))
        bodies = [message.get("body", b"").decode() for message in sent]
        return [body.split()[1] for body in bodies if body.startswith("id:")]

    async def _connect(self, path: str, token: str, address: str, events: int) -> list[dict[str, Any]]:
        """What is sent until so many events were."""
        sent: list[dict[str, Any]] = []
        answered = asyncio.Event()

        async def receive() -> dict[str, Any]:
            await answered.wait()
            for subscription in self.streams.hub._subscriptions:
                subscription.hint(self.hints)
            for _ in range(20):
                await asyncio.sleep(0)
            # The read that a hint has caused ends before this one in the only thread.
            await asyncio.get_running_loop().run_in_executor(self.streams._threads, int)
            return {"type": "http.disconnect"}

        async def send(message: Any) -> None:
            sent.append(message)
            if sum(message.get("body", b"").startswith(b"id:") for message in sent) >= events:
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
        return sent

    def close(self) -> None:
        self.streams._threads.submit(connections.close_all).result()
        self.streams.close()


@pytest.fixture
def door() -> Any:
    one = Door()
    yield one
    one.close()


@pytest.fixture
def sizes(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many events each read of a game finds."""
    found: list[int] = []
    events_for = selectors.events_for

    def counted(*given: Any, **more: Any) -> Any:
        events = events_for(*given, **more)
        found.append(len(events))
        return events

    shared_events = selectors.shared_events

    def counted_together(*given: Any, **more: Any) -> Any:
        shared = shared_events(*given, **more)
        found.append(max(map(len, shared.events.values())))
        return shared

    monkeypatch.setattr("games.selectors.events_for", counted)
    monkeypatch.setattr("games.selectors.shared_events", counted_together)
    return found


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


def test_anonymous_callers_are_counted_by_address(door: Door, path: str, settings: Any) -> None:
    settings.API_RATES = {**settings.API_RATES, "requests": (2, 10**9)}
    assert [door.connect(path, "nonsense")[0] for _ in range(3)] == [401, 401, 429]
    assert door.connect(path, "nonsense", address="198.51.100.8")[0] == 401


def test_a_refused_connection_reads_no_event(
    door: Door, path: str, player: Player, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither over the rate, nor without a place, nor over the budget."""
    read: list[Any] = []
    monkeypatch.setattr("games.selectors.events_for", lambda *given, **_: read.append(given) or [])
    anns = token(player)
    settings.STREAMS_PER_PLAYER = 0
    assert door.connect(path, anns)[0] == 429
    settings.STREAMS_PER_PLAYER = 20
    settings.API_BUDGETS = {"history": (0, 60, 10**9)}
    assert door.connect(path, anns)[0] == 429
    settings.API_BUDGETS = {"history": (20, 60, 60)}
    settings.API_RATES = {**settings.API_RATES, "streams": (0, 10**9)}
    assert door.connect(path, anns)[0] == 429
    assert read == []


def test_old_events_are_charged_to_the_budget(
    door: Door, player: Player, rival: Player, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("config.streams.reads.PAGE", 2)
    monkeypatch.setattr("config.streams.reads.time", SimpleNamespace(thread_time=count(step=10).__next__))
    settings.API_BUDGETS = {"history": (5, 60, 10**9)}
    game = long_race([player, rival], events=9, now=NOW)
    path = f"/api/v1/games/{game.pk}/events/"
    anns = token(player)
    assert door.ids(path, anns, 2) == ["1", "2"]
    assert door.connect(path, anns)[0] == 429


def test_a_place_is_given_back_by_who_may_not_see(door: Door, player: Player, settings: Any) -> None:
    settings.STREAMS_PER_PLAYER = 1
    hidden = "/api/v1/games/00000000-0000-4000-8000-000000000000/events/"
    assert [door.connect(hidden, token(player))[0] for _ in range(3)] == [404, 404, 404]


def test_old_events_are_sent_in_pages(
    door: Door, player: Player, rival: Player, sizes: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """All of them, in order, and never more than a page is read at a time."""
    monkeypatch.setattr("config.streams.reads.PAGE", 2)
    game = long_race([player, rival], events=9, now=NOW)
    path = f"/api/v1/games/{game.pk}/events/"
    assert door.ids(path, token(player), 9) == [str(version) for version in range(1, 10)]
    assert max(sizes) == 2


def test_a_hint_about_sent_events_reads_nothing(
    door: Door, player: Player, rival: Player, sizes: list[int]
) -> None:
    game = long_race([player, rival], events=9, now=NOW)
    path = f"/api/v1/games/{game.pk}/events/"
    door.hints = {game.pk: 9}
    door.ids(path, token(player), 9)
    assert sizes == [9]
    door.hints = {game.pk: 10}
    door.ids(path, token(player), 9)
    assert sizes == [9, 9, 0]
