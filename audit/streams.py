"""The log by itself: each event of a stream chained to the one before, its head where it ends, its kind what it holds.

What is hashed here are the bytes as they are stored, whatever they hold.
"""

from __future__ import annotations

from uuid import UUID

from audit.report import Fault, Report
from audit.rows import Head, Row
from eventstore.chain import GENESIS, link_fault

PART = "streams"


class Chain:
    """How far a stream is followed. After its first fault the rest of it is passed over."""

    __slots__ = ("at", "fault", "hash", "stream", "version")

    def __init__(self, stream: UUID) -> None:
        self.stream = str(stream)
        self.version = 0
        self.hash = GENESIS
        self.at = ""
        self.fault: tuple[str, int, str] | None = None
        """The check, the version, and why."""

    def follow(self, row: Row) -> None:
        if self.fault is None:
            found = link_fault(row, stream=self.stream, version=self.version, hash=self.hash, at=self.at)
            self.fault = found and (found[0], row.version, found[1])
        self.version, self.hash, self.at = row.version, row.hash, row.at


def judge(report: Report, chain: Chain, head: Head | None, owner: str | None) -> None:
    """Note what a stream that has been followed to its end comes to; `owner` says what is wrong with its kind."""
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
            report.not_run(PART, check, why="it stands behind the first fault of its subject")
    if why := head_fault(chain, head):
        report.failed(Fault(PART, "head", subject, why, chain.version or None))
    else:
        report.passed(PART, "head")
    if owner:
        report.failed(Fault(PART, "owner", subject, owner))
    else:
        report.passed(PART, "owner")


def head_fault(chain: Chain, head: Head | None) -> str | None:
    if head is None:
        return "the events have no stream"
    if chain.version == 0:
        return "the stream has a head and no event"
    if head.version != chain.version:
        return f"the head says {head.version}, and the events end at {chain.version}"
    if head.hash != chain.hash:
        return "the head is not the hash of the last event"
    return None if head.at == chain.at else "the head says another time than the last event"
