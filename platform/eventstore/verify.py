"""Verification of the log: every hash recomputed, every link followed, every head and checkpoint compared.

It reads in pages, so that memory does not grow with the log, and alongside writers: each page is one snapshot.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple
from uuid import UUID

from django.db import connection

from eventstore.chain import GENESIS, MOST_FAULTS, Fault, link_fault
from eventstore.checkpoints import service as checkpoints

PAGE = 2000


@dataclass(slots=True)
class Report:
    events: int = 0
    streams: int = 0
    checkpoints: int = 0
    faults: list[Fault] | None = None

    @property
    def ok(self) -> bool:
        return not self.faults

    def add(self, fault: Fault) -> None:
        """Store a fault unless there are MOST_FAULTS already."""
        self.faults = self.faults or []
        if len(self.faults) < MOST_FAULTS:
            self.faults.append(fault)


def verify_all() -> Report:
    """Verify all streams and all checkpoints."""
    report = Report()
    _verify_chains(report)
    for count, fault in checkpoints.verify():
        report.checkpoints = count
        if fault:
            report.add(fault)
    return report


class _Row(NamedTuple):
    stream: Any
    version: int
    type: str
    seat: int | None
    data: bytes
    seal: str | None
    at: str
    prev: str
    hash: str
    head_version: int | None
    head_hash: str | None


@dataclass(slots=True)
class _Link:
    """The progress of one stream. After its first fault the rest of it is skipped."""

    stream: Any
    version: int = 0
    hash: str = GENESIS
    at: str = ""
    head: tuple[int | None, str | None] = (0, GENESIS)
    broken: bool = False

    def fault(self, row: _Row) -> str | None:
        stream = str(_uuid(self.stream))
        found = link_fault(row, stream=stream, version=self.version, hash=self.hash, at=self.at)
        return found[1] if found else None


def _verify_chains(report: Report) -> None:
    link: _Link | None = None
    for row in _rows():
        if link is None or row.stream != link.stream:
            _finish(report, link)
            link = _Link(row.stream)
            report.streams += 1
        report.events += 1
        if not link.broken and (fault := link.fault(row)):
            report.add(Fault(fault, _uuid(row.stream), row.version))
            link.broken = True
        link.version, link.hash, link.at = row.version, row.hash, row.at
        link.head = row.head_version, row.head_hash
    _finish(report, link)
    for stream in _empty_streams():
        report.add(Fault("the stream has a head but no event", stream))


def _finish(report: Report, link: _Link | None) -> None:
    if link is None or link.broken or link.head == (link.version, link.hash):
        return
    version, _ = link.head
    if version is None:
        why = "the events have no stream"
    elif version != link.version:
        why = f"the head says {version}, and the events end at {link.version}"
    else:
        why = "the head is not the hash of the last event"
    report.add(Fault(why, _uuid(link.stream), link.version))


_SELECT = (
    "SELECT event.stream_id, event.version, type, seat, data, seal, at, prev, hash, head.version, head.head_hash "
    "FROM eventstore_event AS event LEFT JOIN eventstore_stream AS head ON head.id = event.stream_id "
)


def _rows() -> Iterator[_Row]:
    """All events by stream and version, each with its stream's head in the snapshot of the page."""
    seen: tuple[Any, ...] = ()
    while True:
        where = "WHERE (event.stream_id, event.version) > (%s, %s) " if seen else ""
        with connection.cursor() as cursor:
            cursor.execute(f"{_SELECT}{where}ORDER BY event.stream_id, event.version LIMIT {PAGE}", seen)
            page = [_Row(*row) for row in cursor.fetchall()]
        yield from page
        if len(page) < PAGE:
            return
        seen = page[-1].stream, page[-1].version


def _empty_streams() -> Iterator[UUID]:
    sql = (
        "SELECT id FROM eventstore_stream AS head "
        "WHERE NOT EXISTS (SELECT 1 FROM eventstore_event WHERE stream_id = head.id)"
    )
    with connection.cursor() as cursor:
        cursor.execute(f"{sql} LIMIT {MOST_FAULTS}")
        for (stream,) in cursor.fetchall():
            yield _uuid(stream)


def _uuid(value: UUID | str) -> UUID:
    return value if isinstance(value, UUID) else UUID(value)
