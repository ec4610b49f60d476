"""The cost of a durable append, compared with the minimum of any store and with the library `eventsourcing`.

The minimum is one compare-and-set of a head and one INSERT, committed equally durably with bare psycopg or sqlite3.
"""

from __future__ import annotations

import itertools
import os
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID, uuid4

import psycopg
from django.conf import settings
from django.db import connection
from django.utils import timezone

from bench._common import installed, size
from bench.rules import game_class
from core.commands import Command
from eventstore import store
from eventstore.chain import canonical
from eventstore.months import new_stream
from eventstore.store import EMPTY, NewEvent

SECONDS = size(2.0, 0.05)
ROUNDS = size(3, 1)
"""The number of rounds. The best is taken, because other load on the machine is not part of the measurement."""

MOVES = 100
"""Events of one stream, about those of a game of Vegas Solitaire."""

EVENT = NewEvent(
    type="move",
    seat=0,
    data={
        "move": {"type": "move", "from": "waste", "to": "column:3", "count": 1},
        "facts": {"cards": ["7H"]},
    },
    private={"move": {"type": "draw"}, "facts": {"cards": ["7H", "KS", "2D"]}},
    seal="5" * 64,
)


def measure() -> dict[str, Any]:
    """Return durable appends a second of all sides by turns, and the speed of reading. Prints the ratios."""
    vendor = connection.vendor
    raw = raw_postgres_rate if vendor == "postgresql" else raw_sqlite_rate
    contenders = {"raw": raw, "store": store_rate}
    if installed("eventsourcing"):
        contenders |= {
            "eventsourcing": eventsourcing_rate,
            "eventsourcing_cached": lambda: eventsourcing_rate(cached=1000),
        }
    best = dict.fromkeys(contenders, 0.0)
    for _ in range(ROUNDS):
        for name, rate in contenders.items():
            best[name] = max(best[name], rate())
    read = read_rate()
    figures = {
        "database": vendor,
        **{f"{name}_per_second": round(rate) for name, rate in best.items()},
        "read_events_per_second": round(read),
        **{
            f"append_to_{name}_ratio": round(best["store"] / rate, 2)
            for name, rate in best.items()
            if name != "store"
        },
    }
    print(f"event store on {vendor}: appends a second, and how many times theirs ours are")
    for name, rate in best.items():
        print(f"  {name.replace('_', ' '):22} {rate:>9,.0f}  {best['store'] / rate:.2f}")
    print(f"  eventstore.read        {read:>9,.0f} events a second")
    return figures


def rate_of(once: Callable[[], object], seconds: float = SECONDS) -> float:
    """Return calls a second, after some calls to warm up."""
    for _ in range(20):
        once()
    began, count = time.perf_counter(), 0
    while (passed := time.perf_counter() - began) < seconds:
        once()
        count += 1
    return count / passed


# --- the event store -----------------------------------------------------------------------------------


def store_rate(seconds: float = SECONDS) -> float:
    head, stream, numbers = EMPTY, new_stream(timezone.now()), itertools.count()

    def append() -> None:
        nonlocal head, stream
        if head.version == MOVES:
            head, stream = EMPTY, new_stream(timezone.now())
        command = Command(f"{next(numbers):064x}", "f" * 64)
        [event] = store.append(
            stream, [EVENT], kind="game", expected=head, at=timezone.now(), command=command
        )
        head = event.head()

    return rate_of(append, seconds)


def read_rate(streams: int = size(50, 2)) -> float:
    written = [new_stream(timezone.now()) for _ in range(streams)]
    for stream in written:
        store.append(stream, [EVENT] * MOVES, kind="game", expected=EMPTY, at=timezone.now())
    began = time.perf_counter()
    events = sum(len(store.read(stream)) for stream in written)
    return events / (time.perf_counter() - began)


# --- the minimum ---------------------------------------------------------------------------------------

_CREATE = (
    "CREATE TABLE IF NOT EXISTS bench_head (id {uuid} PRIMARY KEY, version bigint NOT NULL)",
    "CREATE TABLE IF NOT EXISTS bench_event (stream {uuid} NOT NULL, version bigint NOT NULL, type text NOT NULL, "
    "data {bytes} NOT NULL, private {bytes}, seal text, at text NOT NULL, hash text NOT NULL, "
    "PRIMARY KEY (stream, version))",
)
_POSTGRES = (
    "WITH moved AS (UPDATE bench_head SET version = version + 1 WHERE id = %s AND version = %s RETURNING id, version) "
    "INSERT INTO bench_event SELECT id, version, 'move', %s::bytea, %s::bytea, %s, %s, %s FROM moved"
)


def raw_postgres_rate(seconds: float = SECONDS) -> float:
    """Measure one prepared statement for each commit, with `synchronous_commit` and autocommit on."""
    data, private = canonical(EVENT.data), canonical(EVENT.private)
    with psycopg.connect(os.environ["DATABASE_URL"], autocommit=True) as bare:
        bare.execute("SET synchronous_commit = on")
        for statement in _CREATE:
            bare.execute(statement.format(uuid="uuid", bytes="bytea"))
        version, stream = MOVES, uuid4()

        def append() -> None:
            nonlocal version, stream
            if version == MOVES:
                version, stream = 0, uuid4()
                bare.execute("INSERT INTO bench_head VALUES (%s, 0)", (stream,))
            at = timezone.now().isoformat()
            done = bare.execute(
                _POSTGRES, (stream, version, data, private, EVENT.seal, at, "f" * 64), prepare=True
            )
            assert done.rowcount == 1
            version += 1

        return rate_of(append, seconds)


def raw_sqlite_rate(seconds: float = SECONDS) -> float:
    """Measure BEGIN IMMEDIATE, two statements, COMMIT, in WAL mode with `synchronous=FULL`."""
    data, private = canonical(EVENT.data), canonical(EVENT.private)
    path = Path(settings.DATA) / "bench.sqlite3"
    with closing(sqlite3.connect(path, isolation_level=None)) as bare:
        bare.execute("PRAGMA journal_mode=WAL")
        bare.execute("PRAGMA synchronous=FULL")
        for statement in _CREATE:
            bare.execute(statement.format(uuid="text", bytes="blob"))
        version, stream = MOVES, ""

        def append() -> None:
            nonlocal version, stream
            bare.execute("BEGIN IMMEDIATE")
            if version == MOVES:
                version, stream = 0, uuid4().hex
                bare.execute("INSERT INTO bench_head VALUES (?, 0)", (stream,))
            moved = bare.execute(
                "UPDATE bench_head SET version = version + 1 WHERE id = ? AND version = ?", (stream, version)
            )
            assert moved.rowcount == 1
            version += 1
            at = timezone.now().isoformat()
            row = (stream, version, "move", data, private, EVENT.seal, at, "f" * 64)
            bare.execute("INSERT INTO bench_event VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row)
            bare.execute("COMMIT")

        return rate_of(append, seconds)


# --- the peer ------------------------------------------------------------------------------------------


def eventsourcing_rate(seconds: float = SECONDS, *, cached: int = 0) -> float:
    """Measure the library: get the aggregate, call its command, save it, on the same server or disk, equally durably.

    By default `get` folds the stream each time; with `cached` the library's cache stores that many aggregates.
    The aggregate only counts, and does not check moves or compute a view and legal moves.
    """
    from eventsourcing.application import Application

    aggregate_class = game_class()
    cache = {"AGGREGATE_CACHE_MAXSIZE": str(cached)} if cached else {}
    application: Any = Application(env=_environment() | cache)
    try:
        game: UUID | None = None
        moves = MOVES

        def play() -> None:
            nonlocal game, moves
            if moves == MOVES or game is None:
                fresh = aggregate_class()
                application.save(fresh)
                game, moves = fresh.id, 0
            aggregate = application.repository.get(game)
            aggregate.move(dict(EVENT.data))
            application.save(aggregate)
            moves += 1

        return rate_of(play, seconds)
    finally:
        application.close()


def _environment() -> dict[str, str]:
    if connection.vendor == "sqlite":
        file = Path(settings.DATA) / "eventsourcing.sqlite3"
        return {"PERSISTENCE_MODULE": "eventsourcing.sqlite", "SQLITE_DBNAME": str(file)}
    address = urlsplit(os.environ["DATABASE_URL"])
    return {
        "PERSISTENCE_MODULE": "eventsourcing.postgres",
        "POSTGRES_DBNAME": address.path[1:],
        "POSTGRES_HOST": address.hostname or "127.0.0.1",
        "POSTGRES_PORT": str(address.port or 5432),
        "POSTGRES_USER": address.username or "postgres",
        "POSTGRES_PASSWORD": address.password or "none",
    }
