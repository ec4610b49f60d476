"""Whether one stream holds what the signed checkpoints say it held."""

from __future__ import annotations

from collections.abc import Iterator
from uuid import UUID

import orjson
from django.db import connection

from audit.report import Fault, Report
from eventstore import checkpoint, merkle
from eventstore.chain import canonical
from eventstore.models import Checkpoint
from eventstore.store import Position
from ledger.rows import stored

CHECK = "checkpoint"


def audit(report: Report, stream: UUID, *, part: str, subject: str) -> None:
    """Note the check of every checkpoint that covers something of a stream, and of those that name what is gone."""
    covered, fault = 0, None
    expected: set[int] = set()
    for number, version, hash in _heads(stream):
        covered += 1
        expected.add(number)
        fault = _fault(number, stream, version, hash)
        if fault:
            report.failed(Fault(part, CHECK, subject, fault, version, number))
            return
    for number in _naming(stream):
        if number not in expected:
            report.failed(Fault(part, CHECK, subject, "what was signed is gone", None, number))
            return
    if covered:
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
        found = _covering(rows[0][0])
        if found is None:
            return
        number, until = found
        inside = [row for row in rows if row[0] <= until]
        _, version, hash = inside[-1]
        yield number, version, hash
        rows = rows[len(inside) :]


def _covering(position: Position) -> tuple[int, Position] | None:
    """The first checkpoint that reaches a position, and how far it reaches. They reach further one after the other."""
    numbers = Checkpoint.objects.order_by("number").values_list("number", flat=True)
    first, last = numbers.first(), numbers.last()
    if first is None or last is None:
        return None
    low, high = first, last
    while low < high:
        middle = (low + high) // 2
        reached = _until(middle)
        if reached is not None and reached >= position:
            high = middle
        else:
            low = middle + 1
    reached = _until(low)
    return (low, reached) if reached is not None and reached >= position else None


def _until(number: int) -> Position | None:
    """How far the newest checkpoint up to a number reaches."""
    upto = Checkpoint.objects.filter(number__lte=number).order_by("-number")
    body = upto.values_list("body", flat=True).first()
    if body is None:
        return None
    part = orjson.loads(body)["sources"]["streams"]
    return Position(*part["until"]) if part["until"] else None


def _fault(number: int, stream: UUID, version: int, hash: str) -> str | None:
    """Why a signed checkpoint does not say that the stream stood so."""
    held = Checkpoint.objects.filter(number=number).first()
    if held is None:
        return "the checkpoint is missing"
    if why := checkpoint.published(held).fault():
        return why
    part = orjson.loads(held.body)["sources"]["streams"]
    before = _leaves_before(orjson.loads(held.body)["sources"])
    joined = bytes(held.leaves)
    leaves = [joined[at : at + 32] for at in range(48 * before, 48 * (before + part["leaves"]), 48)]
    if merkle.root(leaves).hex() != part["root"]:
        return "the leaves beside the checkpoint are not those that were signed"
    leaf = merkle.leaf_hash(canonical({"hash": hash, "stream": str(stream), "version": version}))
    return None if leaf in leaves else "this is not what was signed"


def _leaves_before(sources: dict[str, dict[str, int]]) -> int:
    """How many leaves of other sources stand before those of the streams."""
    return sum(part["leaves"] for name, part in sources.items() if name < "streams")


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
