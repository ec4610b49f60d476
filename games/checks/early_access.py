"""Check the records of early access against their stream."""

from __future__ import annotations

from typing import Any

from core.checks import Fault, Report
from core.transactions import one_moment
from eventstore import store
from games.early_access import KIND, STREAM
from games.evidence.proof import UNREADABLE
from games.models import EarlyAccess

PART = "early-access"
CHECK = "record"
CHECKS = {CHECK: "the records of early access match their stream"}


def audit() -> Report:
    report = Report()
    with one_moment():
        try:
            recorded = {event.version: _recorded(event.data) for event in store.read(STREAM)}
            _compare(report, recorded, {row.event: _row(row) for row in EarlyAccess.objects.iterator()})
        except UNREADABLE as error:
            why = f"the stream cannot be read: {type(error).__name__} {error}"
            report.failed(Fault(PART, CHECK, _SUBJECT, why))
    return report


_SUBJECT = f"{KIND}:{STREAM}"


def _compare(report: Report, recorded: dict[int, Any], rows: dict[int, Any]) -> None:
    for version in sorted(recorded.keys() | rows.keys()):
        if version not in rows:
            why = "the record of this access is missing"
        elif version not in recorded:
            why = "there is a record of an access without an event"
        elif rows[version] != recorded[version]:
            why = f"its record is {rows[version]}, by the stream {recorded[version]}"
        else:
            report.passed(PART, CHECK)
            continue
        report.failed(Fault(PART, CHECK, _SUBJECT, why, version))


def _recorded(data: dict[str, Any]) -> dict[str, Any]:
    return {name: data[name] for name in ("looker", "game", "tournament", "what", "reason")}


def _row(row: EarlyAccess) -> dict[str, Any]:
    """Return a row in the form of its event, without the version, which the row does not have."""
    return {
        "looker": str(row.viewer_id),
        "game": str(row.game_id),
        "tournament": None if row.tournament is None else str(row.tournament),
        "what": row.what,
        "reason": row.reason,
    }
