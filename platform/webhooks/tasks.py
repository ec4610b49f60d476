"""Deliveries as durable jobs: sent before the transaction that records them, so at least once."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from core.errors import first_line
from jobs.kinds import MAINTENANCE, MESSAGES, Again, every, job
from webhooks import services
from webhooks.sending import Outcome, Transport

Payload = dict[str, Any]

transport = Transport()


def _send(payload: Payload, *, now: datetime) -> Outcome | None:
    return services.send(
        delivery_id=UUID(payload["delivery"]), round=payload["round"], transport=transport, now=now
    )


def _give_up(payload: Payload, *, now: datetime, error: Exception) -> None:
    why = first_line(error) or type(error).__name__
    services.give_up(delivery_id=UUID(payload["delivery"]), round=payload["round"], why=why, now=now)


# A slow receiver blocks one worker at most, and never the games.
@job(services.DELIVER, prepare=_send, on_failed=_give_up, at_once=1, queue=MESSAGES)
def deliver(payload: Payload, *, now: datetime, prepared: Outcome | None) -> Again | None:
    due = services.attempted(
        delivery_id=UUID(payload["delivery"]), round=payload["round"], outcome=prepared, now=now
    )
    return None if due is None else Again(due=due)


@every("webhooks.prune", seconds=24 * 3600, queue=MAINTENANCE)
def prune(payload: Payload, *, now: datetime) -> None:
    services.prune(now=now)
