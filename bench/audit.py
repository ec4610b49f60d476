"""The speed of auditing an installation: games of all rules are verified move by move from the database.

The games are simulated between bots and loaded with their events (BENCH_GAMES, 10,000 for the figures in the docs).
"""

from __future__ import annotations

import os
import resource
import time
from collections.abc import Iterator
from functools import partial
from typing import Any

from django.db import connection
from django.utils import timezone

from audit.services import audit_installation
from bench._common import size
from config.parallel import cores, ranges, spread
from eventstore.checkpoints import service as checkpoint
from tests.audit.installation import load
from tests.audit.mixed_games import simulated_games

GAMES = int(os.environ.get("BENCH_GAMES", size(3_000, 10)))
AT_ONCE = 200

FLOOR = 25_000
"""The target in events a second of processor time on one core."""

TARGETS = {"audit_ratio": 1.0, "cores_ratio": 0.8}


def measure() -> dict[str, Any]:
    """Return events a second of one process by processor time, and of all cores by wall time."""
    events = sum(load(part) for part in _played())
    while checkpoint.make(timezone.now()):
        pass
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("VACUUM ANALYZE")
    audit_installation()  # import and compile everything, as in a running process
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    alone, wall, report = _timed()
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert report.ok, report.faults[:3]
    assert report.counted["events"] >= events
    worked, together = _all_cores()
    figures = {
        "database": connection.vendor,
        "games": GAMES,
        "events": events,
        "events_per_second_of_a_core": round(events / alone),
        "events_per_second_by_the_clock": round(events / wall),
        "events_per_second_of_all_cores": round(events / together),
        "cores": cores(),
        "memory_grown_mib": round(grown / 1024, 1),
        "audit_ratio": round(events / alone / FLOOR, 2),
        "cores_ratio": round(alone / worked, 2),
    }
    print(f"audit on {connection.vendor}: {GAMES:,} mixed games, {events:,} events")
    print(
        f"  one process     {events / alone:>9,.0f} events a second of processor time  "
        f"{figures['audit_ratio']:.2f} of {FLOOR:,}; {events / wall:,.0f} by the clock"
    )
    print(
        f"  {cores()} processes     {events / together:>9,.0f} events a second by the clock; "
        f"{figures['cores_ratio']:.2f} of the speed of one each"
    )
    print(f"  memory grown    {figures['memory_grown_mib']:>9} MiB")
    return figures


def _played() -> Iterator[list[dict[str, Any]]]:
    """Simulate the games before any process has a connection that another could inherit."""
    connection.close()
    parts = ranges(GAMES, jobs=cores(), largest=AT_ONCE)
    yield from spread(simulated_games, parts, jobs=cores())


def _timed() -> tuple[float, float, Any]:
    processor, clock = time.process_time(), time.perf_counter()
    report = audit_installation()
    return time.process_time() - processor, time.perf_counter() - clock, report


def _all_cores() -> tuple[float, float]:
    """Return seconds of processor time, including the start of the processes, and of wall time."""
    before, began = _children(), time.perf_counter()
    report = audit_installation(spread=partial(spread, jobs=cores()))
    assert report.ok, report.faults[:3]
    return _children() - before, time.perf_counter() - began


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
