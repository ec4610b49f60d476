"""One moment for everything that a reconciliation reads, while others go on posting."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection

from ledger.selectors import one_snapshot

_FOR_WHOLE_TABLES = """
SET LOCAL work_mem = '64MB';
SET LOCAL random_page_cost = 1.1;
SET LOCAL jit = off
"""
"""Who reads all accounts and all transfers once should not sort them on disk, and takes sums from an index in its order
rather than gather them anew; PostgreSQL's own figures are for a query of many, and for disks that turn."""


@contextmanager
def one_moment() -> Iterator[None]:
    """A snapshot for the whole block, unless the caller's transaction has begun already. Nothing is written in it.

    On SQLite a transaction of ours would be one that means to write, and keep all writers out; a deferred one reads
    what was committed when it began, and keeps nobody from anything.
    """
    if connection.vendor != "sqlite" or connection.in_atomic_block:
        own = not connection.in_atomic_block
        with one_snapshot():
            if own and connection.vendor == "postgresql":
                with connection.cursor() as cursor:
                    cursor.execute(_FOR_WHOLE_TABLES)
            yield
        return
    with connection.cursor() as cursor:
        cursor.execute("BEGIN DEFERRED")
    try:
        yield
    finally:
        with connection.cursor() as cursor:
            cursor.execute("ROLLBACK")
