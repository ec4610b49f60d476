"""Job that holds what a disputed game pays."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from disputes import holds
from games.models import GameRecord
from jobs.tasks import Again, job

RETRY_AFTER = timedelta(minutes=1)


@job(holds.HOLD)
def hold(payload: dict[str, Any], *, now: datetime) -> Again | None:
    """Update the hold on a game. Runs again while a match is in play, because its pot is paid after the last deal."""
    game = GameRecord.objects.select_related("match").get(pk=payload["game"])
    holds.update(game, now=now)
    waits = holds.is_disputed(game) and not holds.has_paid(game)
    return Again(due=now + RETRY_AFTER) if waits else None
