"""Check streams: hash chain, order, head, and kind of each, and the games among them.

A range of streams is read once. Hashes are computed over the stored bytes, whatever they contain.
"""

from __future__ import annotations

from collections.abc import Iterator
from uuid import UUID

from audit.checks import games, projections
from audit.ranges import Head, Range, Row, by_stream, halves, heads
from audit.report import Fault, Report
from disputes import stream as disputes
from disputes.models import Dispute
from eventstore.chain import GENESIS, link_fault
from games import early_access, state
from ledger.reconciliation.services import UNREADABLE, one_moment
from tournaments import record as tournaments
from tournaments.models import Tournament

PART = "streams"


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

    def follow(self, row: Row) -> None:
        if self.fault is None:
            found = link_fault(row, stream=self.stream, version=self.version, hash=self.hash, at=self.at)
            self.fault = found and (found[0], row.version, found[1])
        self.version, self.hash, self.at = row.version, row.hash, row.at


def add_checks(report: Report, chain: Chain, head: Head | None, owner_fault: str | None) -> None:
    """Add the checks of a stream that has been read to its end to the report."""
    report.counted["streams"] += 1
    kind = head.kind if head else "stream"
    subject = f"{kind}:{chain.stream}"
    fault = chain.fault
    for check in ("chain", "order"):
        if fault is not None and fault[0] == check:
            report.failed(Fault(PART, check, subject, fault[2], fault[1]))
        elif fault is None or check == "chain":
            report.passed(PART, check)
        else:
            report.not_run(PART, check, why=games.AFTER_FAULT)
    if why := head_fault(chain, head):
        report.failed(Fault(PART, "head", subject, why, chain.version or None))
    else:
        report.passed(PART, "head")
    if owner_fault:
        report.failed(Fault(PART, "owner", subject, owner_fault))
    else:
        report.passed(PART, "owner")


def head_fault(chain: Chain, head: Head | None) -> str | None:
    if head is None:
        return "the stream of the events is missing"
    if chain.version == 0:
        return "the stream has no events"
    if head.version != chain.version:
        return f"the head has version {head.version}, but the events end at {chain.version}"
    if head.hash != chain.hash:
        return "the head is not the hash of the last event"
    return None if head.at == chain.at else "the time of the head differs from that of the last event"


def audit(range: Range, *, count_hidden: bool = True) -> Report:
    """Check all streams and games of a range, at one moment. Only one page and one game are in memory at a time.

    If a projection cannot be read, the range is divided until its stream is alone, so that the others are checked.
    `count_hidden`: include the events of games that are not public in the number of events, which reveals their number
    of moves.
    """
    report = Report()
    try:
        with one_moment():
            _Range(range, report, count_hidden).audit()
        return report
    except UNREADABLE as error:
        parts = halves(range)
        why = f"its projections cannot be read: {type(error).__name__} {error}"
    if parts is None:
        unreadable = Report()
        unreadable.failed(Fault(PART, "readable", f"stream:{range.first}", why))
        return unreadable
    first, second = parts
    report = audit(first, count_hidden=count_hidden)
    report.merge(audit(second, count_hidden=count_hidden))
    return report


class _Range:
    def __init__(self, range: Range, report: Report, count_hidden: bool) -> None:
        self.report = report
        self.count_hidden = count_hidden
        self.range = range
        self.heads = heads(range)
        self.projections = projections.load(range)
        known = Tournament.objects.filter(range.q("pk")).values_list("pk", flat=True)
        self.tournaments = frozenset(known)
        disputed = Dispute.objects.filter(range.q("pk")).values_list("pk", flat=True)
        self.disputes = frozenset(disputed)

    def audit(self) -> None:
        seen: dict[UUID, None] = {}
        for stream, events in by_stream(self.range):
            seen[stream] = None
            self._stream(stream, events)
        for stream in self.heads:
            if stream not in seen:
                seen[stream] = None
                self._stream(stream, iter(()))
        games.add_missing(self.report, self.projections, seen)

    def _stream(self, stream: UUID, events: Iterator[Row]) -> None:
        head = self.heads.get(stream)
        is_game = stream in self.projections.games or (head is not None and head.kind == state.KIND)
        chain = Chain(stream)
        reading = games.Reading()
        number = 0
        for row in events:
            number += 1
            chain.follow(row)
            if is_game:
                reading.take(row)
        if self.count_hidden or self.projections.is_version_public(stream):
            self.report.counted["events"] += number
        add_checks(self.report, chain, head, self._owner_fault(stream, head))
        if is_game:
            games.check(self.report, stream, reading, self.projections, head_fault(chain, head))

    def _owner_fault(self, stream: UUID, head: Head | None) -> str | None:
        """Return the fault of a stream's kind."""
        if head is None:
            return None
        expected = self._kind(stream)
        if expected is not None and head.kind != expected:
            return f"its kind is {head.kind}, but its record is a {expected}"
        if expected is None and head.kind in (state.KIND, tournaments.KIND, disputes.KIND, early_access.KIND):
            return f"its kind is {head.kind}, but it has no record"
        return None

    def _kind(self, stream: UUID) -> str | None:
        if stream in self.projections.games:
            return state.KIND
        if stream in self.tournaments:
            return tournaments.KIND
        if stream in self.disputes:
            return disputes.KIND
        return early_access.KIND if stream == early_access.STREAM else None
