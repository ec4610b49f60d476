"""Tournaments as a part of an audit: derived again from their events, and held against the records beside them."""

from __future__ import annotations

from uuid import UUID

from audit.report import Fault, Report
from eventstore import store
from tournaments.formats.replay import replay

PART = "tournaments"


def audit(tournament: UUID) -> Report:
    report = Report()
    report.counted["tournaments"] += 1
    replayed = replay(str(tournament), [event.public() for event in store.read(tournament)])
    difference = replayed.difference
    if difference is None:
        report.passed(PART, "replay")
    else:
        why = f"{difference.what}: told {difference.told}, found {difference.found}"
        report.failed(Fault(PART, "replay", f"tournament:{tournament}", why, difference.version))
    return report
