"""Suspensions held against their streams, and against the games that stand still."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.db.models import Q

from audit.report import Fault, Report
from eventstore import store
from eventstore.chain import format_at
from eventstore.models import Event, Stream
from games import continuation, standstill
from games.models import GameRecord, Suspension
from games.selectors_proof import UNTELLABLE
from ledger.reconciliation.moment import one_moment

PART = "suspensions"
CHECK = "record"


def audit() -> Report:
    report = Report()
    with one_moment():
        games = Suspension.objects.order_by("game").values_list("game", flat=True).distinct()
        for game in games.iterator():
            _note(report, game)
        # A game that was never stopped itself has back what those were stopped that it goes on from.
        others = GameRecord.objects.filter(Q(given_back__gt=timedelta(0)) | Q(parent__isnull=False))
        for game in others.exclude(pk__in=games).values_list("pk", flat=True).iterator():
            _note(report, game)
        known = {standstill.stream_of(game) for game in games}
        told = Stream.objects.filter(kind=standstill.KIND).values_list("pk", flat=True)
        for stream in told.iterator():
            if stream not in known:
                subject = f"{standstill.KIND}:{stream}"
                report.failed(Fault(PART, CHECK, subject, "the stream has no record"))
    return report


def _note(report: Report, game: UUID) -> None:
    try:
        wrong = list(_faults(game))
    except UNTELLABLE as error:
        wrong = [f"its stream cannot be read: {type(error).__name__} {error}"]
    for number, why in enumerate(wrong):
        (report.also if number else report.failed)(Fault(PART, CHECK, f"game:{game}", why))
    if not wrong:
        report.passed(PART, CHECK)


def _faults(game: UUID) -> Iterator[str]:
    """When a game was stopped, at what version, by whom and why; how it went on; and whether it stands still now."""
    events = store.read(standstill.stream_of(game))
    told = [
        (event.type, event.data["version"], event.data["by"], _kept(event.data["reason"])) for event in events
    ]
    kept: list[tuple[Any, ...]] = []
    rows = list(Suspension.objects.filter(game=game).order_by("since", "pk"))
    for row in rows:
        kept.append(("suspended", row.version, _id(row.by_id), row.reason))
        if row.lifted_at is not None:
            kept.append((row.lifted, row.version, _id(row.lifted_by_id), row.lifted_reason))
    if told != kept:
        yield f"its suspensions are {kept}, by the stream {told}"
    else:
        yield from _moments(game, rows, [event.at for event in events])
    of = GameRecord.objects.get(pk=game)
    due = continuation.given_back(of)
    if of.given_back != due:
        yield f"it was given back {of.given_back}, by its suspensions {due}"
    flagged = store.suspended_at(game) is not None
    if flagged != (bool(rows) and rows[-1].lifted_at is None):
        yield (
            "it stands still, by its suspensions it goes on" if flagged else "it goes on, but it is suspended"
        )


def _moments(game: UUID, rows: Sequence[Suspension], told: Sequence[str]) -> Iterator[str]:
    """When each began and ended. Where a clock had gone back, not before the game's last event, nor before it began."""
    moments = iter(told)
    for row in rows:
        last = Event.objects.filter(stream=game, version=row.version).values_list("at", flat=True).first()
        since = format_at(row.since)
        if since not in (begun := next(moments), last):
            yield f"it is suspended since {since}, by the stream since {begun}"
        if row.lifted_at is None:
            continue
        lifted = format_at(row.lifted_at)
        if lifted not in (ended := next(moments), since):
            yield f"it goes on since {lifted}, by the stream since {ended}"


def _kept(reason: str) -> str:
    return reason[: standstill.REASON_LENGTH]


def _id(player: UUID | None) -> str | None:
    return None if player is None else str(player)
