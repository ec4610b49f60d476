"""Reconciling a million transfers: in SQL alone, and derived again from the events of their games.

The games are loaded in bulk (`_bulk`). Their hashes are true, and triggers update the balances.
"""

from __future__ import annotations

import os
import resource
import time
from itertools import cycle
from typing import Any

from django.db import connection
from django.utils import timezone

from bench import _bulk
from bench._common import size
from ledger.models import Transfer
from ledger.reconciliation.services import reconcile_all

TRANSFERS = int(os.environ.get("BENCH_TRANSFERS", size(1_000_000, 60)))
PLAYERS = size(500, 5)

IN_SQL = 3.0
FROM_EVENTS = 60.0
"""The targets in seconds on PostgreSQL."""

TARGETS = {"target_to_sql_seconds_ratio": 1.0, "target_to_events_seconds_ratio": 1.0}


def measure() -> dict[str, Any]:
    """Return the seconds of both. Needs a separate database, because loaded rows remain."""
    now = timezone.now()
    owners = _bulk.owners(PLAYERS, now)
    patterns = _bulk.played(owners[0], now)
    games = TRANSFERS * len(patterns) // sum(len(each.transfers) for each in patterns)
    began = time.perf_counter()
    _bulk.load(patterns, cycle(owners), first=now, last=now, games=games)
    loading = time.perf_counter() - began
    began = time.perf_counter()
    books = reconcile_all(books_only=True)
    in_sql = time.perf_counter() - began
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    began = time.perf_counter()
    whole = reconcile_all()
    from_events = time.perf_counter() - began
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    counted = {each.what: each.number for each in whole.checked}
    figures = {
        "database": connection.vendor,
        "transfers": Transfer.objects.count(),
        "games": counted["the money of staked games"],
        "differences": books.count + whole.count,
        "load_seconds": round(loading, 1),
        "in_sql_seconds": round(in_sql, 2),
        "from_events_seconds": round(from_events, 1),
        "memory_grown_mib": round(grown / 1024, 1),
        "target_to_sql_seconds_ratio": round(IN_SQL / in_sql, 2),
        "target_to_events_seconds_ratio": round(FROM_EVENTS / from_events, 2),
    }
    print(
        f"reconciliation on {connection.vendor}: {figures['transfers']:,} transfers of {figures['games']:,} games"
    )
    print(f"load               {loading:>7.1f} s")
    print(f"  in SQL             {in_sql:>7.2f} s")
    print(f"  all, from events   {from_events:>7.1f} s, {figures['memory_grown_mib']} MiB more memory")
    print(
        f"  differences        {figures['differences']:>5}; the first: {[str(each) for each in whole.differences[:2]]}"
    )
    assert figures["differences"] == 0
    return figures
