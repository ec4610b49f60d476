"""Notifications as durable jobs. Messages are sent before the job's transaction, after their own claim."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from jobs.kinds import MAINTENANCE, MESSAGES, Again, every, job
from notifications import follower, sending, services

Payload = dict[str, Any]


def _follow(payload: Payload, *, now: datetime) -> int:
    return follower.follow(now=now)


# Before the job's transaction, so that each batch commits with its position.
@every("notifications.follow", seconds=5, prepare=_follow, queue=MESSAGES)
def follow(payload: Payload, *, now: datetime, prepared: int) -> None:
    """Nothing is left to do."""


def _send(payload: Payload, *, now: datetime) -> datetime | None:
    return sending.send(delivery_id=payload["delivery"], now=now)


def _send_digest(payload: Payload, *, now: datetime) -> datetime | None:
    due = datetime.fromisoformat(payload["due"])
    return sending.send_digest(player=UUID(payload["player"]), due=due, now=now)


# A slow mail server or push service blocks two workers at most, and never the games.
@job(services.SEND, prepare=_send, at_once=2, queue=MESSAGES)
def send(payload: Payload, *, now: datetime, prepared: datetime | None) -> Again | None:
    return None if prepared is None else Again(due=prepared)


@job(services.DIGEST, prepare=_send_digest, at_once=1, queue=MESSAGES)
def send_digest(payload: Payload, *, now: datetime, prepared: datetime | None) -> Again | None:
    return None if prepared is None else Again(due=prepared)


def _prune(payload: Payload, *, now: datetime) -> int:
    return services.prune(now=now)


@every("notifications.prune", seconds=3600, prepare=_prune, queue=MAINTENANCE)
def prune(payload: Payload, *, now: datetime, prepared: int) -> None:
    """Nothing is left to do."""
