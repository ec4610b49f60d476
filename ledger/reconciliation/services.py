"""The reconciliation: as a part of an audit, and alone with a stored report."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime

from core.transactions import one_moment
from eventstore.audits import Scope, Work
from ledger.reconciliation import books, derivations
from ledger.reconciliation.books import account_name, check_books
from ledger.reconciliation.derivations import check_subjects, each_among
from ledger.reconciliation.models import PART, Difference, Found, LedgerReport, Reconciliation
from ledger.reports import rollups

log = logging.getLogger("ledger")

CAUSES = "transfers from what happened"
SUBJECTS = "subjects"
PARTS: Mapping[str, Callable[[], Iterator[Found]]] = {"books": check_books, **rollups.CHECKS_BY_NAME}
"""The parts besides the subjects, each of which is right at any moment, so that an audit can run them in parallel."""


def checks() -> dict[str, str]:
    """Return what each check verifies, by name."""
    return {
        **books.about(),
        **rollups.CHECKS,
        **derivations.about(),
        CAUSES: "every transfer follows from the log of its subject; not run if only the balances are checked",
    }


def pieces(scope: Scope) -> Iterator[Work]:
    """Yield the parts, slow ones first. Since a checkpoint, and if only what is stored is checked, not the subjects."""
    yield Work(SUBJECTS, scope.after is not None or scope.stored_only)
    for name in PARTS:
        yield Work(name)


def reconcile_all(books_only: bool = False, *, replay: bool = False) -> LedgerReport:
    """Check every balance by its transfers and, unless `books_only`, every transfer by its cause, in one snapshot.

    `replay` folds each staked game move by move instead of taking the outcome in its stream. Writes nothing.
    """
    report = LedgerReport()
    with one_moment():
        for name in (*PARTS, SUBJECTS):
            _take(report, name, books_only, replay)
    return report


def reconcile_part(name: str, books_only: bool = False) -> LedgerReport:
    """Check one part, in its own snapshot."""
    report = LedgerReport()
    with one_moment():
        _take(report, name, books_only)
    return report


def _take(report: LedgerReport, name: str, books_only: bool, replay: bool = False) -> None:
    if name != SUBJECTS:
        report.take(PARTS[name]())
    elif books_only:
        report.not_run(PART, CAUSES, why="only the balances were requested")
    else:
        report.take(check_subjects(replay=replay))


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
    if report.count:
        log.error("reconciliation: %d differences; %s", report.count, report.differences[0])
    return kept
