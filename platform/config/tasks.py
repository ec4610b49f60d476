"""Recurring work of the installation as a whole, which no single app may know."""

from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from audit import keeping
from config import checkpoints
from jobs.tasks import Again, every, job
from ledger.leaves import is_covered
from ledger.payouts.batches import CHECKPOINT


def _sign(payload: dict[str, Any], *, now: datetime) -> int:
    return checkpoints.make_and_publish(now)


@every("eventstore.checkpoint", seconds=60, lease=300, prepare=_sign)
def checkpoint(payload: dict[str, Any], *, now: datetime, prepared: int) -> None:
    """The checkpoints were signed before the job's own transaction, which would hide what is newest from them."""


@job(CHECKPOINT, lease=300, prepare=_sign)
def checkpoint_covering(payload: dict[str, Any], *, now: datetime, prepared: int) -> Again | None:
    """Not done before a checkpoint covers the posting: an older transaction that is still open would hide it."""
    return None if is_covered(UUID(payload["posting"])) else Again(due=now + timedelta(seconds=1))


def _audit(payload: dict[str, Any], *, now: datetime) -> None:
    keeping.carry_out(payload, known=list(checkpoints.read_published()), now=now)


# Outside of the job's own transaction: it reads for long, and on SQLite it must not keep the writers out.
@every(keeping.NIGHTLY, seconds=24 * 3600, lease=6 * 3600, prepare=_audit)
def audit_nightly(payload: dict[str, Any], *, now: datetime, prepared: None) -> None:
    """The report is kept already."""


@job(keeping.ASKED, max_attempts=3, lease=6 * 3600, prepare=_audit, at_once=1)
def audit_asked(payload: dict[str, Any], *, now: datetime, prepared: None) -> None:
    """The report is kept already."""
