"""The cost of partitions by month: durable appends and reads, by turns with one table."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from statistics import median
from typing import Any

from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.utils import timezone

from bench._common import size
from bench.store import EVENT, MOVES, SECONDS, pace_of, store_pace
from core import triggers
from eventstore import months, store
from eventstore.months import Month, new_stream
from eventstore.store import EMPTY

ROUNDS = size(5, 1)
MONTHS = size(36, 2)
"""Partitions of past months."""

ONE_TABLE = "one_table"
"""The schema without partitions."""

TARGETS = {"append_ratio": 0.9}


def measure() -> dict[str, Any]:
    """Return the medians of the rounds: appends a second on both sides, the same for reads, and the ratios."""
    if connection.vendor != "postgresql":
        return {"database": connection.vendor}
    for number in range(1, MONTHS + 1):
        months.make(Month.of(timezone.now()).after(-number))
    connection.cursor().execute(f"CREATE SCHEMA {ONE_TABLE}")
    with _schema(ONE_TABLE):
        MigrationExecutor(connection).migrate([("eventstore", "0002_archive")])
        triggers.install()
    sides = {"one_table": ONE_TABLE, "partitions": "public"}
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in sides}
    for _ in range(ROUNDS):
        for name, schema in sides.items():
            with _schema(schema):
                found[name].append((store_pace().rate, pace_of(_reader(), SECONDS / 4).rate))
    appends, reads = (
        {name: median(rates[index] for rates in rounds) for name, rounds in found.items()} for index in (0, 1)
    )
    figures = {
        "append_ratio": round(appends["partitions"] / appends["one_table"], 2),
        "read_ratio": round(reads["partitions"] / reads["one_table"], 2),
        **{f"{name}_appends_per_second": round(rate) for name, rate in appends.items()},
        **{f"{name}_reads_per_second": round(rate) for name, rate in reads.items()},
    }
    print(
        f"events in {len(months.partitions())} partitions, and in one table: median of {ROUNDS} rounds by turns"
    )
    for name, figure in figures.items():
        print(f"  {name.replace('_', ' '):32} {figure:>9,}")
    return figures


def _reader() -> Callable[[], object]:
    """Read the last two events of a stream, as a request does that follows it."""
    stream = new_stream(timezone.now())
    store.append(stream, [EVENT] * MOVES, kind="game", expected=EMPTY, at=timezone.now())
    return lambda: store.read(stream, after=MOVES - 2)


@contextmanager
def _schema(name: str) -> Iterator[None]:
    options = connection.settings_dict["OPTIONS"]
    before = options["options"]
    connection.close()
    options["options"] = f"{before} -c search_path={name}"
    try:
        yield
    finally:
        connection.close()
        options["options"] = before
