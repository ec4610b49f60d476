"""Jobs of single games: the idle are expired, the bots play, the server draws."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from games import services
from games.log import BOTS_PLAY
from games.models import GameRecord, Status
from games.services import EXPIRE, SERVER_DRAWS
from jobs.tasks import Again, job

MOVES_AT_A_TIME = 400
"""Of bots, in one carrying out of their job: a few seconds at most."""


@job(EXPIRE)
def expire(payload: dict[str, Any], *, now: datetime) -> Again | None:
    due = services.expire_if_idle(game_id=UUID(payload["game"]), now=now)
    return None if due is None else Again(due=due)


@job(SERVER_DRAWS)
def draw(payload: dict[str, Any], *, now: datetime) -> Again | None:
    game = GameRecord.objects.get(pk=payload["game"])
    if game.status != Status.ACTIVE or not services.draw(game_id=game.pk, now=now):
        return None
    assert game.draw_every is not None
    return Again(due=now + timedelta(seconds=game.draw_every))


def _play_bots(payload: dict[str, Any], *, now: datetime) -> int:
    """Before the job's own transaction: each move is committed, and seen, by itself."""
    return services.play_bots(game_id=UUID(payload["game"]), now=now, most=MOVES_AT_A_TIME)


@job(BOTS_PLAY, prepare=_play_bots)
def play_bot(payload: dict[str, Any], *, now: datetime, prepared: int) -> Again | None:
    return Again(due=now) if prepared == MOVES_AT_A_TIME else None
