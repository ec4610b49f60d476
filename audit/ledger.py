"""The books as a part of an audit: the reconciliation's own findings, in the form of every other part."""

from __future__ import annotations

from collections.abc import Iterable

from audit.report import Fault, Report
from ledger.reconciliation.books import check_books
from ledger.reconciliation.derivations import check_subjects
from ledger.reconciliation.moment import one_moment
from ledger.reconciliation.report import Checked, Difference, Found

PART = "ledger"


def audit(*, books_only: bool = False) -> Report:
    """Every balance from transfers and (unless `books_only`) every transfer from what happened, of one moment."""
    report = Report()
    with one_moment():
        add(report, check_books())
        if books_only:
            report.not_run(
                PART, "transfers from what happened", why="only what came since a checkpoint was asked for"
            )
        else:
            add(report, check_subjects())
    return report


def add(report: Report, found: Iterable[Found]) -> None:
    """What is checked is named by what it holds against what; a difference is a subject that has failed it."""
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
"""The check that looks at each transfer once."""


def fault(difference: Difference) -> Fault:
    subject = difference.subject or difference.account
    event = None if difference.event is None else int(difference.event)
    return Fault(PART, difference.what, subject, str(difference), event)
