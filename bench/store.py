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
from bench._meters import Pace, spent
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
    raw = raw_postgres_pace if vendor == "postgresql" else raw_sqlite_pace
    contenders: dict[str, Callable[[], Pace]] = {"raw": raw, "store": store_pace}
    if installed("eventsourcing"):
        contenders |= {
            "eventsourcing": eventsourcing_pace,
            "eventsourcing_cached": lambda: eventsourcing_pace(cached=1000),
        }
    rounds = [{name: pace() for name, pace in contenders.items()} for _ in range(ROUNDS)]
    best = {
        name: Pace(max(each[name].rate for each in rounds), min(each[name].cost for each in rounds))
        for name in contenders
    }
    ours, read = best["store"], read_rate()
    figures: dict[str, Any] = {"database": vendor, "read_events_per_second": round(read)}
    print(f"event store on {vendor}: appends a second, their processor time, and ours in times of both")
    for name, pace in best.items():
        figures |= {f"{name}_per_second": round(pace.rate), f"{name}_processor_ms": round(pace.cost, 3)}
        if name != "store":
            figures[f"append_to_{name}_ratio"] = round(ours.rate / pace.rate, 2)
            figures[f"append_to_{name}_processor_times"] = ours.times(pace)
        ratios = f"{ours.rate / pace.rate:.2f}  {ours.times(pace):.2f}"
        print(f"  {name.replace('_', ' '):22} {pace.rate:>9,.0f}  {pace.cost:.3f} ms  {ratios}")
    print(f"  eventstore.read        {read:>9,.0f} events a second")
    return figures


def pace_of(once: Callable[[], object], seconds: float = SECONDS) -> Pace:
    """Measure after some calls to warm up."""
    for _ in range(20):
        once()
    before, began, count = spent(), time.perf_counter(), 0
    while (passed := time.perf_counter() - began) < seconds:
        once()
        count += 1
    return Pace(count / passed, 1000 * (spent() - before) / count)


# --- the event store -----------------------------------------------------------------------------------


def store_pace(seconds: float = SECONDS) -> Pace:
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

    return pace_of(append, seconds)


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


def raw_postgres_pace(seconds: float = SECONDS) -> Pace:
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

        return pace_of(append, seconds)


def raw_sqlite_pace(seconds: float = SECONDS) -> Pace:
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

        return pace_of(append, seconds)


# --- the peer ------------------------------------------------------------------------------------------


def eventsourcing_pace(seconds: float = SECONDS, *, cached: int = 0) -> Pace:
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

        return pace_of(play, seconds)
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
