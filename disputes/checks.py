"""Check disputes against their streams, and their evidence against the games."""

from __future__ import annotations

from collections.abc import Iterator

from core.checks import Report
from core.transactions import one_moment
from disputes import verification
from disputes.models import Dispute
from eventstore.audits import Scope, StreamRecords, Work
from eventstore.models import Event
from eventstore.ranges import Range
from games.evidence.proof import UNREADABLE

PART = "disputes"
CHECKS = {
    "record": "dispute, evidence, and rulings match the stream of the dispute",
    "evidence": "the disputed event and the pinned events are unchanged in their games",
}


def audit(range: Range) -> Report:
    report = Report()
    with one_moment():
        for dispute in Dispute.objects.filter(range.q("pk")).order_by("pk").iterator(chunk_size=500):
            report.counted["disputes"] += 1
            subject = f"dispute:{dispute.pk}"
            report.add(PART, "record", subject, _record_faults(dispute))
            report.add(PART, "evidence", subject, _evidence_faults(dispute))
    return report


def pieces(scope: Scope) -> Iterator[Work]:
    for range in scope.ranges:
        yield Work(range)


def records_in(range: Range) -> StreamRecords:
    return StreamRecords(frozenset(Dispute.objects.filter(range.q("pk")).values_list("pk", flat=True)))


def _record_faults(dispute: Dispute) -> Iterator[str]:
    try:
        yield from verification.faults(dispute)
    except UNREADABLE as error:
        yield f"its stream cannot be read: {type(error).__name__} {error}"


def _evidence_faults(dispute: Dispute) -> Iterator[str]:
    """Yield the faults of the disputed event and of the pinned events."""
    events = [(dispute.game_id, dispute.version, dispute.hash)]
    for game, version, hash in events + list(dispute.evidence.values_list("game", "version", "hash")):
        if not Event.objects.filter(stream=game, version=version, hash=hash).exists():
            yield f"event {version} of game {game} differs from the pinned event"
