"""Tournaments that stand still, because their organizer wants it or until their organizer has helped; and go on."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime
from uuid import UUID

from django.db import transaction

from accounts.models import Player
from tournaments import calendar, record, roles, schedules
from tournaments.help import Trouble
from tournaments.models import RoundState, Status, Tournament
from tournaments.problems import AlreadyPaused, NotStalled, WrongStatus


@transaction.atomic
def stall(*, tournament_id: UUID, trouble: Trouble, now: datetime) -> None:
    """A step cannot be done, or has failed for good: the organizer is needed."""
    tournament = record.locked(tournament_id)
    if tournament.status in (Status.FINISHED, Status.DRAFT):
        return
    tournament.stalled = trouble.reason
    tournament.save(update_fields=["stalled"])
    record.append(tournament, ("stalled", asdict(trouble)), now=now)


@transaction.atomic
def pause(*, tournament_id: UUID, actor: Player, reason: str, now: datetime) -> Tournament:
    """Lay out no further round, and pay no prizes, until it is resumed. A round that is laid out is played as ever, by
    its clock. Raises InterestedParty, WrongStatus, AlreadyPaused.
    """
    tournament = roles.locked_for(tournament_id, actor)
    if tournament.status != Status.RUNNING:
        raise WrongStatus(f"The tournament is {tournament.status}; only a running one can be paused.")
    if tournament.paused:
        raise AlreadyPaused
    tournament.paused = reason
    tournament.save(update_fields=["paused"])
    record.append(tournament, ("paused", {"reason": reason, "by": str(actor.pk)}), now=now)
    return tournament


@transaction.atomic
def resume(*, tournament_id: UUID, actor: Player, now: datetime) -> Tournament:
    """End a pause; have the step that failed tried again; and those after it. Raises InterestedParty, NotStalled."""
    tournament = roles.locked_for(tournament_id, actor)
    if not tournament.stalled and not tournament.paused:
        raise NotStalled
    tournament.stalled = tournament.paused = ""
    tournament.save(update_fields=["stalled", "paused"])
    record.append(tournament, ("resumed", {"by": str(actor.pk)}), now=now)
    plan_anew(tournament, now)
    return tournament


def plan_anew(tournament: Tournament, now: datetime) -> None:
    """Have the next step of a locked tournament done by a new job, whatever became of the jobs before."""
    tournament.resumptions += 1
    tournament.save(update_fields=["resumptions"])
    _schedule_next_step(tournament, now)


def _schedule_next_step(tournament: Tournament, now: datetime) -> None:
    if tournament.status == Status.PUBLISHED:
        calendar.start(tournament, due=now)
        return
    if tournament.status == Status.CANCELLED:
        calendar.clear(tournament, due=now)
        return
    latest = tournament.played_rounds.order_by("-number").first()
    if latest is None or latest.state == RoundState.OPENING:
        calendar.open_round(tournament, latest.number if latest else 1, due=now)
    elif latest.state == RoundState.OPEN:
        calendar.close_round(tournament, latest, due=now)
    elif not record.is_played_out(tournament):
        assert latest.closed_at is not None
        following = latest.number + 1
        opens = schedules.next_opens(tournament, following, after=latest.closed_at)
        calendar.open_round(tournament, following, due=max(now, opens))
    else:
        calendar.finish(tournament, due=now)
