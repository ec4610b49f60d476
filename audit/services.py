"""Audit a game, a tournament, the ledger, or everything; request an audit by a job, and store its report."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

import orjson
from django.db import connection

from accounts.models import Player
from audit import runner
from audit.models import AuditReport, Scope
from audit.report import document
from audit.runner import Piece
from core.checks import Report
from core.errors import NotFound
from eventstore import audits, ranges
from eventstore.checkpoints.service import Published
from eventstore.models import Checkpoint
from eventstore.ranges import Range
from eventstore.store import Position
from games.models import GameRecord
from jobs import services as jobs
from jobs.models import Job
from ledger.reconciliation.services import reconcile_all
from tournaments.models import Tournament

log = logging.getLogger("audit")

NIGHTLY = "audit.nightly"
REQUESTED = "audit.asked"
"""The kinds of the jobs."""

Spread = Callable[[Callable[[Piece], tuple[Piece, Report]], Sequence[Piece]], Iterable[tuple[Piece, Report]]]
"""A function that runs pieces, in this process or in several."""

Progress = Callable[[int, int], None]
"""Receives the number of events checked so far, and the approximate number of all."""


def in_sequence(
    run: Callable[[Piece], tuple[Piece, Report]], pieces: Sequence[Piece]
) -> Iterator[tuple[Piece, Report]]:
    return map(run, pieces)


@dataclass(frozen=True, slots=True)
class UnknownCheckpoint(Exception):
    number: int

    def __str__(self) -> str:
        return f"there is no checkpoint {self.number}"


def audit_installation(
    *,
    since: int | None = None,
    known: Iterable[Published] = (),
    spread: Spread = in_sequence,
    progress: Progress = lambda done, total: None,
) -> Report:
    """Audit everything in the database.

    since   the number of a checkpoint. Only streams with later events are checked, as a whole, and only later
            checkpoints. Raises UnknownCheckpoint.
    known   checkpoints stored outside the database, to compare with
    """
    after = None if since is None else _position(since)
    of_streams = ranges.of_all_streams() if after is None else ranges.of_changed_streams(after)
    scope = audits.Scope(since, after, list(of_streams), list(known))
    return _run(audits.parts().values(), scope, spread, progress)


def verify_storage(
    *, known: Iterable[Published] = (), spread: Spread = in_sequence, archive: bool = True
) -> Report:
    """Check that what is stored is unchanged: every event, stream, checkpoint, trigger, and balance.

    This is the part of an audit that a restored backup must pass. It does not play games again. `archive`: also check
    that the packs of archived games are in their store.
    """
    scope = audits.Scope(None, None, list(ranges.of_all_streams()), list(known), stored_only=True)
    parts = [part for part in audits.parts().values() if part.storage and (archive or part.name != "archive")]
    return _run(parts, scope, spread, lambda done, total: None)


def verify_archive(*, spread: Spread = in_sequence) -> Report:
    """Read every pack of the archive, and check the archived streams as an audit does."""
    from eventstore.checks import archive

    scope = audits.Scope(None, None, [], [])
    return _run([audits.parts()[archive.PART]], scope, spread, lambda done, total: None)


def _run(parts: Iterable[audits.Part], scope: audits.Scope, spread: Spread, progress: Progress) -> Report:
    pieces = _pieces(parts, scope)
    total = sum(piece.weight for piece in pieces)
    report, done = Report(), 0
    progress(done, total)
    for piece, found in spread(runner.run, pieces):
        report.merge(found)
        done += piece.weight
        progress(done, total)
    return report


def audit_ledger() -> Report:
    """Audit the ledger: balances, and every transfer by the events that caused it."""
    return reconcile_all()


def audit_game(game: UUID) -> Report:
    """Audit one game: its stream, its projections, and its checkpoints. Raises NotFound."""
    if not GameRecord.objects.filter(pk=game).exists():
        raise NotFound
    return _audit_stream(game, part="games", subject=f"game:{game}")


def audit_tournament(tournament: UUID) -> Report:
    """Audit one tournament and all of its games. Raises NotFound."""
    if not Tournament.objects.filter(pk=tournament).exists():
        raise NotFound
    report = _audit_stream(tournament, part="tournaments", subject=f"tournament:{tournament}")
    parts = audits.parts()
    report.merge(parts["tournaments"].check(tournament))
    games = GameRecord.objects.filter(tournament=tournament).values_list("pk", flat=True)
    for range in ranges.of_streams(games):
        report.merge(_audit_range(range))
    return report


def _audit_stream(stream: UUID, *, part: str, subject: str) -> Report:
    """Check one stream with its records, and against the checkpoints that cover it."""
    from eventstore.checks import checkpoints  # not at the start of every process

    report = _audit_range(ranges.of_stream(stream))
    checkpoints.audit_stream(report, stream, part=part, subject=subject)
    return report


def _audit_range(range: Range) -> Report:
    """Check the streams of a range, in the database and in packs."""
    from eventstore.checks import archive, streams

    report = streams.audit(range, count_hidden=False)
    report.merge(archive.audit_range(range, count_hidden=False))
    return report


def _pieces(parts: Iterable[audits.Part], scope: audits.Scope) -> list[Piece]:
    """Return the pieces of an audit, long ones first, so that no process ends with a long one alone."""
    database = {name: connection.settings_dict[name] for name in ("NAME", "OPTIONS")}
    return [
        Piece(part.name, work.arguments, work.events, database)
        for part in sorted(parts, key=lambda part: not part.early)
        for work in part.pieces(scope)
    ]


def _position(number: int) -> Position:
    body = Checkpoint.objects.filter(number=number).values_list("body", flat=True).first()
    if body is None:
        raise UnknownCheckpoint(number)
    until = orjson.loads(body)["sources"].get("streams", {}).get("until")
    return Position(*until) if until else Position(-1, -1, -1)


# --- stored reports --------------------------------------------------------------------------------------


def request_audit(
    *, scope: Scope, subject: UUID | None, since: int | None, by: Player, key: str, now: datetime
) -> None:
    """Schedule an audit by a job, in the caller's transaction. Its report is stored. Raises NotFound."""
    subjects = {Scope.GAME: GameRecord.objects, Scope.TOURNAMENT: Tournament.objects}.get(scope)
    if subjects is not None and not subjects.filter(pk=subject).exists():
        raise NotFound
    if since is not None and not Checkpoint.objects.filter(number=since).exists():
        raise NotFound
    payload = {
        "scope": scope.value,
        "subject": None if subject is None else str(subject),
        "since": since,
        "by": str(by.pk),
    }
    jobs.schedule(kind=REQUESTED, key=f"{REQUESTED}:{key}", payload=payload, due=now)


def pending_audits() -> int:
    """Return the number of requested audits that have not ended."""
    return Job.objects.open().filter(kind=REQUESTED).count()


def store_audit(payload: Mapping[str, Any], *, known: Iterable[Published], now: datetime) -> AuditReport:
    """Run the audit of a job's payload, by default of the installation, and store its report.

    Do not call it in a transaction: it reads for a long time, and on SQLite it would block writers.
    """
    scope = Scope(payload.get("scope", Scope.INSTALLATION))
    subject = UUID(payload["subject"]) if payload.get("subject") else None
    since = payload.get("since")
    began = time.monotonic()
    report = _audit(scope, subject, since, known)
    stored = AuditReport.objects.create(
        at=now,
        seconds=round(time.monotonic() - began),
        scope=scope,
        subject=subject,
        since=since,
        asked_by_id=payload.get("by"),
        ok=report.ok,
        events=report.counted["events"],
        faults=report.count,
        report=document(report, scope=scope.value, subject=_subject(scope, subject, since)),
    )
    if not report.ok:
        first = str(report.faults[0]) if report.faults else "nothing was checked"
        log.error("audit: %d faults; %s", report.count, first)
    return stored


def _audit(scope: Scope, subject: UUID | None, since: int | None, known: Iterable[Published]) -> Report:
    match scope:
        case Scope.LEDGER:
            return audit_ledger()
        case Scope.TOURNAMENT:
            assert subject is not None
            return audit_tournament(subject)
        case Scope.GAME:
            assert subject is not None
            return audit_game(subject)
    return audit_installation(since=since, known=known)


def _subject(scope: Scope, subject: UUID | None, since: int | None) -> str:
    if subject is not None:
        return f"{scope.value}:{subject}"
    return "" if since is None else f"since checkpoint {since}"
