"""Check the ledger: the findings of its reconciliation as checks of an audit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from core.checks import Fault, Report
from core.transactions import one_moment
from eventstore.audits import Scope, Work
from ledger.reconciliation.services import Checked, Difference, Found, check_books, check_subjects

PART = "ledger"


def audit(books_only: bool = False) -> Report:
    """Check every balance by its transfers and, unless `books_only`, every transfer by its cause, at one moment."""
    report = Report()
    with one_moment():
        add(report, check_books())
        if books_only:
            report.not_run(
                PART, "transfers from what happened", why="only data since a checkpoint was requested"
            )
        else:
            add(report, check_subjects())
    return report


def pieces(scope: Scope) -> Iterator[Work]:
    """Yield one piece. Since a checkpoint, only the balances are checked."""
    yield Work(scope.after is not None)


def add(report: Report, found: Iterable[Found]) -> None:
    """Add findings to the report. The name of a check says what it compares; a difference is a failed subject."""
    for each in found:
        if isinstance(each, Difference):
            report.failed(fault(each))
        elif isinstance(each, Checked):
            wrong = report.tallies.get((PART, each.what))
            report.passed(PART, each.what, number=max(0, each.number - (wrong.failed if wrong else 0)))
            if each.what == _TRANSFERS:
                report.counted["transfers"] += each.number
        else:
            report.not_run(PART, each.of, why=each.why, number=each.number)


_TRANSFERS = "the currency of both sides"
"""The check that covers each transfer once."""


def fault(difference: Difference) -> Fault:
    subject = difference.subject or difference.account
    event = None if difference.event is None else int(difference.event)
    return Fault(PART, difference.what, subject, str(difference), event)
