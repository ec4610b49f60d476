"""Jobs of disputes: what a disputed game pays is held once it is paid."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from disputes import holds
from games.models import GameRecord
from jobs.tasks import Again, job

LOOK_AGAIN = timedelta(minutes=1)


@job(holds.HOLD)
def hold(payload: dict[str, Any], *, now: datetime) -> Again | None:
    """The pot of a match is paid with the match, after its last deal."""
    game = GameRecord.objects.select_related("match").get(pk=payload["game"])
    holds.keep(game, now=now)
    waits = holds.is_disputed(game) and not holds.has_paid(game)
    return Again(due=now + LOOK_AGAIN) if waits else None
