"""Who may see and do what with a tournament: everything that is shown or done passes one of these.

| | sees | checks in | rules | manages |
|---|---|---|---|---|
| anybody | what is published | | | |
| helper | its draft too | yes | | |
| judge | its draft too | yes | yes | |
| organizer of it, administrator | its draft too | yes | yes | yes |

To rule is to correct, to disqualify, to pause and to resume; to manage is everything, roles included. While the
organizer of a tournament takes part in it, other organizers manage it too. That participants give no command is judged
with the command itself (`roles.locked_for`).
"""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

from django.contrib.auth.models import AnonymousUser
from django.db.models import Q, QuerySet

from accounts.errors import EnrolmentNeeded
from accounts.models import Player
from accounts.roles import Role, has_role, needs_enrolment
from api.errors import Forbidden, NotFound
from tournaments import parts, roles
from tournaments.models import Tournament
from tournaments.models_roles import Office, TournamentRole

Viewer = Player | AnonymousUser | None


def visible_tournaments(viewer: Viewer) -> QuerySet[Tournament]:
    """Those that have been published, drafts that one has made or has a role in, and for administrators and auditors
    all."""
    everything = Tournament.objects.all()
    if has_role(viewer, Role.ADMINISTRATOR) or has_role(viewer, Role.AUDITOR):
        return everything
    public = Q(published_at__isnull=False)
    if isinstance(viewer, Player):
        helped = TournamentRole.objects.filter(player=viewer).values("tournament")
        public |= Q(organizer=viewer) | Q(pk__in=helped)
    return everything.filter(public)


def visible(viewer: Viewer, tournament_id: UUID) -> Tournament:
    """The tournament, if `viewer` may see it; otherwise NotFound, as if there were none."""
    try:
        return visible_tournaments(viewer).get(pk=tournament_id)
    except Tournament.DoesNotExist:
        raise NotFound from None


def require_organizer(viewer: Viewer) -> None:
    """Raises Forbidden, EnrolmentNeeded unless `viewer` may hold tournaments."""
    _require_enrolled(viewer)
    if not (has_role(viewer, Role.ORGANIZER) or has_role(viewer, Role.ADMINISTRATOR)):
        raise Forbidden("Tournaments are held by organizers.")


def may_manage(viewer: Viewer, tournament: Tournament) -> bool:
    """Administrators all; organizers their own, and any other in which its own organizer takes part."""
    if has_role(viewer, Role.ADMINISTRATOR):
        return True
    if viewer is None or not has_role(viewer, Role.ORGANIZER):
        return False
    return tournament.organizer_id == viewer.pk or parts.takes_part(tournament.pk, tournament.organizer_id)


def may_rule(viewer: Viewer, tournament: Tournament) -> bool:
    return may_manage(viewer, tournament) or _role(viewer, tournament) == Office.JUDGE


def may_check_in_others(viewer: Viewer, tournament: Tournament) -> bool:
    return may_manage(viewer, tournament) or _role(viewer, tournament) is not None


def managed(viewer: Viewer, tournament_id: UUID) -> Tournament:
    """The tournament, to be managed by `viewer`. Raises NotFound, Forbidden, EnrolmentNeeded."""
    told = "Only the organizer of a tournament and administrators manage it."
    return _allowed(viewer, tournament_id, may_manage, told)


def ruled(viewer: Viewer, tournament_id: UUID) -> Tournament:
    """The tournament, to be ruled on by `viewer`. Raises NotFound, Forbidden, EnrolmentNeeded."""
    told = "Only the organizer of a tournament, its judges and administrators rule on it."
    return _allowed(viewer, tournament_id, may_rule, told)


def assisted(viewer: Viewer, tournament_id: UUID) -> Tournament:
    """The tournament, whose entrants `viewer` may check in. Raises NotFound, Forbidden, EnrolmentNeeded."""
    told = "Others are checked in by the organizer of a tournament, its judges and helpers."
    return _allowed(viewer, tournament_id, may_check_in_others, told)


def _allowed(
    viewer: Viewer, tournament_id: UUID, may: Callable[[Viewer, Tournament], bool], otherwise: str
) -> Tournament:
    tournament = visible(viewer, tournament_id)
    _require_enrolled(viewer)
    if not may(viewer, tournament):
        raise Forbidden(otherwise)
    return tournament


def _require_enrolled(viewer: Viewer) -> None:
    if isinstance(viewer, Player) and needs_enrolment(viewer):
        raise EnrolmentNeeded


def _role(viewer: Viewer, tournament: Tournament) -> Office | None:
    return roles.role_of(viewer, tournament) if isinstance(viewer, Player) else None
