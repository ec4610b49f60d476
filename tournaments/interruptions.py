"""Games of a round that have been suspended: they are not played to their end with the others when its time is up."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from games import standstill
from games.models import GameRecord
from tournaments.models import Round, TableGame


def not_yet_up(round: Round, now: datetime) -> set[UUID]:
    """The running games of an open round whose own time is not up at `now`: they are suspended, or have time to make up
    for."""
    assert round.closes_at is not None
    running = TableGame.objects.of_round(round).running().order_by()
    interrupted = GameRecord.objects.interrupted().filter(pk__in=running.values("game"))
    return {
        game.pk
        for game in interrupted
        if game.suspended_at is not None or now < round.closes_at + standstill.time_lost(game)
    }
