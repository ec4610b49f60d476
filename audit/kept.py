"""Whether one stream holds what the signed checkpoints say it held."""

from __future__ import annotations

from collections.abc import Iterator
from uuid import UUID

from django.db import connection

from audit.report import Fault, Report
from eventstore import checkpoint, merkle
from eventstore.covering import Unreadable, first_reaching, reach, signed_leaves
from eventstore.inclusion import head_leaf
from eventstore.models import Checkpoint
from eventstore.store import Position
from ledger.rows import stored

CHECK = "checkpoint"


def audit(report: Report, stream: UUID, *, part: str, subject: str) -> None:
    """Note the check of every checkpoint that covers something of a stream, and of those that name what is gone."""
    expected = set()
    try:
        for number, version, hash in _heads(stream):
            expected.add(number)
            if fault := _fault(number, stream, version, hash):
                report.failed(Fault(part, CHECK, subject, fault, version, number))
                return
    except Unreadable as unreadable:
        why = "the checkpoint is missing, or is none"
        report.failed(Fault(part, CHECK, subject, why, None, unreadable.number))
        return
    for number in _naming(stream):
        if number not in expected:
            report.failed(Fault(part, CHECK, subject, "what was signed is gone", None, number))
            return
    if expected:
        report.passed(part, CHECK)
    else:
        report.not_run(part, CHECK, why="no checkpoint covers anything of it yet")


def _heads(stream: UUID) -> Iterator[tuple[int, int, str]]:
    """By checkpoint, version and hash of the last event of the stream that it covers."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT epoch, xact, position, version, hash FROM eventstore_event WHERE stream_id = %s ORDER BY version",
            [stored(stream)],
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


def _fault(number: int, stream: UUID, version: int, hash: str) -> str | None:
    """Why a signed checkpoint does not say that the stream stood so."""
    held = Checkpoint.objects.get(number=number)
    if why := checkpoint.published(held).fault():
        return why
    leaves = signed_leaves(held)
    if leaves is None:
        return "the leaves beside the checkpoint are not those that were signed"
    leaf = merkle.leaf_hash(head_leaf(str(stream), version, hash))
    return None if any(one.hash == leaf for one in leaves) else "this is not what was signed"


def _naming(stream: UUID) -> list[int]:
    """The checkpoints that name a stream among their leaves."""
    found = (
        "position(%s::bytea in leaves) > 0" if connection.vendor == "postgresql" else "instr(leaves, %s) > 0"
    )
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT number FROM eventstore_checkpoint WHERE {found} ORDER BY number",  # noqa: S608
            [stream.bytes],
        )
        return [number for (number,) in cursor.fetchall()]
