"""Early looks held against the stream that says of each that it was taken."""

from __future__ import annotations

from typing import Any

from audit.report import Fault, Report
from eventstore import store
from games.audit import KIND, STREAM
from games.models import EarlyLook
from games.selectors_proof import UNTELLABLE
from ledger.reconciliation.moment import one_moment

PART = "looks"
CHECK = "record"


def audit() -> Report:
    report = Report()
    with one_moment():
        try:
            told = {event.version: _told(event.data) for event in store.read(STREAM)}
            _compare(report, told, {look.event: _row(look) for look in EarlyLook.objects.iterator()})
        except UNTELLABLE as error:
            why = f"the stream cannot be read: {type(error).__name__} {error}"
            report.failed(Fault(PART, CHECK, _SUBJECT, why))
    return report


_SUBJECT = f"{KIND}:{STREAM}"


def _compare(report: Report, told: dict[int, Any], rows: dict[int, Any]) -> None:
    for version in sorted(told.keys() | rows.keys()):
        if version not in rows:
            why = "there is no record of this look"
        elif version not in told:
            why = "there is a record of a look, and no event"
        elif rows[version] != told[version]:
            why = f"its record is {rows[version]}, by the stream {told[version]}"
        else:
            report.passed(PART, CHECK)
            continue
        report.failed(Fault(PART, CHECK, _SUBJECT, why, version))


def _told(data: dict[str, Any]) -> dict[str, Any]:
    told = {name: data[name] for name in ("looker", "game", "tournament", "what")}
    return told | {"reason": data.get("reason", "")}  # asked for only later on


def _row(look: EarlyLook) -> dict[str, Any]:
    """As its event tells it, but for the version that was looked at, of which there is no record."""
    return {
        "looker": str(look.looker_id),
        "game": str(look.game_id),
        "tournament": None if look.tournament is None else str(look.tournament),
        "what": look.what,
        "reason": look.reason,
    }
