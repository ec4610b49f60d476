"""Judges and helpers: whom the organizer of a tournament lets rule on it, and whom check others in.

A role is given for one tournament, and by its organizer; nobody needs a role of the installation for it. Who rules has
no part in what is ruled on: a judge neither plays nor bets on the winner, and of organizers and administrators who do
no ruling is taken. The tournament's row is locked first, then its market, so that giving, entering and betting each
find what the other has done.
"""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet

from accounts.models import Player
from api.errors import NotFound
from tournaments import markets, record
from tournaments.models import Status, Tournament
from tournaments.models_roles import Office, TournamentRole
from tournaments.problems import HasAPart, JudgeMayNotPlay, RoleHeld, WrongStatus


@transaction.atomic
def give(
    *, tournament_id: UUID, player_id: UUID, role: Office, actor: Player, now: datetime
) -> TournamentRole:
    """Let somebody judge or help; another role that they had ends with it.

    Raises NotFound, WrongStatus, RoleHeld, HasAPart.
    """
    tournament = record.locked(tournament_id)
    if tournament.status == Status.CANCELLED:
        raise WrongStatus("The tournament is cancelled.")
    player = Player.objects.filter(pk=player_id, is_active=True, is_bot=False).first()
    if player is None:
        raise NotFound
    held = tournament.roles.filter(player=player).first()
    if tournament.organizer_id == player.pk or (held is not None and held.role == role):
        raise RoleHeld
    if role == Office.JUDGE:
        require_no_part(tournament, player)
    given, _ = TournamentRole.objects.update_or_create(
        tournament=tournament, player=player, defaults={"role": role, "given_at": now}
    )
    told = {"player": str(player.pk), "role": str(role), "by": str(actor.pk)}
    record.append(tournament, ("role-given", told), now=now)
    return given


@transaction.atomic
def take(*, tournament_id: UUID, player_id: UUID, actor: Player, now: datetime) -> None:
    """Take a role away, in a tournament of whatever state. What was ruled stays ruled. Raises NotFound."""
    tournament = record.locked(tournament_id)
    held = tournament.roles.filter(player=player_id).first()
    if held is None:
        raise NotFound
    held.delete()
    told = {"player": str(player_id), "role": held.role, "by": str(actor.pk)}
    record.append(tournament, ("role-taken", told), now=now)


def given_in(tournament: Tournament) -> QuerySet[TournamentRole]:
    """In the order in which they were given."""
    return tournament.roles.select_related("player")


def role_of(player: Player, tournament: Tournament) -> Office | None:
    held = tournament.roles.filter(player=player).values_list("role", flat=True).first()
    return None if held is None else Office(held)


def require_no_part(tournament: Tournament, player: Player) -> None:
    """For who is about to rule; the tournament is locked. Raises HasAPart."""
    if tournament.entries.standing().filter(player=player).exists():
        raise HasAPart
    if markets.has_backed(markets.locked_on(tournament), player.pk):
        raise HasAPart


def refuse_judge(tournament: Tournament, player: Player) -> None:
    """Raises JudgeMayNotPlay."""
    if role_of(player, tournament) == Office.JUDGE:
        raise JudgeMayNotPlay
