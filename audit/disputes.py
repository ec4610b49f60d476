"""Disputes held against their streams, and the evidence in them against the games that it is of."""

from __future__ import annotations

from collections.abc import Iterator

from audit.ranges import Range
from audit.report import Fault, Report
from disputes import proof
from disputes.models import Dispute
from eventstore.models import Event
from games.selectors_proof import UNTELLABLE
from ledger.reconciliation.moment import one_moment

PART = "disputes"


def audit(range: Range) -> Report:
    report = Report()
    with one_moment():
        for dispute in Dispute.objects.filter(range.q("pk")).order_by("pk").iterator(chunk_size=500):
            report.counted["disputes"] += 1
            _note(report, dispute, "record", _record_faults(dispute))
            _note(report, dispute, "evidence", _evidence_faults(dispute))
    return report


def _note(report: Report, dispute: Dispute, check: str, found: Iterator[str]) -> None:
    failed = False
    for why in found:
        fault = Fault(PART, check, f"dispute:{dispute.pk}", why)
        (report.also if failed else report.failed)(fault)
        failed = True
    if not failed:
        report.passed(PART, check)


def _record_faults(dispute: Dispute) -> Iterator[str]:
    try:
        yield from proof.faults(dispute)
    except UNTELLABLE as error:
        yield f"its stream cannot be read: {type(error).__name__} {error}"


def _evidence_faults(dispute: Dispute) -> Iterator[str]:
    """The event that the claim is about, and each that was pinned."""
    about = [(dispute.game_id, dispute.version, dispute.hash)]
    for game, version, hash in about + list(dispute.evidence.values_list("game", "version", "hash")):
        if not Event.objects.filter(stream=game, version=version, hash=hash).exists():
            yield f"event {version} of game {game} is not what was pinned"
