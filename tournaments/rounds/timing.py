"""Rounds that the organizer opens or closes ahead of time."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from django.db import transaction

from accounts.models import Player
from tournaments import formats, record, roles
from tournaments.errors import RoundNotNext, RoundNotOpen, WrongStatus
from tournaments.models import Round, RoundState, Status, Tournament
from tournaments.rounds import steps


def waiting_round(tournament: Tournament) -> int | None:
    """Return the number of the round that opens after a break; None if no round waits for its time."""
    latest = tournament.played_rounds.order_by("-number").first()
    if latest is None or latest.state != RoundState.CLOSED or _is_halted(tournament):
        return None
    return None if record.is_played_out(tournament) else latest.number + 1


def open_round(tournament: Tournament) -> Round | None:
    """Return the round that is played and can be closed ahead of time. A race starts when its betting ends."""
    if tournament.status != Status.RUNNING or formats.get(tournament.format).on_bets:
        return None
    return tournament.played_rounds.filter(state=RoundState.OPEN).first()


def _is_halted(tournament: Tournament) -> bool:
    return tournament.status != Status.RUNNING or bool(tournament.paused or tournament.stalled)


@transaction.atomic
def open_now(*, tournament_id: UUID, number: int, actor: Player, reason: str, now: datetime) -> Tournament:
    """Open the next round now instead of at its time. A job opens it.

    Raises InterestedParty, WrongStatus, RoundNotNext.
    """
    tournament = roles.locked_for(tournament_id, actor)
    if _is_halted(tournament):
        raise WrongStatus("Only a running tournament opens a round, and not while it is paused or stalled.")
    if waiting_round(tournament) != number:
        raise RoundNotNext
    # The key of its job contains this number: a request after a pause creates another job.
    tournament.resumptions += 1
    tournament.save(update_fields=["resumptions"])
    data = {"round": number, "reason": reason, "by": str(actor.pk)}
    record.append(tournament, ("round-called", data), now=now)
    steps.open_round(tournament, number, due=now)
    return tournament


@transaction.atomic
def close_now(*, tournament_id: UUID, number: int, actor: Player, reason: str, now: datetime) -> Tournament:
    """End the time of an open round now. A job ends its games as at the time limit, and closes it.

    Games that were suspended keep the time that they lost. Raises InterestedParty, RoundNotOpen.
    """
    tournament = roles.locked_for(tournament_id, actor)
    round = open_round(tournament)
    if round is None or round.number != number or round.closes_at is None or round.closes_at <= now:
        raise RoundNotOpen
    round.closes_at = now
    round.save(update_fields=["closes_at"])
    data = {"round": number, "reason": reason, "by": str(actor.pk)}
    record.append(tournament, ("round-ended", data), now=now)
    steps.close_round(tournament, round, due=now, why="ended")
    return tournament
