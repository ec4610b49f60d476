"""Where the time goes: the processor seconds of kinds of processes, and the counters of PostgreSQL."""

from __future__ import annotations

import os
import resource
import time
from collections.abc import Mapping
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from django.db import connection

from bench._common import state

TICKS = os.sysconf("SC_CLK_TCK")


def tree_seconds(roots: Mapping[str, int]) -> dict[str, float]:
    """Return the processor seconds of each process, its living descendants, and those that these have waited for."""
    below: dict[str, list[str]] = {}
    seconds: dict[str, float] = {}
    for pid in (entry.name for entry in Path("/proc").iterdir() if entry.name.isdigit()):
        if fields := state(pid):
            below.setdefault(fields[1], []).append(pid)
            seconds[pid] = sum(int(field) for field in fields[11:15]) / TICKS

    def of(pid: str) -> float:
        return seconds.get(pid, 0.0) + sum(map(of, below.get(pid, ())))

    return {kind: of(str(pid)) for kind, pid in roots.items()}


def server_seconds() -> float:
    """Return the processor seconds of PostgreSQL so far, also of connections that have ended.

    0 on SQLite, and if PostgreSQL is on another machine.
    """
    server = postmaster()
    return 0.0 if server is None else tree_seconds({"postgresql": server})["postgresql"]


class Pace(NamedTuple):
    """How fast a side is, and what a call costs it. The cost depends less on the disk and on other work."""

    rate: float
    """Calls a second."""
    cost: float
    """Processor milliseconds of a call, of the processes that make it and of PostgreSQL."""

    def times(self, peer: Pace) -> float:
        """Return the cost in times of that of a peer."""
        return round(self.cost / peer.cost, 2)


def spent() -> float:
    """Return the processor seconds of this process and of PostgreSQL so far."""
    return time.process_time() + server_seconds()


def own_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def machine_seconds() -> float:
    """Return the processor seconds that all processes of the machine have used, and what a hypervisor took away."""
    fields = [int(field) for field in Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:]]
    idle = fields[3] + fields[4]
    return (sum(fields[:8]) - idle) / TICKS


class Counters(NamedTuple):
    """What the database has done; of SQLite only the bytes that its processes have written."""

    transactions: int = 0
    statements: int = 0
    events: int = 0
    wal_bytes: int = 0
    fsyncs: int = 0

    def since(self, before: Counters) -> Counters:
        return Counters(*(now - then for now, then in zip(self, before, strict=True)))


def counts_statements() -> bool:
    """Start to count statements, if the server has loaded pg_stat_statements."""
    if connection.vendor != "postgresql":
        return False
    with connection.cursor() as cursor:
        cursor.execute("SHOW shared_preload_libraries")
        if "pg_stat_statements" not in cursor.fetchone()[0]:
            return False
        cursor.execute("CREATE EXTENSION IF NOT EXISTS pg_stat_statements")
        name = connection.ops.quote_name(connection.settings_dict["NAME"])
        cursor.execute(f"ALTER DATABASE {name} SET pg_stat_statements.track = 'top'")
    connection.close()
    return True


def counters(*, statements: bool) -> Counters:
    from eventstore.models import Event

    events = Event.objects.count()
    if connection.vendor != "postgresql":
        return Counters(events=events)
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT xact_commit + xact_rollback FROM pg_stat_database WHERE datname = current_database()"
        )
        [transactions] = cursor.fetchone()
        cursor.execute("SELECT pg_current_wal_lsn() - '0/0'")
        [wal] = cursor.fetchone()
        sent = 0
        if statements:
            cursor.execute(
                "SELECT coalesce(sum(calls), 0) FROM pg_stat_statements "
                "WHERE dbid = (SELECT oid FROM pg_database WHERE datname = current_database()) "
                "AND query !~* '^(begin|commit|savepoint|release|rollback)'"
            )
            [sent] = cursor.fetchone()
        return Counters(int(transactions), int(sent), events, int(wal), _fsyncs(cursor))


def _fsyncs(cursor: Any) -> int:
    """Return how often the log was flushed to the disk; where it stands depends on the version of PostgreSQL."""
    if connection.pg_version < 180_000:  # type: ignore[attr-defined]
        cursor.execute("SELECT wal_sync FROM pg_stat_wal")
    else:
        cursor.execute("SELECT sum(fsyncs) FROM pg_stat_io WHERE object = 'wal'")
    return int(cursor.fetchone()[0] or 0)


class Stored(NamedTuple):
    events: int
    event_bytes: int
    """Of the table of events with its indexes; 0 on SQLite, which does not say."""
    all_bytes: int


def stored_bytes() -> Stored:
    """Return what the database has stored, and the bytes that it takes."""
    from eventstore.models import Event

    table = Event._meta.db_table
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute(
                "SELECT sum(pg_total_relation_size(relid)), pg_database_size(current_database()) "
                "FROM pg_partition_tree(%s)",
                [table],
            )
            of_events, everything = cursor.fetchone()
        else:
            cursor.execute("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size")
            of_events, [everything] = 0, cursor.fetchone()
    return Stored(Event.objects.count(), int(of_events), int(everything))


def flush_ms(folder: Path, times: int = 50) -> float:
    """Return the median milliseconds in which 8 KiB in the folder are on the disk."""
    took = []
    path = folder / "flush.tmp"
    with path.open("wb", buffering=0) as file:
        for _ in range(times):
            file.write(bytes(8192))
            began = time.perf_counter()
            os.fdatasync(file.fileno())
            took.append(time.perf_counter() - began)
    path.unlink()
    return 1000 * median(took)


def statements_by(order: str, count: int) -> list[tuple[str, int, float]]:
    """Return the first statements by `calls` or `total_exec_time`: their beginning, calls, and seconds."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT left(regexp_replace(query, '\\s+', ' ', 'g'), 70), calls, total_exec_time / 1000 "
            "FROM pg_stat_statements WHERE dbid = (SELECT oid FROM pg_database WHERE datname = current_database()) "
            f"ORDER BY {order} DESC LIMIT %s",
            [count],
        )
        return [(str(query), int(calls), float(seconds)) for query, calls, seconds in cursor.fetchall()]


def postmaster() -> int | None:
    """Return the process id of a PostgreSQL on this machine, or None."""
    if connection.vendor != "postgresql":
        return None
    host = urlsplit(os.environ.get("DATABASE_URL", "")).hostname
    if host not in (None, "127.0.0.1", "localhost", "::1"):
        return None
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        fields = state(cursor.fetchone()[0])
    return int(fields[1]) if fields else None


class Reading(NamedTuple):
    at: float
    seconds: Mapping[str, float]
    """The processor seconds of each kind of process until then."""
    machine: float
    counters: Counters
