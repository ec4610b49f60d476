"""Verification of the log: every hash recomputed, every link followed, every head and checkpoint compared.

It reads ranges of streams in pages, so that memory does not grow with the log, and alongside writers: each range is
read in one snapshot.
"""

from __future__ import annotations

from collections.abc import Iterable
from uuid import UUID

from core.checks import Fault, Report
from core.transactions import one_moment
from eventstore import ranges
from eventstore.chain import GENESIS, Link, link_fault
from eventstore.checkpoints import service as checkpoints
from eventstore.ranges import Head, Range

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


def verify_all() -> Report:
    """Verify all streams and all checkpoints. The report counts the streams, events, and checkpoints."""
    report = Report()
    for range in ranges.of_all_streams():
        with one_moment():
            _verify_streams(report, range)
    add_checkpoints(report, checkpoints.verify())
    return report


def _verify_streams(report: Report, range: Range) -> None:
    heads = ranges.heads(range)
    for stream, rows in ranges.by_stream(range):
        chain = Chain(stream)
        for row in rows:
            report.counted["events"] += 1
            chain.follow(row)
        _finish(report, chain, heads.pop(stream, None))
    for stream in heads:
        report.failed(Fault(PART, "head", f"stream:{stream}", "the stream has no events"))


def add_checkpoints(report: Report, found: Iterable[tuple[int, Fault | None]]) -> None:
    """Add what `checkpoints.verify` found to the report."""
    count, wrong = 0, set()
    for seen, fault in found:
        count = seen
        if fault is not None:
            report.failed(fault, again=fault.checkpoint in wrong)
            wrong.add(fault.checkpoint)
    report.counted["checkpoints"] += count
    report.passed(checkpoints.PART, "kept", number=count - len(wrong))


def counts(report: Report) -> str:
    """Return what was verified as a phrase."""
    found = report.counted
    return f"{found['events']} events in {found['streams']} streams, {found['checkpoints']} checkpoints"


def _finish(report: Report, chain: Chain, head: Head | None) -> None:
    """Report a stream that has been read to its end: its first broken link, or else its head."""
    report.counted["streams"] += 1
    subject = f"stream:{chain.stream}"
    if chain.fault is not None:
        check, version, why = chain.fault
        report.failed(Fault(PART, check, subject, why, version))
    elif (wrong := head_fault(chain, head)) is not None:
        report.failed(Fault(PART, "head", subject, wrong, chain.version))
    else:
        report.passed(PART, "chain", "order", "head")
