"""The whole reconciliation, its report kept where nobody can alter it."""

from __future__ import annotations

import logging
import time
from datetime import datetime

from ledger.reconciliation.books import check_books
from ledger.reconciliation.derivations import check_subjects
from ledger.reconciliation.models import Reconciliation
from ledger.reconciliation.moment import one_moment
from ledger.reconciliation.report import Report

log = logging.getLogger("ledger")


def reconcile_all(*, replay: bool = False) -> Report:
    """Every balance from transfers, every transfer from what happened, all of one moment. Writes nothing.

    `replay` folds each staked game again move by move, where otherwise the outcome that its stream tells is taken.
    """
    report = Report()
    with one_moment():
        report.add(check_books())
        report.add(check_subjects(replay=replay))
    return report


def reconcile_and_keep(*, at: datetime, replay: bool = False) -> Reconciliation:
    """Reconcile, keep the report, and cry out if anything differs. Not to be called within a transaction."""
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
