"""Job that holds what a disputed game pays."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from disputes import money
from games.models import GameRecord
from jobs.kinds import MONEY, Again, job

RETRY_AFTER = timedelta(minutes=1)


@job(money.HOLD, queue=MONEY)
def hold(payload: dict[str, Any], *, now: datetime) -> Again | None:
    """Update the hold on a game. Runs again while a match is in play, because its pot is paid after the last deal."""
    game = GameRecord.objects.select_related("match").get(pk=payload["game"])
    money.update_hold(game, now=now)
    waits = money.is_disputed(game) and not money.has_paid(game)
    return Again(due=now + RETRY_AFTER) if waits else None
