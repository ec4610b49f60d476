"""Judges and helpers of a tournament.

The organizer gives roles for one tournament; they need no role of the installation. Participants may not run
commands of the tournament (`locked_for`), and a judge neither plays nor bets on the winner. The tournament's row is
locked first, then its market, so that giving roles, entering, and betting see each other's effects.
"""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet

from accounts.models import Player
from core.errors import NotFound
from ledger.errors import InterestedParty
from ledger.services import refuse_participant
from tournaments import access, record
from tournaments.betting import outrights
from tournaments.errors import JudgeMayNotPlay, RoleHeld, WrongStatus
from tournaments.models import StaffRole, Status, Tournament, TournamentRole


@transaction.atomic
def give(
    *, tournament_id: UUID, player_id: UUID, role: StaffRole, actor: Player, now: datetime
) -> TournamentRole:
    """Give a person a role, which replaces their earlier one.

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
    # A player on the waiting list may become a judge and is passed over later.
    entered = tournament.entries.standing().filter(player=player).exists()
    if role == StaffRole.JUDGE and (
        entered or outrights.has_backed(outrights.locked_on(tournament), player.pk)
    ):
        raise InterestedParty
    given, _ = TournamentRole.objects.update_or_create(
        tournament=tournament, player=player, defaults={"role": role, "given_at": now}
    )
    data = {"player": str(player.pk), "role": str(role), "by": str(actor.pk)}
    record.append(tournament, ("role-given", data), now=now)
    return given


@transaction.atomic
def take(*, tournament_id: UUID, player_id: UUID, actor: Player, now: datetime) -> None:
    """Take a role away, in a tournament of any status. Rulings stay in effect. Raises NotFound, InterestedParty."""
    tournament = locked_for(tournament_id, actor)
    held = tournament.roles.filter(player=player_id).first()
    if held is None:
        raise NotFound
    held.delete()
    data = {"player": str(player_id), "role": held.role, "by": str(actor.pk)}
    record.append(tournament, ("role-taken", data), now=now)


def roles_in(tournament: Tournament) -> QuerySet[TournamentRole]:
    """Return the roles in the order in which they were given."""
    return tournament.roles.select_related("player")


def locked_for(tournament_id: UUID, actor: Player | None) -> Tournament:
    """Return the locked tournament for a command of `actor`; None is the server.

    Every command that changes the course or the money of a tournament begins here; commands about a player's own
    entry do not. Raises NotFound, InterestedParty.
    """
    tournament = record.locked(tournament_id)
    if actor is not None:
        outrights.locked_on(tournament)  # Every bet locks this row.
        refuse_participant(tournament.subject, f"player:{actor.pk}")
    return tournament


def refuse_judge(tournament: Tournament, player: Player) -> None:
    """Raise JudgeMayNotPlay for a judge of the tournament."""
    if access.role_of(player, tournament) == StaffRole.JUDGE:
        raise JudgeMayNotPlay
