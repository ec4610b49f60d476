"""Event streams of one process: when the last reader has an event, what a stream weighs, and what idle ones cost.

Thousands of spectators, each a different player, follow one game that is played over HTTP. The peer is a bare server of
starlette (`_starlette`) with as many readers. It sends on what is posted to it, without authentication, database, or
anything to hide. Both servers have one process and run at the same time. They are measured by turns, from the request
that causes an event until the last reader has it. All readers are sockets of this process. Memory is the growth of the
resident set since before the first streams.
"""

from __future__ import annotations

import os
import resource
import select
import socket
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from statistics import median
from typing import Any

from django.db import connection, transaction

from accounts.models import Player
from accounts.services import issue_token
from bench._common import installed, size
from bench._servers import Server
from bench.http import Requests, read_answer, serving
from bench.services import deal

COUNTS = size((1000, 2000), (20, 40))
EVENTS = size(30, 2)
WARM_EVENTS = size(40, 1)
FEEDS = size(20, 4)
FEED_GAMES = size(100, 5)
FEED_PLAYERS = 4
IDLE_SECONDS = size(60.0, 1.0)
SETTLED = size(3.0, 0.1)
"""Seconds between the last event and the measurement of idle streams."""

AT_ONCE = 20
"""Streams that are opened at the same time."""
PATIENCE = 60.0
SILENCE = 0.5
"""Seconds without a byte after which the first events of new streams have been read."""

TARGETS = {
    **{f"last_of_{count}_times": 1.3 for count in (1000, 2000)},
    **{f"memory_of_{count}_times": 1.3 for count in (1000, 2000)},
    "idle_1000_percent": 3.0,
    "idle_feeds_percent": 1.0,
}


def measure() -> dict[str, Any]:
    """Return milliseconds until the last reader is served, bytes of a stream, and percent of a core of idle ones."""
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    player = Player.objects.create_user(username="streams")
    path, token = f"/api/v1/games/{deal(player).pk}", f"Bearer {issue_token(player=player)[1]}"
    followers = [_get(f"{path}/events/", each) for each in _tokens(COUNTS[-1])]
    with ExitStack() as stack:
        ours = stack.enter_context(_side("config.asgi:application", "bench._unlimited", followers))
        ours.cause = Requests(f"{path}/moves/", token).next
        sides = {"ours": ours}
        if installed("starlette"):
            published = (
                b"POST /events/ HTTP/1.1\r\nHost: localhost\r\nContent-Length: 400\r\n\r\n" + b"x" * 400
            )
            peer = stack.enter_context(
                _side("bench._starlette:application", "", [_get("/events/")] * COUNTS[-1])
            )
            peer.cause = lambda: published
            sides["starlette"] = peer
        figures = _crowded(sides)
    return {"database": connection.vendor, **figures, **_idle_feeds(player)}


class Side:
    """A server and the readers of its streams."""

    cause: Callable[[], bytes]
    """Makes a request that causes one event."""

    def __init__(self, server: Server, requests: Sequence[bytes]) -> None:
        self.server, self.requests = server, requests
        self.readers = Readers(server.port)

    def warm(self) -> None:
        """Have every thread work once, before memory is measured: each has a connection to the database."""
        self.open(AT_ONCE)
        for _ in range(WARM_EVENTS):
            self.event()
        self.readers.close()
        self.readers = Readers(self.server.port)
        self._empty = self.server.resident()

    def open(self, count: int) -> float:
        """Open streams until there are `count` of them. Returns how many a second were opened."""
        wanted = self.requests[len(self.readers.lines) : count]
        began = time.perf_counter()
        for start in range(0, len(wanted), AT_ONCE):
            self.readers.open(wanted[start : start + AT_ONCE])
        took = time.perf_counter() - began
        self.readers.drain()
        return len(wanted) / took

    def event(self) -> float:
        """Cause an event, and return the seconds until the last reader has it."""
        request = self.cause()
        with socket.create_connection(("127.0.0.1", self.server.port), timeout=PATIENCE) as poster:
            began = time.perf_counter()
            poster.sendall(request)
            self.readers.await_each(b"data: ")
            took = time.perf_counter() - began
            read_answer(poster)
        return took

    def bytes_each(self) -> float:
        return (self.server.resident() - self._empty) / len(self.readers.lines)


class Readers:
    def __init__(self, port: int) -> None:
        self._port, self._poll = port, select.epoll()
        self.lines: dict[int, socket.socket] = {}

    def open(self, requests: Sequence[bytes]) -> None:
        opened = []
        for request in requests:
            line = socket.create_connection(("127.0.0.1", self._port), timeout=PATIENCE)
            line.sendall(request)
            line.setblocking(False)
            opened.append(line.fileno())
            self.lines[line.fileno()] = line
            self._poll.register(line, select.EPOLLIN)
        self._await(opened, b"retry: ")

    def await_each(self, mark: bytes) -> None:
        """Read until every stream has brought the mark once more."""
        self._await(self.lines, mark)

    def drain(self) -> None:
        """Read the events that a stream begins with, until nothing more comes."""
        while ready := self._poll.poll(SILENCE):
            for number, _ in ready:
                self.lines[number].recv(65536)

    def _await(self, numbers: Iterable[int], mark: bytes) -> None:
        waiting, tails, until = set(numbers), dict.fromkeys(numbers, b""), time.monotonic() + PATIENCE
        while waiting:
            if time.monotonic() > until:
                raise TimeoutError(f"{len(waiting)} streams bring no {mark!r}")
            for number, _ in self._poll.poll(1.0):
                received = self.lines[number].recv(65536)
                if not received:
                    raise ConnectionError("the server has closed a stream")
                if number in waiting:
                    text = tails[number] + received
                    tails[number] = text[-len(mark) + 1 :]
                    if mark in text:
                        waiting.remove(number)

    def close(self) -> None:
        for line in self.lines.values():
            line.close()
        self._poll.close()


@contextmanager
def _side(application: str, settings: str, requests: Sequence[bytes]) -> Iterator[Side]:
    with serving(application, settings, workers=1) as server:
        side = Side(server, requests)
        try:
            yield side
        finally:
            side.readers.close()


def _crowded(sides: dict[str, Side]) -> dict[str, Any]:
    figures: dict[str, Any] = {}
    for side in sides.values():
        side.warm()
    for count in COUNTS:
        for name, side in sides.items():
            figures[f"{name}_opened_per_second"] = round(side.open(count))
            side.event()
        used = {name: -side.server.processor_seconds() for name, side in sides.items()}
        turns = [{name: side.event() for name, side in sides.items()} for _ in range(EVENTS)]
        weights = {name: side.bytes_each() for name, side in sides.items()}
        for name in sides:
            figures[f"{name}_last_of_{count}_ms"] = round(1000 * median(turn[name] for turn in turns), 1)
            used[name] += sides[name].server.processor_seconds()
            figures[f"{name}_event_to_{count}_processor_ms"] = round(1000 * used[name] / EVENTS, 1)
            figures[f"{name}_stream_of_{count}_bytes"] = round(weights[name])
        if "starlette" in sides:
            figures[f"last_of_{count}_times"] = round(
                median(turn["ours"] / turn["starlette"] for turn in turns), 2
            )
            figures[f"memory_of_{count}_times"] = round(weights["ours"] / max(1.0, weights["starlette"]), 2)
        if count == COUNTS[0]:
            figures[f"idle_{count}_percent"] = _idle(sides["ours"].server)
    print(f"event streams of one process on {connection.vendor}, medians of {EVENTS} events")
    for name, value in figures.items():
        print(f"  {name.replace('_', ' '):30} {value:>9,}")
    return figures


def _idle_feeds(player: Player) -> dict[str, float]:
    """Return what idle feeds of many games cost, as those of clients that show a list of games."""
    games = "&".join(f"game={deal(player).pk}" for _ in range(FEED_GAMES))
    tokens = _tokens(FEED_PLAYERS)
    requests = [_get(f"/api/v1/feed/?{games}", tokens[number % FEED_PLAYERS]) for number in range(FEEDS)]
    with _side("config.asgi:application", "bench._unlimited", requests) as side:
        side.open(FEEDS)
        percent = _idle(side.server)
    print(f"  {FEEDS} idle feeds of {FEED_GAMES} games for {FEED_PLAYERS} accounts: {percent} % of a core")
    return {"idle_feeds_percent": percent}


def _idle(server: Server) -> float:
    """Return the percentage of a core that the server uses while nothing happens."""
    time.sleep(SETTLED)
    began, used = time.monotonic(), server.processor_seconds()
    time.sleep(IDLE_SECONDS)
    return round(100 * (server.processor_seconds() - used) / (time.monotonic() - began), 2)


def _tokens(count: int) -> list[str]:
    """Return the tokens of new players."""
    with transaction.atomic():
        tokens = [
            issue_token(player=Player.objects.create(username=f"reader-{os.urandom(6).hex()}"))[1]
            for _ in range(count)
        ]
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")  # as autovacuum does within a minute
    return tokens


def _get(path: str, token: str = "") -> bytes:
    authorization = f"Authorization: Bearer {token}\r\n" if token else ""
    return (
        f"GET {path} HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n{authorization}\r\n".encode()
    )
