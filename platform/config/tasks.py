"""Recurring jobs of the whole installation, which use several apps."""

from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from audit import services as audits
from config import checkpoints
from eventstore import months
from jobs.kinds import MAINTENANCE, MONEY, Again, every, job
from ledger.selectors import is_covered
from ledger.services import COVERING_CHECKPOINT


def _sign(payload: dict[str, Any], *, now: datetime) -> int | None:
    return checkpoints.make_and_publish(now)


@every("eventstore.checkpoint", seconds=60, lease=300, prepare=_sign, queue=MONEY)
def checkpoint(payload: dict[str, Any], *, now: datetime, prepared: int | None) -> None:
    """Sign checkpoints. They are signed before the job's own transaction, which would hide the newest rows."""


@job(COVERING_CHECKPOINT, lease=300, prepare=_sign, queue=MONEY)
def checkpoint_covering(payload: dict[str, Any], *, now: datetime, prepared: int | None) -> Again | None:
    """Repeat until a checkpoint covers the posting: an older open transaction would hide it."""
    return None if is_covered(UUID(payload["posting"])) else Again(due=now + timedelta(seconds=1))


def _make_months(payload: dict[str, Any], *, now: datetime) -> None:
    months.make_due(now)
    months.analyze()


# Before the job's own transaction, which would hold the locks of the partitions for longer.
@every("eventstore.months", seconds=24 * 3600, lease=3600, prepare=_make_months, queue=MAINTENANCE)
def months_ahead(payload: dict[str, Any], *, now: datetime, prepared: None) -> None:
    """Do nothing: the partitions of the next months have been made."""


def _audit(payload: dict[str, Any], *, now: datetime) -> None:
    audits.store_audit(payload, known=list(checkpoints.read_published()), now=now)


# Runs outside the job's transaction: it reads for a long time, and on SQLite it would block writers.
@every(audits.NIGHTLY, seconds=24 * 3600, lease=6 * 3600, prepare=_audit, queue=MAINTENANCE)
def audit_nightly(payload: dict[str, Any], *, now: datetime, prepared: None) -> None:
    """Do nothing: `_audit` has stored the report."""


@job(audits.REQUESTED, max_attempts=3, lease=6 * 3600, prepare=_audit, at_once=1, queue=MAINTENANCE)
def audit_asked(payload: dict[str, Any], *, now: datetime, prepared: None) -> None:
    """Do nothing: `_audit` has stored the report."""
