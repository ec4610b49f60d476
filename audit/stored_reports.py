"""Stored reports: request an audit, run the nightly and requested audits, and store their reports."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from accounts.models import Player
from audit import services
from audit.models import AuditReport, Scope
from audit.report import document
from core.checks import Report
from core.errors import NotFound
from eventstore.checkpoints.service import Published
from eventstore.models import Checkpoint
from games.models import GameRecord
from jobs import services as jobs
from jobs.models import Job
from tournaments.models import Tournament

log = logging.getLogger("audit")

NIGHTLY = "audit.nightly"
REQUESTED = "audit.asked"


def request(
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


def pending() -> int:
    """Return the number of requested audits that have not ended."""
    return Job.objects.open().filter(kind=REQUESTED).count()


def run(payload: Mapping[str, Any], *, known: Iterable[Published], now: datetime) -> AuditReport:
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
            return services.audit_ledger()
        case Scope.TOURNAMENT:
            assert subject is not None
            return services.audit_tournament(subject)
        case Scope.GAME:
            assert subject is not None
            return services.audit_game(subject)
    return services.audit_installation(since=since, known=known)


def _subject(scope: Scope, subject: UUID | None, since: int | None) -> str:
    if subject is not None:
        return f"{scope.value}:{subject}"
    return "" if since is None else f"since checkpoint {since}"
