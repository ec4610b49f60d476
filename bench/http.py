"""Moves over HTTP with two workers and sixteen clients, compared with two peers that are served the same way.

The peers are a bare Django view with the same two statements (`_bare`), and a view of Django REST framework with its
token, serializers, `select_for_update`, and model saves (`_orm`). All servers run at the same time and are measured by
turns. The clients are plain sockets, so that their cost is equal for all. No server logs requests.

A request of ours is sent in two forms. The common form, a POST with a token and `Content-Type: application/json`, takes
the fast path (`rest/fast_path.py`), and a token that the process remembers is verified by the statement that appends
the move. With `; charset=utf-8` the same request takes the general path of Django REST framework. The peers get the
common form; they read the token by a separate statement.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple, Protocol

import psycopg
from django.db import connection

from accounts.models import Player
from accounts.services import issue_token
from bench._common import size
from bench.services import deal
from tools.services import free_port

CLIENTS = size(16, 2)
WORKERS = size(2, 1)
SLICES = size(5, 1)
SECONDS = size(1.5, 0.1)
"""The length of a slice for each server."""

TARGETS = {"http_move_ratio": 0.52, "http_move_to_orm_ratio": 1.5}
PATIENCE = 60.0
COMMON = "application/json"
"""The content type of the common form of a request."""


def measure() -> dict[str, Any]:
    """Return moves a second over HTTP on PostgreSQL, of the platform and of the peers. Prints the ratios."""
    if connection.vendor != "postgresql":
        print("http: measured on PostgreSQL alone; name one in DATABASE_URL")
        return {}
    with ExitStack() as servers:
        ours = servers.enter_context(serving("config.asgi:application", "bench._unlimited"))
        bare, orm_requests = servers.enter_context(serving("bench._bare:application", "")), _orm_requests()
        orm = servers.enter_context(serving("bench._orm:application", ""))
        clients = {
            "moves": (ours.port, _our_requests(COMMON)),
            "general_path": (ours.port, _our_requests(f"{COMMON}; charset=utf-8")),
            "bare": (bare.port, _bare_requests()),
            "orm": (orm.port, orm_requests),
        }
        for port, requests in clients.values():
            _rate(port, requests, 1.0)
        slices = [
            {name: _rate(port, requests, SECONDS) for name, (port, requests) in clients.items()}
            for _ in range(SLICES)
        ]
    figures: dict[str, Any] = {
        f"{name}_per_second": round(median(each[name] for each in slices)) for name in clients
    }
    for figure, one, other in (
        ("http_move_ratio", "moves", "bare"),
        ("http_move_to_orm_ratio", "moves", "orm"),
        ("http_move_by_the_general_path_ratio", "general_path", "bare"),
        ("http_move_by_the_general_path_to_orm_ratio", "general_path", "orm"),
    ):
        figures[figure] = round(median(each[one] / each[other] for each in slices), 2)
    print(f"moves over HTTP on postgresql, {WORKERS} workers, {CLIENTS} clients")
    for name in clients:
        print(f"  {name.replace('_', ' '):14} {figures[f'{name}_per_second']:>7,} a second")
    return figures


class Server(NamedTuple):
    port: int
    pid: int
    """With one worker the process that serves."""

    def resident(self) -> int:
        """Return the bytes of its resident set."""
        pages = int(Path(f"/proc/{self.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")

    def processor_seconds(self) -> float:
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def serving(application: str, settings: str, workers: int = WORKERS) -> Iterator[Server]:
    port = free_port()
    environment = {**os.environ, "RACECARD_LOG_LEVEL": "WARNING", "RACECARD_THREADS": "8"}
    environment.pop("DJANGO_SETTINGS_MODULE", None)
    if settings:
        environment["DJANGO_SETTINGS_MODULE"] = settings
    command = [sys.executable, "-m", "uvicorn", application, "--port", str(port), "--workers", str(workers)]
    if application == "config.asgi:application":  # like `serve`
        command += ["--http", "config.server.connections:Connection", "--ws", "none"]
    process = subprocess.Popen([*command, "--log-level", "error", "--no-access-log"], env=environment)
    try:
        _wait_for(port)
        yield Server(port, process.pid)
    finally:
        process.terminate()
        process.wait(timeout=30)


def _wait_for(port: int) -> None:
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            time.sleep(0.1)
    raise TimeoutError(f"nothing listens on port {port}")


class Asking(Protocol):
    def next(self) -> bytes: ...


class Requests:
    """The requests of one client: a draw and its undo, in turn."""

    def __init__(self, path: str, authorization: str, content_type: str = COMMON) -> None:
        self._head = (
            f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: {content_type}\r\n"
            f"Authorization: {authorization}\r\n"
        )
        self._turn = 0

    def next(self) -> bytes:
        self._turn += 1
        body = f'{{"move":{{"type":"{"draw" if self._turn % 2 else "undo"}"}}}}'
        return f"{self._head}Idempotency-Key: {uuid.uuid4()}\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode()


def _our_requests(content_type: str) -> list[Requests]:
    found = []
    for number in range(CLIENTS):
        player = Player.objects.create_user(username=f"client-{number}-{uuid.uuid4().hex[:6]}")
        token = issue_token(player=player)[1]
        found.append(Requests(f"/api/v1/games/{deal(player).pk}/moves/", f"Bearer {token}", content_type))
    return found


def _orm_requests() -> list[Requests]:
    """Prepare the peer in a process of its own, because it has other settings."""
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


def _rate(port: int, clients: list[Requests], seconds: float) -> float:
    return together(port, clients, seconds)[0]


def together(port: int, clients: Sequence[Asking], seconds: float) -> tuple[float, int]:
    """Return answered requests a second, and their number. Raises if a status is not 201."""
    counts, faults = [0] * len(clients), []
    until = time.perf_counter() + seconds

    def run(index: int, requests: Asking) -> None:
        try:
            with socket.create_connection(("127.0.0.1", port), timeout=30) as line:
                while time.perf_counter() < until:
                    line.sendall(requests.next())
                    read_answer(line)
                    counts[index] += 1
        except Exception as error:
            faults.append(error)

    threads = [threading.Thread(target=run, args=each) for each in enumerate(clients)]
    began = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if faults:
        raise faults[0]
    return sum(counts) / (time.perf_counter() - began), sum(counts)


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
