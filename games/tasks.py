"""Jobs of games: expire idle tables, run clocks, play bots, draw, and verify."""

from __future__ import annotations

import time
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from eventstore.archive import Archived
from games import archive, guests, services, turns
from games.challenges import services as challenges
from games.challenges.services import EXPIRE as EXPIRE_CHALLENGE
from games.errors import GameSuspended
from games.evidence import verification
from games.evidence.verification import VERIFY
from games.matches import services as matches
from games.matches.services import DEAL_ON
from games.models import GameRecord, Status
from games.play.stream import BOTS_PLAY, NEXT_DEAL
from games.services import CLOCK, DEAL, EXPIRE, SERVER_DRAWS
from jobs.kinds import MAINTENANCE, MESSAGES, Again, every, job

MOVES_AT_A_TIME = 400
TIME_AT_A_TIME = timedelta(seconds=3)
"""What bots may do in one run of their job: the last move of all games of a run ends before the lease does."""
GAMES_AT_A_TIME = 16


@job(EXPIRE)
def expire(payload: dict[str, Any], *, now: datetime) -> Again | None:
    due = services.expire_if_idle(game_id=UUID(payload["game"]), now=now)
    return None if due is None else Again(due=due)


def _archive(payload: dict[str, Any], *, now: datetime) -> Archived:
    """Run before the job's own transaction, because it waits for the store and commits in parts."""
    return archive.run_due(now=now)


@every("games.archive", seconds=3600, lease=1200, prepare=_archive, queue=MAINTENANCE)
def archive_games(payload: dict[str, Any], *, now: datetime, prepared: Archived) -> None:
    """The games are archived already."""


@every("games.guests", seconds=60, queue=MAINTENANCE)
def expire_guests(payload: dict[str, Any], *, now: datetime) -> None:
    guests.expire(now=now)


def _look_for_turns(payload: dict[str, Any], *, now: datetime) -> int:
    return turns.look(now=now)


# Before the job's transaction, so that each batch commits by itself.
@every("games.turns", seconds=15, prepare=_look_for_turns, queue=MESSAGES)
def look_for_turns(payload: dict[str, Any], *, now: datetime, prepared: int) -> None:
    """Nothing is left to do."""


@job(EXPIRE_CHALLENGE)
def expire_challenge(payload: dict[str, Any], *, now: datetime) -> None:
    challenges.expire(challenge_id=UUID(payload["challenge"]), now=now)


@job(CLOCK)
def clock(payload: dict[str, Any], *, now: datetime) -> Again | None:
    due = services.expire_if_late(game_id=UUID(payload["game"]), now=now)
    return None if due is None else Again(due=due)


@job(DEAL)
def deal(payload: dict[str, Any], *, now: datetime) -> Again | None:
    due = services.deal_after_countdown(game_id=UUID(payload["game"]), now=now)
    return None if due is None else Again(due=due)


@job(SERVER_DRAWS)
def draw(payload: dict[str, Any], *, now: datetime) -> Again | None:
    game = GameRecord.objects.get(pk=payload["game"])
    try:
        is_active = game.status == Status.ACTIVE and services.draw(game_id=game.pk, now=now)
    except GameSuspended:
        is_active = False  # resuming schedules the next draw
    if not is_active:
        return None
    assert game.draw_every is not None
    return Again(due=now + timedelta(seconds=game.draw_every))


def _play_bots(payload: dict[str, Any], *, now: datetime) -> datetime | None:
    """Run before the job's own transaction: each move is committed and visible by itself."""
    game, began = UUID(payload["game"]), time.monotonic()

    def clock() -> datetime:
        """The time as it passes, so that a player after slow bots has their whole limit."""
        return now + timedelta(seconds=time.monotonic() - began)

    try:
        services.play_bots(
            game_id=game, now=now, most=MOVES_AT_A_TIME, clock=clock, until=now + TIME_AT_A_TIME
        )
    except GameSuspended:
        return None  # resuming schedules the bots
    return services.bots_due(game_id=game, now=clock())


@job(BOTS_PLAY, prepare=_play_bots, together=GAMES_AT_A_TIME)
def play_bots(
    payloads: Sequence[dict[str, Any]], *, now: datetime, prepared: Sequence[datetime | None]
) -> list[Again | None]:
    return [None if due is None else Again(due=due) for due in prepared]


def _verify(payload: dict[str, Any], *, now: datetime) -> None:
    """Run before the job's own transaction, which would block writers on SQLite while it reads."""
    verification.run(UUID(payload["game"]), now=now)


@job(VERIFY, prepare=_verify, at_once=1, lease=600, max_attempts=3, queue=MAINTENANCE)
def verify(payload: dict[str, Any], *, now: datetime, prepared: None) -> None:
    """The report is stored already."""


@job(NEXT_DEAL)
def next_deal(payload: dict[str, Any], *, now: datetime) -> None:
    matches.open_next_deal(game_id=UUID(payload["game"]), now=now)


@job(DEAL_ON)
def deal_on(payload: dict[str, Any], *, now: datetime) -> None:
    matches.deal_after_pause(game_id=UUID(payload["game"]), now=now)
