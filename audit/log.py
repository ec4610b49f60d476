"""A range of streams read once: each followed as a chain, each game judged."""

from __future__ import annotations

from collections.abc import Iterator
from uuid import UUID

from audit import beside, games, rows, streams
from audit.ranges import Range, halves
from audit.report import Fault, Report
from audit.rows import Head, Row
from disputes import stream as disputes
from disputes.models import Dispute
from games import audit as looks
from games import state
from ledger.reconciliation.derivations import UNREADABLE
from ledger.reconciliation.moment import one_moment
from tournaments import record as tournaments
from tournaments.models import Tournament


def audit(range: Range, *, of_the_house: bool = True) -> Report:
    """All streams and games of a range, of one moment. Reads a page at a time and keeps one game.

    Where something stands beside a stream that cannot even be read, the others are judged all the same. Unless it is
    `of_the_house` as a whole, the events of games that are not shown to everybody are judged and not counted: how often
    was moved in them is told to nobody without a look.
    """
    report = Report()
    try:
        with one_moment():
            _Range(range, report, of_the_house).audit()
        return report
    except UNREADABLE as error:
        parts = halves(range)
        why = f"what stands beside it cannot be read: {type(error).__name__} {error}"
    if parts is None:
        unread = Report()
        unread.failed(Fault(streams.PART, "readable", f"stream:{range.first}", why))
        return unread
    first, second = parts
    report = audit(first, of_the_house=of_the_house)
    report.merge(audit(second, of_the_house=of_the_house))
    return report


class _Range:
    def __init__(self, range: Range, report: Report, of_the_house: bool) -> None:
        self.report = report
        self.of_the_house = of_the_house
        self.range = range
        self.heads = rows.heads(range)
        self.beside = beside.of(range)
        known = Tournament.objects.filter(range.q("pk")).values_list("pk", flat=True)
        self.tournaments = frozenset(known)
        disputed = Dispute.objects.filter(range.q("pk")).values_list("pk", flat=True)
        self.disputes = frozenset(disputed)

    def audit(self) -> None:
        seen: dict[UUID, None] = {}
        for stream, events in rows.by_stream(self.range):
            seen[stream] = None
            self._stream(stream, events)
        for stream in self.heads:
            if stream not in seen:
                seen[stream] = None
                self._stream(stream, iter(()))
        games.missing(self.report, self.beside, seen)

    def _stream(self, stream: UUID, events: Iterator[Row]) -> None:
        head = self.heads.get(stream)
        is_game = stream in self.beside.games or (head is not None and head.kind == state.KIND)
        chain = streams.Chain(stream)
        reading = games.Reading()
        number = 0
        for row in events:
            number += 1
            chain.follow(row)
            if is_game:
                reading.take(row)
        if self.of_the_house or self.beside.is_shown(stream):
            self.report.counted["events"] += number
        streams.judge(self.report, chain, head, self._owner_fault(stream, head))
        if is_game:
            games.judge(self.report, stream, reading, self.beside, streams.head_fault(chain, head))

    def _owner_fault(self, stream: UUID, head: Head | None) -> str | None:
        """What is wrong with the kind that a stream says it is of."""
        if head is None:
            return None
        due = self._kind(stream)
        if due is not None and head.kind != due:
            return f"it is of kind {head.kind}, and what stands beside it is a {due}"
        if due is None and head.kind in (state.KIND, tournaments.KIND, disputes.KIND, looks.KIND):
            return f"it is of kind {head.kind}, and there is no record of it"
        return None

    def _kind(self, stream: UUID) -> str | None:
        if stream in self.beside.games:
            return state.KIND
        if stream in self.tournaments:
            return tournaments.KIND
        if stream in self.disputes:
            return disputes.KIND
        return looks.KIND if stream == looks.STREAM else None
