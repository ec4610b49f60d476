"""Check streams: hash chain, order, head, and kind of each, and what the owner of a kind adds.

A range of streams is read once. Hashes are computed over the stored bytes, whatever they contain.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from uuid import UUID

from core.checks import AFTER_FAULT, UNREADABLE, Fault, Report
from core.transactions import one_moment
from eventstore.audits import Scope, Work, stream_kinds
from eventstore.chain import GENESIS, Link, link_fault
from eventstore.ranges import Head, Range, Row, by_stream, halves, heads
from eventstore.ranges import archived as archived_streams

PART = "streams"
CHECKS = {
    "chain": "versions count from 1 without gaps, and every hash covers its event and the previous hash",
    "order": "no event is earlier than the previous one",
    "head": "the stream's head is its last event",
    "owner": "the kind of the stream matches its projections",
    "readable": "the projections of the stream can be read",
}


class Chain:
    """The hash chain of a stream as it is read. Events after the first fault are not checked."""

    __slots__ = ("at", "fault", "hash", "stream", "version")

    def __init__(self, stream: UUID) -> None:
        self.stream = str(stream)
        self.version = 0
        self.hash = GENESIS
        self.at = ""
        self.fault: tuple[str, int, str] | None = None
        """The check, the version, and the reason."""

    def follow(self, event: Link) -> None:
        if self.fault is None:
            found = link_fault(event, stream=self.stream, version=self.version, hash=self.hash, at=self.at)
            self.fault = found and (found[0], event.version, found[1])
        self.version, self.hash, self.at = event.version, event.hash, event.at


def head_fault(chain: Chain, head: Head | None) -> str | None:
    """Return why the head of a stream is not its last event."""
    if head is None:
        return "the stream of the events is missing"
    if chain.version == 0:
        return "the stream has no events"
    if head.version != chain.version:
        return f"the head has version {head.version}, but the events end at {chain.version}"
    if head.hash != chain.hash:
        return "the head is not the hash of the last event"
    return None if head.at == chain.at else "the time of the head differs from that of the last event"


Source = Callable[[Range, Report], Iterator[tuple[UUID, Iterator[Row]]]]
"""Yields the archived streams of a range with their events. Adds the faults of those that it cannot read."""


def audit(
    range: Range, records: bool = True, *, count_hidden: bool = True, archived: Source | None = None
) -> Report:
    """Check all streams of a range, at one moment. Only one page and one game are in memory at a time.

    `records`: compare the streams with their projections, and check their events as the owner of their kind does.
    `archived`: check the archived streams, which it yields, instead of those with events in the database.

    If a projection cannot be read, the range is divided until its stream is alone, so that the others are checked.
    `count_hidden`: include the events of games that are not public in the number of events, which reveals their number
    of moves.
    """
    report = Report()
    try:
        with one_moment():
            _Range(range, report, records, count_hidden, archived).audit()
        return report
    except UNREADABLE as error:
        parts = halves(range)
        why = f"its projections cannot be read: {type(error).__name__} {error}"
    if parts is None:
        unreadable = Report()
        unreadable.failed(Fault(PART, "readable", f"stream:{range.first}", why))
        return unreadable
    first, second = parts
    report = audit(first, records, count_hidden=count_hidden, archived=archived)
    report.merge(audit(second, records, count_hidden=count_hidden, archived=archived))
    return report


def pieces(scope: Scope) -> Iterator[Work]:
    """Yield one piece for each range of streams."""
    for range in scope.ranges:
        yield Work(range, not scope.stored_only, events=range.events)


class _Range:
    def __init__(
        self, range: Range, report: Report, records: bool, count_hidden: bool, archived: Source | None
    ) -> None:
        self.report = report
        self.archived = archived
        self.elsewhere = archived_streams(range)
        """Streams whose events are in packs."""
        self.count_hidden = count_hidden
        self.range = range
        self.heads = heads(range)
        self.kinds = {kind: load(range) for kind, load in stream_kinds().items()} if records else {}

    def audit(self) -> None:
        seen: dict[UUID, None] = {}
        if self.archived is not None:
            for stream, events in self.archived(self.range, self.report):
                self._stream(stream, events)
            return
        for stream, events in by_stream(self.range):
            seen[stream] = None
            self._stream(stream, events)
        for stream in self.heads:
            if stream not in seen:
                seen[stream] = None
                if stream not in self.elsewhere:
                    self._stream(stream, iter(()))
        for records in self.kinds.values():
            records.check_missing(self.report, seen)

    def _stream(self, stream: UUID, events: Iterator[Row]) -> None:
        head = self.heads.get(stream)
        chain = Chain(stream)
        readings = [
            reading
            for kind, records in self.kinds.items()
            if stream in records.recorded or (head is not None and head.kind == kind)
            if (reading := records.reading(stream)) is not None
        ]
        number = 0
        for row in events:
            number += 1
            chain.follow(row)
            for reading in readings:
                reading.take(row)
        if self.count_hidden or all(records.is_version_public(stream) for records in self.kinds.values()):
            self.report.counted["events"] += number
        self._add_checks(chain, head)
        for reading in readings:
            reading.check(self.report, head_fault(chain, head))

    def _add_checks(self, chain: Chain, head: Head | None) -> None:
        """Add the checks of a stream that has been read to its end to the report."""
        self.report.counted["streams"] += 1
        kind = head.kind if head else "stream"
        subject = f"{kind}:{chain.stream}"
        fault = chain.fault
        for check in ("chain", "order"):
            if fault is not None and fault[0] == check:
                self.report.failed(Fault(PART, check, subject, fault[2], fault[1]))
            elif fault is None or check == "chain":
                self.report.passed(PART, check)
            else:
                self.report.not_run(PART, check, why=AFTER_FAULT)
        if why := head_fault(chain, head):
            self.report.failed(Fault(PART, "head", subject, why, chain.version or None))
        else:
            self.report.passed(PART, "head")
        if why := self._owner_fault(UUID(chain.stream), head):
            self.report.failed(Fault(PART, "owner", subject, why))
        elif self.kinds:
            self.report.passed(PART, "owner")

    def _owner_fault(self, stream: UUID, head: Head | None) -> str | None:
        """Return the fault of a stream's kind."""
        if head is None:
            return None
        expected = next((kind for kind, records in self.kinds.items() if stream in records.recorded), None)
        if expected is not None and head.kind != expected:
            return f"its kind is {head.kind}, but its record is a {expected}"
        if expected is None and head.kind in self.kinds:
            return f"its kind is {head.kind}, but it has no record"
        return None
