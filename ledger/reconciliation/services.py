"""The complete reconciliation and its stored report."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime

from django.db import connection

from ledger.core.selectors import one_snapshot
from ledger.reconciliation.books import account_name, check_books
from ledger.reconciliation.derivations import UNREADABLE, check_subjects, each_among
from ledger.reconciliation.models import Checked, Difference, Found, NotChecked, Reconciliation, Report

log = logging.getLogger("ledger")


def reconcile_all(*, replay: bool = False) -> Report:
    """Check every balance against transfers and every transfer against its log, in one snapshot. Writes nothing.

    `replay` folds each staked game move by move instead of taking the outcome in its stream.
    """
    report = Report()
    with one_moment():
        report.add(check_books())
        report.add(check_subjects(replay=replay))
    return report


def reconcile_and_store(*, at: datetime, replay: bool = False) -> Reconciliation:
    """Reconcile, store the report, and log an error if anything differs. Do not call it within a transaction."""
    began = time.monotonic()
    report = reconcile_all(replay=replay)
    kept = Reconciliation.objects.create(
        at=at,
        seconds=round(time.monotonic() - began),
        replayed=replay,
        differences=report.count,
        report=report.document(),
    )
    if not report.ok:
        first = str(report.differences[0]) if report.differences else "nothing was checked"
        log.error("reconciliation: %d differences; %s", report.count, first)
    return kept


_FOR_WHOLE_TABLES = """
SET LOCAL work_mem = '64MB';
SET LOCAL random_page_cost = 1.1;
SET LOCAL jit = off
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
