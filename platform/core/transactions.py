"""Trial runs of changes, and reads in one snapshot."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from django.db import connection, transaction

T = TypeVar("T")


def dry_run(perform: Callable[[], T]) -> T:
    """Perform a change, roll it back, and return its result. It raises the same refusals as the change itself."""
    with transaction.atomic():
        made = perform()
        transaction.set_rollback(True)
    return made


@contextmanager
def one_snapshot() -> Iterator[None]:
    """Run several queries in one snapshot, or in the caller's transaction if there is one.

    On SQLite nothing can come before a position that exists.
    """
    if connection.vendor == "sqlite" or connection.in_atomic_block:
        yield
        return
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        yield


_FOR_WHOLE_TABLES = """
SET LOCAL work_mem = '64MB';
SET LOCAL random_page_cost = 1.1
"""
"""Settings for reading whole tables: sort in memory and scan indexes in order. PostgreSQL's defaults suit single
queries and rotating disks.
"""


@contextmanager
def one_moment() -> Iterator[None]:
    """Read in one snapshot, or in the caller's transaction if there is one. The block writes nothing.

    On SQLite a normal transaction would block writers. A deferred one reads what was committed when it began and blocks
    no one.
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
