"""Suspensions held against their streams, and against the games that stand still."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from uuid import UUID

from audit.report import Fault, Report
from eventstore import store
from eventstore.models import Stream
from games import standstill
from games.models import Suspension
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
    told = [
        (event.type, event.data["version"], event.data["by"], _kept(event.data["reason"]))
        for event in store.read(standstill.stream_of(game))
    ]
    kept: list[tuple[Any, ...]] = []
    rows = list(Suspension.objects.filter(game=game).order_by("since", "pk"))
    for row in rows:
        kept.append(("suspended", row.version, _id(row.by_id), row.reason))
        if row.lifted_at is not None:
            kept.append((row.lifted, row.version, _id(row.lifted_by_id), row.lifted_reason))
    if told != kept:
        yield f"its suspensions are {kept}, by the stream {told}"
    flagged = store.suspended_at(game) is not None
    if flagged != (bool(rows) and rows[-1].lifted_at is None):
        yield (
            "it stands still, by its suspensions it goes on" if flagged else "it goes on, but it is suspended"
        )


def _kept(reason: str) -> str:
    return reason[: standstill.REASON_LENGTH]


def _id(player: UUID | None) -> str | None:
    return None if player is None else str(player)
