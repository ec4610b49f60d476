"""Moves over HTTP with two workers and sixteen clients, compared with three peers.

Two peers are served the same way: a bare Django view with the same two statements (`_bare`), and a view of Django REST
framework with its token, serializers, `select_for_update`, and model saves (`_orm`). The third is boardgame.io with its
file storage and moves over a WebSocket (`_boardgame`), with and without flushed files, if it is installed. These
modules say what a peer does less than the platform. All servers run at the same time and are measured by turns. The
clients are plain sockets, so that their cost is equal for all, and each has one move under way. Connecting, dealing,
and joining are not measured. No server logs requests.

A request of ours is sent in two forms. The common form, a POST with a token and `Content-Type: application/json`, takes
the fast path (`rest/fast_path.py`), and a token that the process remembers is verified by the statement that appends
the move. With `; charset=utf-8` the same request takes the general path of Django REST framework. The common form is
also measured with a server that forgets tokens and games before every request (`_uncached`). The Django peers get the
common form; they read the token by a separate statement.

Processor time is that of the server's processes, of PostgreSQL's, and of Redis. It depends less on other work on the
machine than a rate does, and does not count that boardgame.io has one process where the others have two workers.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager
from itertools import cycle
from statistics import median
from typing import Any, NamedTuple, Protocol

import psycopg
import redis
from django.db import connection

from accounts.models import Player
from accounts.services import issue_token
from bench import _boardgame
from bench._common import backends, children, processor_seconds, size
from bench._servers import Server, started
from bench.services import deal
from tools.services import free_port

CLIENTS = size(16, 2)
WORKERS = size(2, 1)
SLICES = size(5, 1)
SECONDS = size(1.5, 0.1)
"""The length of a slice for each server."""
WARM_SECONDS = size(1.0, 0.1)

FORMS = {
    "move": "POST with a token and application/json: the fast path",
    "general_path_move": "the same with application/json; charset=utf-8: the general path",
    "uncached_move": "like move, and the server remembers no token and no game",
}
"""The forms in which a move of ours is measured."""

TARGETS = {
    "move_to_bare_ratio": 0.52,
    "move_to_orm_ratio": 1.5,
    "move_to_boardgame_ratio": 1.2,
    **{
        f"{form}_to_{peer}_ratio": ratio
        for form in list(FORMS)[1:]
        for peer, ratio in (("bare", 0.35), ("orm", 1.0))
    },
}
PATIENCE = 60.0
COMMON = "application/json"
"""The content type of the common form of a request."""


def measure() -> dict[str, Any]:
    """Return moves a second over HTTP on PostgreSQL, of the platform and of the peers. Prints the ratios."""
    if connection.vendor != "postgresql":
        print("http: measured on PostgreSQL alone; name one in DATABASE_URL")
        return {}
    with ExitStack() as servers:
        ours = servers.enter_context(starting("config.asgi:application", "bench._unlimited"))
        forgetful = servers.enter_context(starting("bench._uncached:application", "bench._unlimited"))
        bare = servers.enter_context(starting("bench._bare:application", ""))
        orm = servers.enter_context(starting("bench._orm:application", ""))
        sides: dict[str, tuple[Server, Sequence[Client]]] = {
            "move": (ours, _our_players(COMMON)),
            "general_path_move": (ours, _our_players(f"{COMMON}; charset=utf-8")),
            "uncached_move": (forgetful, _our_players(COMMON)),
            "bare": (bare, _bare_requests()),
            "orm": (orm, _orm_requests()),
        }
        if _boardgame.installed():
            for name, flush in (("boardgame", False), ("boardgame_flushed", True)):
                node = servers.enter_context(_boardgame.serving(flush=flush))
                sides[name] = (node, [_boardgame.Player() for _ in range(CLIENTS)])
        for server, clients in sides.values():
            server.await_port()
            together(server.port, clients, WARM_SECONDS)
        slices = [
            {name: _slice(server, clients) for name, (server, clients) in sides.items()}
            for _ in range(SLICES)
        ]
    return figures_of(slices)


def figures_of(slices: Sequence[dict[str, Slice]]) -> dict[str, Any]:
    """Return and print what each side did, and the ratios of the platform to its peers."""
    rates = {name: round(median(each[name].rate for each in slices)) for name in slices[0]}
    costs = {
        name: 1000 * sum(each[name].processor for each in slices) / sum(each[name].moves for each in slices)
        for name in slices[0]
    }
    figures: dict[str, Any] = {f"{name}_per_second": rate for name, rate in rates.items()}
    figures |= {f"{name}_processor_ms": round(cost, 2) for name, cost in costs.items()}
    for peer in [name for name in rates if name not in FORMS]:
        for form in FORMS:
            ratio = median(each[form].rate / each[peer].rate for each in slices)
            figures[f"{form}_to_{peer}_ratio"] = round(ratio, 2)
        figures[f"move_to_{peer}_processor_times"] = round(costs["move"] / costs[peer], 2)
    print(f"moves over HTTP on postgresql, {WORKERS} workers, {CLIENTS} clients, medians of {SLICES} slices")
    for form, description in FORMS.items():
        print(f"  {form.replace('_', ' '):17} {description}")
    for name, rate in rates.items():
        each_client = sum(one[name].moves for one in slices) / len(slices) / CLIENTS
        print(
            f"  {name.replace('_', ' '):17} {rate:>7,} a second, {costs[name]:.2f} ms of processor time each, "
            f"{each_client:.0f} moves of a client in a slice"
        )
    return figures


@contextmanager
def serving(application: str, settings: str, workers: int = WORKERS) -> Iterator[Server]:
    with starting(application, settings, workers) as server:
        server.await_port()
        yield server


@contextmanager
def starting(application: str, settings: str, workers: int = WORKERS) -> Iterator[Server]:
    """Yield a server that may not listen yet."""
    port = free_port()
    environment = {**os.environ, "RACECARD_LOG_LEVEL": "WARNING", "RACECARD_THREADS": "8"}
    environment.pop("DJANGO_SETTINGS_MODULE", None)
    if settings:
        environment["DJANGO_SETTINGS_MODULE"] = settings
    command = [sys.executable, "-m", "uvicorn", application, "--port", str(port), "--workers", str(workers)]
    if settings:  # the platform, like `serve`
        command += ["--http", "config.server.connections:Connection", "--ws", "none"]
    command += ["--log-level", "error", "--no-access-log"]
    with started(application, port, command, environment) as server:
        yield server


Move = Callable[[], None]
"""Makes one move, and returns when it is answered."""


class Client(Protocol):
    def connected(self, port: int) -> AbstractContextManager[Move]: ...


class Requests:
    """The requests of one client: by default a draw and its undo, in turn."""

    def __init__(
        self,
        path: str,
        authorization: str,
        content_type: str = COMMON,
        moves: Sequence[str] = ("draw", "undo"),
    ) -> None:
        self._head = (
            f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: {content_type}\r\n"
            f"Authorization: {authorization}\r\n"
        )
        self._moves = cycle(moves)

    def next(self) -> bytes:
        body = f'{{"move":{{"type":"{next(self._moves)}"}}}}'
        return f"{self._head}Idempotency-Key: {uuid.uuid4()}\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode()

    @contextmanager
    def connected(self, port: int) -> Iterator[Move]:
        with socket.create_connection(("127.0.0.1", port), timeout=30) as line:

            def move() -> None:
                line.sendall(self.next())
                read_answer(line)

            yield move


class OurPlayer:
    """One client of the platform, who has a new game for every connection, like those of boardgame.io."""

    def __init__(self, number: int, content_type: str) -> None:
        self._player = Player.objects.create_user(username=f"client-{number}-{uuid.uuid4().hex[:6]}")
        self._authorization = f"Bearer {issue_token(player=self._player)[1]}"
        self._content_type = content_type

    @contextmanager
    def connected(self, port: int) -> Iterator[Move]:
        with closing(connection):  # of this thread
            path = f"/api/v1/games/{deal(self._player).pk}/moves/"
        with Requests(path, self._authorization, self._content_type).connected(port) as move:
            yield move


def _our_players(content_type: str) -> list[OurPlayer]:
    return [OurPlayer(number, content_type) for number in range(CLIENTS)]


def _orm_requests() -> list[Requests]:
    """Prepare the peer in its own process, because it has other settings."""
    environment = {name: value for name, value in os.environ.items() if name != "DJANGO_SETTINGS_MODULE"}
    prepared = subprocess.run(
        [sys.executable, "-c", f"from bench import _orm; [print(*one) for one in _orm.prepare({CLIENTS})]"],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    lines = (line.split() for line in prepared.stdout.splitlines())
    return [Requests(f"/api/v1/games/{game}/moves/", f"Bearer {token}") for game, token in lines]


def _bare_requests() -> list[Requests]:
    found = []
    with psycopg.connect(os.environ["DATABASE_URL"], autocommit=True) as bare:
        bare.execute("CREATE TABLE bench_token (digest text PRIMARY KEY, player uuid NOT NULL)")
        bare.execute("CREATE TABLE bench_head (id uuid PRIMARY KEY, version bigint NOT NULL)")
        bare.execute(
            "CREATE TABLE bench_event (stream uuid NOT NULL, version bigint NOT NULL, type text NOT NULL, data bytea, "
            "private bytea, seal text, at text NOT NULL, hash text NOT NULL, PRIMARY KEY (stream, version))"
        )
        for _ in range(CLIENTS):
            game, token = uuid.uuid4(), f"Bearer {uuid.uuid4().hex}"
            bare.execute("INSERT INTO bench_token VALUES (%s, %s)", (token, uuid.uuid4()))
            bare.execute("INSERT INTO bench_head VALUES (%s, 0)", (game,))
            found.append(Requests(f"/api/v1/games/{game}/moves/", token))
    return found


class Slice(NamedTuple):
    """What the clients of a server did together, from when all were connected until the last one had its answer."""

    moves: int
    seconds: float
    processor: float
    """Processor seconds of the processes that served them."""

    @property
    def rate(self) -> float:
        return self.moves / self.seconds


def _slice(server: Server, clients: Sequence[Client]) -> Slice:
    processes = [server.pid, *children(server.pid), *backends()]
    with _redis() as redis_seconds:
        return together(
            server.port,
            clients,
            SECONDS,
            lambda: redis_seconds() + sum(processor_seconds(pid) for pid in processes),
        )


@contextmanager
def _redis() -> Iterator[Callable[[], float]]:
    """Yield a function that returns the processor seconds of Redis, or 0 if none is used."""
    if not (address := os.environ.get("REDIS_URL")):
        yield lambda: 0.0
        return
    with redis.Redis.from_url(address) as client:

        def seconds() -> float:
            used: Any = client.info("cpu")
            return float(used["used_cpu_sys"] + used["used_cpu_user"])

        yield seconds


def together(
    port: int, clients: Sequence[Client], seconds: float, processor: Callable[[], float] = lambda: 0.0
) -> Slice:
    """Have all clients move for a while, each in a thread. Raises if a move is not answered as it should be."""
    counts, faults, marks = [0] * len(clients), list[Exception](), list[tuple[float, float]]()
    in_step = threading.Barrier(
        len(clients), lambda: marks.append((time.perf_counter(), processor())), PATIENCE
    )

    def run(index: int, client: Client) -> None:
        try:
            with client.connected(port) as move:
                in_step.wait()
                until = marks[0][0] + seconds
                while time.perf_counter() < until:
                    move()
                    counts[index] += 1
                in_step.wait()
        except Exception as error:
            faults.append(error)
            in_step.abort()

    threads = [threading.Thread(target=run, args=each) for each in enumerate(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if faults:
        raise faults[0]
    (began, used_before), (ended, used) = marks
    return Slice(sum(counts), ended - began, used - used_before)


class Unexpected(Exception):
    """A response that a benchmark must not count."""


def read_answer(line: socket.socket) -> None:
    received = line.recv(65536)
    while b"\r\n\r\n" not in received:
        received += line.recv(65536)
    head, _, body = received.partition(b"\r\n\r\n")
    if b" 201 " not in head.split(b"\r\n", 1)[0]:
        raise Unexpected(received[:2000])
    length = next(
        int(field.split(b":")[1])
        for field in head.lower().split(b"\r\n")
        if field.startswith(b"content-length:")
    )
    while len(body) < length:
        body += line.recv(65536)
