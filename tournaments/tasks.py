"""The Celery tasks of tournaments. Each takes ids, calls one service, stops; `Again` brings on the next chunk."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from jobs.kinds import OnFailed
from jobs.tasks import Again, job
from tournaments import calendar, halts, help, meetings, no_shows, rounds, services, settlement

Payload = dict[str, Any]
ATTEMPTS = 8

LOOK_AGAIN = timedelta(seconds=5)
"""At a race that is off, and at the bets on it, which a job pays where they are many."""


def _needs_organizer(step: help.Step) -> OnFailed:
    def needs(payload: Payload, *, now: datetime, error: Exception) -> None:
        trouble = help.of_an_error(error, step=step, round=payload.get("round"), attempts=ATTEMPTS)
        halts.stall(tournament_id=UUID(payload["tournament"]), trouble=trouble, now=now)

    return needs


@job(calendar.START, max_attempts=ATTEMPTS, on_failed=_needs_organizer("start"))
def start(payload: Payload, *, now: datetime) -> None:
    services.start_on_time(tournament_id=UUID(payload["tournament"]), now=now)


@job(calendar.OPEN_ROUND, max_attempts=ATTEMPTS, on_failed=_needs_organizer("open"))
def open_round(payload: Payload, *, now: datetime) -> Again | None:
    more = rounds.open_round(tournament_id=UUID(payload["tournament"]), number=payload["round"], now=now)
    return Again(due=now) if more else None


@job(calendar.GAME_ENDED, max_attempts=ATTEMPTS)
def game_ended(payload: Payload, *, now: datetime) -> Again | None:
    """If this fails for good nothing is lost: the closing of the round scores the game."""
    try:
        rounds.game_ended(game_id=UUID(payload["game"]), now=now)
    except meetings.StillPaid:
        return Again(due=now + LOOK_AGAIN)
    return None


@job(calendar.CLOSE_ROUND, max_attempts=ATTEMPTS, on_failed=_needs_organizer("close"))
def close_round(payload: Payload, *, now: datetime) -> Again | None:
    tournament, number = UUID(payload["tournament"]), payload["round"]
    if rounds.close_round(tournament_id=tournament, number=number, now=now):
        return Again(due=now)
    return Again(due=now + LOOK_AGAIN) if meetings.is_off(tournament, number, now) else None


@job(calendar.BOTS_BET, max_attempts=ATTEMPTS)
def bots_bet(payload: Payload, *, now: datetime) -> Again | None:
    """If this fails for good the race is run without their bets."""
    more = meetings.bots_bet(tournament_id=UUID(payload["tournament"]), number=payload["round"], now=now)
    return Again(due=now) if more else None


@job(calendar.NO_SHOW, max_attempts=ATTEMPTS)
def no_show(payload: Payload, *, now: datetime) -> Again | None:
    """If this fails for good the round still ends in its time, and the games with it."""
    look = no_shows.watch(
        tournament_id=UUID(payload["tournament"]), number=payload["round"], table=payload["table"], now=now
    )
    return None if look is None else Again(due=look)


@job(calendar.FINISH, max_attempts=ATTEMPTS, on_failed=_needs_organizer("finish"))
def finish(payload: Payload, *, now: datetime) -> None:
    settlement.finish(tournament_id=UUID(payload["tournament"]), now=now)


@job(calendar.CLEAR, max_attempts=ATTEMPTS, on_failed=_needs_organizer("clear"))
def clear(payload: Payload, *, now: datetime) -> Again | None:
    return Again(due=now) if settlement.clear(tournament_id=UUID(payload["tournament"]), now=now) else None
