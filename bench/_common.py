"""What the benchmarks share: their size, installed libraries to compare with, and processor time of other processes."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path
from typing import TypeVar

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
