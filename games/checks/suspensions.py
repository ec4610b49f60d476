"""Check suspensions against their streams and against the state of their games."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.db.models import Q

from core.checks import Fault, Report
from core.transactions import one_moment
from eventstore import store
from eventstore.chain import format_at
from eventstore.models import Stream
from games.evidence.proof import UNREADABLE
from games.models import GameRecord, Suspension
from games.suspensions import continuation, records

PART = "suspensions"
CHECK = "record"
CHECKS = {CHECK: "suspensions match their streams and the state of their games"}


def audit() -> Report:
    report = Report()
    with one_moment():
        games = Suspension.objects.order_by("game").values_list("game", flat=True).distinct()
        for game in games.iterator():
            _check(report, game)
        # A continuation has the suspended time of its parents added to its clocks.
        others = GameRecord.objects.filter(Q(given_back__gt=timedelta(0)) | Q(parent__isnull=False))
        for game in others.exclude(pk__in=games).values_list("pk", flat=True).iterator():
            _check(report, game)
        known = {records.stream_of(game) for game in games}
        streams = Stream.objects.filter(kind=records.KIND).values_list("pk", flat=True)
        for stream in streams.iterator():
            if stream not in known:
                subject = f"{records.KIND}:{stream}"
                report.failed(Fault(PART, CHECK, subject, "the stream has no record"))
    return report


def _check(report: Report, game: UUID) -> None:
    try:
        wrong = list(_faults(game))
    except UNREADABLE as error:
        wrong = [f"its stream cannot be read: {type(error).__name__} {error}"]
    report.add(PART, CHECK, f"game:{game}", wrong)


def _faults(game: UUID) -> Iterator[str]:
    """Compare the suspensions of a game with their stream, its clocks, and its state."""
    events = store.read(records.stream_of(game))
    recorded = [
        (event.type, event.data["version"], event.data["by"], _stored(event.data["reason"]))
        for event in events
    ]
    stored: list[tuple[Any, ...]] = []
    rows = list(Suspension.objects.filter(game=game).order_by("since", "pk"))
    for row in rows:
        stored.append(("suspended", row.version, _id(row.by_id), row.reason))
        if row.lifted_at is not None:
            stored.append((row.lifted, row.version, _id(row.lifted_by_id), row.lifted_reason))
    if recorded != stored:
        yield f"its suspensions are {stored}, by the stream {recorded}"
    else:
        yield from _time_faults(game, rows, [event.at for event in events])
    record = GameRecord.objects.get(pk=game)
    expected = continuation.given_back(record)
    if record.given_back != expected:
        yield f"its clocks were credited {record.given_back}, by its suspensions {expected}"
    flagged = store.suspended_at(game) is not None
    if flagged != (bool(rows) and rows[-1].lifted_at is None):
        yield (
            "the game is stopped without a suspension"
            if flagged
            else "the game continues despite a suspension"
        )


def _time_faults(game: UUID, rows: Sequence[Suspension], recorded: Sequence[str]) -> Iterator[str]:
    """Compare start and end of each suspension. If a clock went back, they equal the time of the event before."""
    moments = iter(recorded)
    for row in rows:
        event = store.event_of(game, row.version)
        last = event and event.at
        since = format_at(row.since)
        if since not in (begun := next(moments), last):
            yield f"it is suspended since {since}, by the stream since {begun}"
        if row.lifted_at is None:
            continue
        lifted = format_at(row.lifted_at)
        if lifted not in (ended := next(moments), since):
            yield f"it is resumed since {lifted}, by the stream since {ended}"


def _stored(reason: str) -> str:
    return reason[: records.REASON_LENGTH]


def _id(player: UUID | None) -> str | None:
    return None if player is None else str(player)
