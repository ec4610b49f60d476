"""What the benchmarks share: their size, installed libraries to compare with, and processor time of other processes."""

from __future__ import annotations

import importlib.util
import os
import time
from pathlib import Path
from typing import NamedTuple, TypeVar

from django.db import connection

THIN = "BENCH_THIN"

Number = TypeVar("Number", int, float)


def size(full: Number, thin: Number) -> Number:
    """Return the first number, or in the thin form (`python -m bench --thin`) the second, to see that it runs."""
    return thin if os.environ.get(THIN) else full


def installed(library: str) -> bool:
    """Whether a library to compare with can be imported. Says so if not: only `.venv-bench` has all of them."""
    if importlib.util.find_spec(library) is not None:
        return True
    print(f"  not measured: {library} is not installed here")
    return False


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


def server_seconds() -> float:
    """Return the processor seconds of PostgreSQL so far, also of connections that have ended.

    0 on SQLite, and if PostgreSQL is on another machine.
    """
    if connection.vendor != "postgresql":
        return 0.0
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        [pid] = cursor.fetchone()
    if not (own := state(pid)):
        return 0.0
    server = int(own[1])
    ended = sum(map(int, state(server)[13:15])) / os.sysconf("SC_CLK_TCK")
    return ended + sum(map(processor_seconds, (server, *children(server))))


def state(pid: int | str) -> list[str]:
    """Return the fields of /proc/PID/stat after the name; empty if the process has ended or is on another machine."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return []


def processor_seconds(pid: int) -> float:
    """Return the processor seconds of a process, or 0 if it has ended or is on another machine."""
    fields = state(pid)
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK") if fields else 0.0


def children(pid: int) -> list[int]:
    """Return the process ids of the children of a process."""
    others = (entry.name for entry in Path("/proc").iterdir() if entry.name.isdigit())
    return [int(other) for other in others if state(other)[1:2] == [str(pid)]]


def backends() -> list[int]:
    """Return the process ids of all other connections to PostgreSQL."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
        return [pid for (pid,) in cursor.fetchall()]
