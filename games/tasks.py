"""Jobs of single games: the idle and the late are expired, the bots play, the server draws."""

from __future__ import annotations

import time
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from games import matches, services, verifications
from games.errors import GameSuspended
from games.log import BOTS_PLAY, NEXT_DEAL
from games.matches import DEAL_ON
from games.models import GameRecord, Status
from games.services import CLOCK, EXPIRE, SERVER_DRAWS
from games.verifications import VERIFY
from jobs.tasks import Again, job

MOVES_AT_A_TIME = 400
TIME_AT_A_TIME = timedelta(seconds=3)
"""What bots may do in one carrying out of their job: one more move, and its lease is not over."""


@job(EXPIRE)
def expire(payload: dict[str, Any], *, now: datetime) -> Again | None:
    due = services.expire_if_idle(game_id=UUID(payload["game"]), now=now)
    return None if due is None else Again(due=due)


@job(CLOCK)
def clock(payload: dict[str, Any], *, now: datetime) -> Again | None:
    due = services.expire_if_late(game_id=UUID(payload["game"]), now=now)
    return None if due is None else Again(due=due)


@job(SERVER_DRAWS)
def draw(payload: dict[str, Any], *, now: datetime) -> Again | None:
    game = GameRecord.objects.get(pk=payload["game"])
    try:
        goes_on = game.status == Status.ACTIVE and services.draw(game_id=game.pk, now=now)
    except GameSuspended:
        goes_on = False  # its resumption arranges the next draw
    if not goes_on:
        return None
    assert game.draw_every is not None
    return Again(due=now + timedelta(seconds=game.draw_every))


def _play_bots(payload: dict[str, Any], *, now: datetime) -> datetime | None:
    """Before the job's own transaction: each move is committed, and seen, by itself."""
    game, began = UUID(payload["game"]), time.monotonic()

    def clock() -> datetime:
        """Bots that think take their time, and who plays after them has the whole limit."""
        return now + timedelta(seconds=time.monotonic() - began)

    try:
        services.play_bots(
            game_id=game, now=now, most=MOVES_AT_A_TIME, clock=clock, until=now + TIME_AT_A_TIME
        )
    except GameSuspended:
        return None  # its resumption wakes them
    return services.bots_due(game_id=game, now=clock())


@job(BOTS_PLAY, prepare=_play_bots)
def play_bot(payload: dict[str, Any], *, now: datetime, prepared: datetime | None) -> Again | None:
    return None if prepared is None else Again(due=prepared)


def _verify(payload: dict[str, Any], *, now: datetime) -> None:
    """Before the job's own transaction, which would keep writers out on SQLite for as long as it reads."""
    verifications.carry_out(UUID(payload["game"]), now=now)


@job(VERIFY, prepare=_verify, at_once=1, lease=600, max_attempts=3)
def verify(payload: dict[str, Any], *, now: datetime, prepared: None) -> None:
    """Its report is kept already."""


@job(NEXT_DEAL)
def next_deal(payload: dict[str, Any], *, now: datetime) -> None:
    matches.go_on(game_id=UUID(payload["game"]), now=now)


@job(DEAL_ON)
def deal_on(payload: dict[str, Any], *, now: datetime) -> None:
    matches.deal_on(game_id=UUID(payload["game"]), now=now)
