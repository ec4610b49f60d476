"""Postings of the ledger by one process and by four, compared with peers that are measured by turns in the same run.

On PostgreSQL the peers are django-hordak, without and with a check of the balance, and pgbench, which sends the INSERT
of a posting to the same table. On SQLite the peer is bare sqlite3, equally durable.
"""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from statistics import median
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from django.db import connection

from bench._common import installed, size
from bench._ours import insert_for_pgbench
from bench._posters import PgBench, Posters, prepare

SLICES = size(7, 1)
SECONDS = size(1.0, 0.05)
"""The length of a slice for each side. The median of the ratios of the slices is printed."""

PROCESSES = (1, 4)[: size(2, 1)]
HORDAK = 2.0
CHECKED = 2.5
BUSY = 0.85
PGBENCH = 0.70
RAW = 0.55

TARGETS = {
    "posting_to_hordak_ratio": HORDAK,
    "posting_to_hordak_by_4_processes_ratio": HORDAK,
    "posting_to_checked_hordak_ratio": CHECKED,
    "posting_to_checked_hordak_by_4_processes_ratio": CHECKED,
    "busy_game_to_uniform_ratio": BUSY,
    "busy_game_to_uniform_by_4_processes_ratio": BUSY,
    "posting_to_pgbench_ratio": PGBENCH,
    "posting_to_raw_ratio": RAW,
}


def measure() -> dict[str, Any]:
    """Return rates and ratios. The database checks the balance for each posting of the ledger."""
    figures: dict[str, Any] = {"database": connection.vendor}
    print(
        f"postings on {connection.vendor}, medians of {SLICES} slices of {SECONDS:.0f} s, each side by turns"
    )
    prepare("bench._ours", os.environ)
    with ExitStack() as stack:
        compared = connection.vendor == "postgresql" and installed("hordak")
        theirs = stack.enter_context(_hordak()) if compared else None
        for number in PROCESSES:
            _measure(number, theirs, figures)
    return figures


def _measure(number: int, theirs: dict[str, str] | None, figures: dict[str, Any]) -> None:
    by = "" if number == 1 else f"_by_{number}_processes"
    with ExitStack() as stack:
        ours = stack.enter_context(Posters("bench._ours", number, os.environ))
        sides: dict[str, tuple[Posters | PgBench, str]] = {
            "posting": (ours, "transfer"),
            "busy_game": (ours, "busy_game"),
        }
        if number == 1 and connection.vendor == "postgresql" and PgBench.program():
            sides["pgbench"] = (PgBench(insert_for_pgbench()), "")
        if theirs is not None:
            peer = stack.enter_context(Posters("bench._hordak", number, theirs))
            sides |= {"hordak": (peer, "transfer"), "checked_hordak": (peer, "checked")}
        elif number == 1 and connection.vendor == "sqlite":
            sides["raw"] = (ours, "raw")
        slices = [
            {name: posters.pace(action, SECONDS) for name, (posters, action) in sides.items()}
            for _ in range(SLICES)
        ]
    print(f"  {number} process{'es' if number > 1 else ''}")
    for name in sides:
        rate, cost = (median(measure) for measure in zip(*(each[name] for each in slices), strict=True))
        figures |= {f"{name}{by}_per_second": round(rate), f"{name}{by}_processor_ms": round(cost, 3)}
        print(f"    {name.replace('_', ' '):16} {rate:>8,.0f} a second, {cost:.3f} ms of processor time each")
    for name in sides:
        pair = ("busy_game", "posting") if name == "busy_game" else ("posting", name)
        if name != "posting":
            paces = [(each[pair[0]], each[pair[1]]) for each in slices]
            figure = f"{pair[0]}_to_{'uniform' if name == 'busy_game' else name}{by}"
            figures[f"{figure}_ratio"] = round(median(one.rate / peer.rate for one, peer in paces), 2)
            figures[f"{figure}_processor_times"] = round(median(one.times(peer) for one, peer in paces), 2)


@contextmanager
def _hordak() -> Iterator[dict[str, str]]:
    """Yield the environment of an installation of django-hordak in a new database, which is dropped afterwards."""
    import psycopg

    name = f"racecard_bench_{uuid.uuid4().hex[:12]}"
    server = urlunsplit(urlsplit(os.environ["DATABASE_URL"])._replace(path="/postgres"))
    with psycopg.connect(server, autocommit=True) as admin:
        admin.execute(f'CREATE DATABASE "{name}"')
    try:
        environment = {**os.environ, "HORDAK_DATABASE": name}
        environment.pop("DJANGO_SETTINGS_MODULE", None)
        prepare("bench._hordak", environment)
        yield environment
    finally:
        with psycopg.connect(server, autocommit=True) as admin:
            admin.execute(f'DROP DATABASE "{name}" WITH (FORCE)')
