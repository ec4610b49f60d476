"""The complete reconciliation and its stored report."""

from __future__ import annotations

import logging
import time
from datetime import datetime

from core.transactions import one_moment
from ledger.reconciliation.books import account_name, check_books
from ledger.reconciliation.derivations import check_subjects, each_among
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
