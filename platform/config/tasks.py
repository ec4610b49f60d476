"""Recurring work of the installation as a whole, which no single app may know."""

from datetime import datetime
from typing import Any

from config import checkpoints
from jobs.tasks import every


def _sign(payload: dict[str, Any], *, now: datetime) -> int:
    return checkpoints.make_and_publish(now)


@every("eventstore.checkpoint", seconds=60, lease=300, prepare=_sign)
def checkpoint(payload: dict[str, Any], *, now: datetime, prepared: int) -> None:
    """The checkpoints were signed before the job's own transaction, which would hide what is newest from them."""
