"""Check that the triggers of the database are installed."""

from __future__ import annotations

from core import triggers
from core.checks import Fault, Report

PART = "database"
CHECKS = {
    "triggers": "every trigger and function that protects an invariant is installed and unaltered",
}


def audit() -> Report:
    report = Report()
    missing = triggers.missing()
    for name in missing:
        report.failed(Fault(PART, "triggers", name, "the trigger is missing, disabled or altered"))
    if not missing:
        report.passed(PART, "triggers")
    return report
