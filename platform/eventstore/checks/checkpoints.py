"""Check the signed checkpoints, and one stream against the checkpoints that cover it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from uuid import UUID

from django.db import connection

from core.checks import Fault, Report
from core.sql import stored
from eventstore.audits import Scope, Work
from eventstore.checkpoints import merkle
from eventstore.checkpoints import service as checkpoint
from eventstore.checkpoints.inclusion import head_leaf
from eventstore.checkpoints.proofs import Unreadable, first_reaching, reach, signed_leaves
from eventstore.checkpoints.service import PART, Published
from eventstore.models import Checkpoint, CheckpointStream, Stream
from eventstore.months import within
from eventstore.store import Position

CHECKS = {
    "kept": "each is signed and follows the previous one, and the events that it covers are unchanged",
    "published": "the database has the published checkpoints unchanged",
}
CHECKPOINTS_PER_PIECE = 100


def pieces(scope: Scope) -> Iterator[Work]:
    """Yield pieces of consecutive checkpoints, or of those after the scope's checkpoint."""
    since = scope.since or 0
    numbers = Checkpoint.objects.filter(number__gt=since).order_by("number").values_list("number", flat=True)
    after = since
    for count, number in enumerate(numbers.iterator(chunk_size=2000), start=1):
        if count % CHECKPOINTS_PER_PIECE == 0:
            yield Work(after, number)
            after = number
    last = numbers.last()
    if last is not None and last > after:
        yield Work(after, last)


def audit(after: int, until: int) -> Report:
    """Check the checkpoints after number `after`, up to and including `until`."""
    report = Report()
    count, wrong = 0, set()
    for seen, fault in checkpoint.verify(after=after, until=until):
        count = seen
        if fault is not None:
            report.failed(_with_kind(fault), again=fault.checkpoint in wrong)
            wrong.add(fault.checkpoint)
    report.counted["checkpoints"] += count
    report.passed(PART, "kept", number=count - len(wrong))
    return report


def audit_published(known: Iterable[Published]) -> Report:
    """Check that the database still has the checkpoints that were stored elsewhere."""
    report = Report()
    number = 0
    for each in known:
        number += 1
        found = checkpoint.verify_against(each)
        if found is None:
            report.passed(PART, "published")
        else:
            report.failed(found)
    if not number:
        report.not_run(PART, "published", why="no published checkpoint was given")
    return report


def published_pieces(scope: Scope) -> Iterator[Work]:
    yield Work(scope.known)


def _with_kind(fault: Fault) -> Fault:
    """Name the subject by the kind of its stream."""
    name, _, stream = fault.subject.partition(":")
    if name != "stream":
        return fault
    kind = Stream.objects.filter(pk=stream).values_list("kind", flat=True).first()
    return fault._replace(subject=f"{kind or name}:{stream}")


# --- one stream ------------------------------------------------------------------------------------------

CHECK = "checkpoint"
OF_A_STREAM = {CHECK: "the stream matches the signed checkpoints"}


def audit_stream(report: Report, stream: UUID, *, part: str, subject: str) -> None:
    """Check a stream against every checkpoint that covers events of it or names it."""
    expected = set()
    try:
        for number, version, hash in _heads(stream):
            expected.add(number)
            if fault := _coverage_fault(number, stream, version, hash):
                report.failed(Fault(part, CHECK, subject, fault, version, number))
                return
    except Unreadable as unreadable:
        why = "the checkpoint is missing or unreadable"
        report.failed(Fault(part, CHECK, subject, why, None, unreadable.number))
        return
    for number in _naming(stream):
        if number not in expected:
            report.failed(Fault(part, CHECK, subject, "signed events are missing", None, number))
            return
    if expected:
        report.passed(part, CHECK)
    else:
        report.not_run(part, CHECK, why="no checkpoint covers it yet")


def _heads(stream: UUID) -> Iterator[tuple[int, int, str]]:
    """Yield each checkpoint with the version and hash of the last event of the stream that it covers."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT epoch, xact, position, version, hash FROM eventstore_event "  # noqa: S608 (limits of our own)
            f"WHERE stream_id = %s{within(stream)} UNION ALL "
            "SELECT epoch, xact, position, version, hash FROM eventstore_archivedhead WHERE stream_id = %s "
            "ORDER BY version",
            [stored(stream), stored(stream)],
        )
        rows = [(Position(*row[:3]), row[3], row[4]) for row in cursor.fetchall()]
    while rows:
        number = first_reaching(rows[0][0])
        if number is None:
            return
        until = reach(number)
        inside = [row for row in rows if row[0] <= until]
        _, version, hash = inside[-1]
        yield number, version, hash
        rows = rows[len(inside) :]


def _coverage_fault(number: int, stream: UUID, version: int, hash: str) -> str | None:
    """Return why a signed checkpoint does not contain this head of the stream, if it does not."""
    held = Checkpoint.objects.get(number=number)
    if why := checkpoint.published(held).fault():
        return why
    leaves = signed_leaves(held)
    if leaves is None:
        return "the entries of the checkpoint are not those that were signed"
    leaf = merkle.leaf_hash(head_leaf(str(stream), version, hash))
    return None if any(one.hash == leaf for one in leaves) else "this differs from the signed entry"


def _naming(stream: UUID) -> Iterable[int]:
    """Return the checkpoints with an entry for a stream."""
    return CheckpointStream.objects.filter(stream=stream).order_by("number").values_list("number", flat=True)
