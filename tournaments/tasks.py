"""Celery tasks of tournaments. Each takes ids and calls one service; `Again` requests the next chunk."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from jobs.kinds import Again, OnFailed, job
from tournaments import notices, services
from tournaments.betting import meetings
from tournaments.prizes import settlement
from tournaments.rounds import no_shows, stalls, steps
from tournaments.rounds import services as rounds

Payload = dict[str, Any]
ATTEMPTS = 8

LOOK_AGAIN = timedelta(seconds=5)
"""How often a race in progress, and the payment of its bets, is checked."""


def _needs_organizer(step: stalls.Step) -> OnFailed:
    def needs(payload: Payload, *, now: datetime, error: Exception) -> None:
        trouble = stalls.describe_failure(error, step=step, round=payload.get("round"), attempts=ATTEMPTS)
        stalls.stall(tournament_id=UUID(payload["tournament"]), trouble=trouble, now=now)

    return needs


@job(steps.START, max_attempts=ATTEMPTS, on_failed=_needs_organizer("start"))
def start(payload: Payload, *, now: datetime) -> None:
    services.start_on_time(tournament_id=UUID(payload["tournament"]), now=now)


@job(notices.CHECK_IN_OPENS)
def announce_check_in(payload: Payload, *, now: datetime) -> None:
    notices.announce_check_in(tournament_id=UUID(payload["tournament"]), now=now)


@job(steps.OPEN_ROUND, max_attempts=ATTEMPTS, on_failed=_needs_organizer("open"))
def open_round(payload: Payload, *, now: datetime) -> Again | None:
    more = rounds.open_round(tournament_id=UUID(payload["tournament"]), number=payload["round"], now=now)
    return Again(due=now) if more else None


@job(steps.GAME_ENDED, max_attempts=ATTEMPTS, together=rounds.CHUNK, shares=1)
def games_ended(payloads: Sequence[Payload], *, now: datetime) -> list[Again | None]:
    """Score games. If this fails for good, closing the round scores them."""
    moves: dict[tuple[str, int], dict[UUID, int]] = defaultdict(dict)
    for payload in payloads:
        moves[payload["tournament"], payload["round"]][UUID(payload["game"])] = payload["moves"]
    unpaid = set()
    for of_round in sorted(moves):
        tournament, number = of_round
        try:
            rounds.games_ended(tournament_id=UUID(tournament), number=number, moves=moves[of_round], now=now)
        except meetings.StillPaid:
            unpaid.add(of_round)
    return [
        Again(due=now + LOOK_AGAIN) if (payload["tournament"], payload["round"]) in unpaid else None
        for payload in payloads
    ]


@job(steps.CLOSE_ROUND, max_attempts=ATTEMPTS, on_failed=_needs_organizer("close"))
def close_round(payload: Payload, *, now: datetime) -> Again | None:
    tournament, number = UUID(payload["tournament"]), payload["round"]
    if rounds.close_round(tournament_id=tournament, number=number, now=now):
        return Again(due=now)
    return Again(due=now + LOOK_AGAIN) if meetings.is_running(tournament, number, now) else None


@job(steps.BOTS_BET, max_attempts=ATTEMPTS)
def bots_bet(payload: Payload, *, now: datetime) -> Again | None:
    """Place the bots' bets. If this fails for good, the race runs without them."""
    more = meetings.bots_bet(tournament_id=UUID(payload["tournament"]), number=payload["round"], now=now)
    return Again(due=now) if more else None


@job(steps.NO_SHOW, max_attempts=ATTEMPTS)
def no_show(payload: Payload, *, now: datetime) -> Again | None:
    """Check for no-shows. If this fails for good, the round still ends at its time limit."""
    look = no_shows.watch(
        tournament_id=UUID(payload["tournament"]), number=payload["round"], table=payload["table"], now=now
    )
    return None if look is None else Again(due=look)


@job(steps.FINISH, max_attempts=ATTEMPTS, on_failed=_needs_organizer("finish"))
def finish(payload: Payload, *, now: datetime) -> None:
    settlement.finish(tournament_id=UUID(payload["tournament"]), now=now)


@job(steps.CLEAR, max_attempts=ATTEMPTS, on_failed=_needs_organizer("clear"))
def clear(payload: Payload, *, now: datetime) -> Again | None:
    return Again(due=now) if settlement.clear(tournament_id=UUID(payload["tournament"]), now=now) else None
