"""Judges and helpers: whom the organizer of a tournament lets rule on it, and whom check others in.

A role is given for one tournament, and by its organizer; it needs no role of the installation. Participants
give no command of the tournament (`locked_for`), and a judge neither plays nor bets on the winner. The tournament's row
is locked first, then its market, so that giving, entering and betting each find what the other has done.
"""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet

from accounts.models import Player
from api.errors import NotFound
from ledger import participants
from ledger.errors import InterestedParty
from tournaments import markets, record
from tournaments.models import Status, Tournament
from tournaments.models_roles import Office, TournamentRole
from tournaments.problems import JudgeMayNotPlay, RoleHeld, WrongStatus


@transaction.atomic
def give(
    *, tournament_id: UUID, player_id: UUID, role: Office, actor: Player, now: datetime
) -> TournamentRole:
    """Let somebody judge or help; another role that they had ends with it.

    Raises NotFound, WrongStatus, RoleHeld, InterestedParty.
    """
    tournament = locked_for(tournament_id, actor)
    if tournament.status == Status.CANCELLED:
        raise WrongStatus("The tournament is cancelled.")
    player = Player.objects.filter(pk=player_id, is_active=True, is_bot=False).first()
    if player is None:
        raise NotFound
    held = tournament.roles.filter(player=player).first()
    if tournament.organizer_id == player.pk or (held is not None and held.role == role):
        raise RoleHeld
    # A player who waits for a place may become a judge: they are passed over when their turn comes.
    entered = tournament.entries.standing().filter(player=player).exists()
    if role == Office.JUDGE and (entered or markets.has_backed(markets.locked_on(tournament), player.pk)):
        raise InterestedParty
    given, _ = TournamentRole.objects.update_or_create(
        tournament=tournament, player=player, defaults={"role": role, "given_at": now}
    )
    told = {"player": str(player.pk), "role": str(role), "by": str(actor.pk)}
    record.append(tournament, ("role-given", told), now=now)
    return given


@transaction.atomic
def take(*, tournament_id: UUID, player_id: UUID, actor: Player, now: datetime) -> None:
    """Take a role away, in a tournament of any status. Rulings stay in effect. Raises NotFound, InterestedParty."""
    tournament = locked_for(tournament_id, actor)
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


def locked_for(tournament_id: UUID, actor: Player | None) -> Tournament:
    """The locked tournament, for a command of `actor`; None is the server.

    Every command that changes the course or the money of a tournament begins here; commands about one's own entry do
    not. Raises NotFound, InterestedParty.
    """
    tournament = record.locked(tournament_id)
    if actor is not None:
        markets.locked_on(tournament)  # which every bet locks
        participants.refuse(tournament.subject, f"player:{actor.pk}")
    return tournament


def refuse_judge(tournament: Tournament, player: Player) -> None:
    """Raises JudgeMayNotPlay."""
    if role_of(player, tournament) == Office.JUDGE:
        raise JudgeMayNotPlay
