"""Access rules of tournaments. Every read and every command passes one of these functions.

| | sees | checks in | rules | manages |
|---|---|---|---|---|
| anyone | published tournaments | | | |
| helper | also drafts | yes | | |
| judge | also drafts | yes | yes | |
| organizer of the tournament, administrator | also drafts | yes | yes | yes |

Ruling means correcting results, disqualifying, pausing, and resuming. Managing means everything, including roles.
While the organizer takes part in the tournament, other organizers may manage it too. Commands themselves refuse
participants (`roles.locked_for`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import cached_property
from uuid import UUID

from django.contrib.auth.models import AnonymousUser
from django.db.models import Q, QuerySet, Value
from django.db.models.functions import Coalesce, NullIf

from accounts.errors import SecondFactorNeeded
from accounts.models import NameShown, Player, name_for
from accounts.roles import Role, has_role, lacks_second_factor, players_with
from core.errors import Forbidden, NotFound
from eventstore.feed import Reader
from tournaments.models import Entry, StaffRole, Tournament, TournamentRole, Waiting

Viewer = Player | AnonymousUser | None


def visible_tournaments(viewer: Viewer) -> QuerySet[Tournament]:
    """Return the tournaments that `viewer` may see.

    These are the published ones and the drafts that the viewer has made or has a role in. Administrators and
    auditors see all.
    """
    everything = Tournament.objects.all()
    if has_role(viewer, Role.ADMINISTRATOR) or has_role(viewer, Role.AUDITOR):
        return everything
    public = Q(published_at__isnull=False)
    if isinstance(viewer, Player):
        helped = TournamentRole.objects.filter(player=viewer).values("tournament")
        public |= Q(organizer=viewer) | Q(pk__in=helped)
    return everything.filter(public)


def visible(viewer: Viewer, tournament_id: UUID) -> Tournament:
    """Return the tournament if `viewer` may see it. Raises NotFound otherwise."""
    try:
        return visible_tournaments(viewer).get(pk=tournament_id)
    except Tournament.DoesNotExist:
        raise NotFound from None


def followable(readers: Collection[Reader]) -> set[Reader]:
    """Return the readers who may see their tournaments by the rule of `visible_tournaments`.

    The number of statements does not depend on the number of readers, except for members of staff.
    """
    ids = {reader.stream for reader in readers}
    rows = Tournament.objects.filter(pk__in=ids).values_list("pk", "published_at", "organizer")
    known = {pk: (published, organizer) for pk, published, organizer in rows}
    found = {each for each in readers if each.stream in known and known[each.stream][0] is not None}
    others = [each for each in readers if each.stream in known and each not in found]
    if not others:
        return found
    players = {reader.player for reader in others}
    staff = {role: players_with(role, players) for role in (Role.ADMINISTRATOR, Role.AUDITOR)}
    roles = TournamentRole.objects.filter(tournament__in=ids, player__in=players)
    helping = set(roles.values_list("player", "tournament"))
    return found | {
        each
        for each in others
        if any(each.player in staff[role] and each.may_act_as(role) for role in staff)
        or each.player == known[each.stream][1]
        or (each.player, each.stream) in helping
    }


def require_organizer(viewer: Viewer) -> None:
    """Raise Forbidden or SecondFactorNeeded unless `viewer` may create tournaments."""
    _require_enrolled(viewer)
    if not (has_role(viewer, Role.ORGANIZER) or has_role(viewer, Role.ADMINISTRATOR)):
        raise Forbidden("Only organizers create tournaments.")


def may_manage(viewer: Viewer, tournament: Tournament) -> bool:
    """Return whether `viewer` may manage the tournament.

    Administrators manage all tournaments. Organizers manage their own, and those in which the tournament's
    organizer takes part.
    """
    if has_role(viewer, Role.ADMINISTRATOR):
        return True
    if viewer is None or not has_role(viewer, Role.ORGANIZER):
        return False
    return tournament.organizer_id == viewer.pk or takes_part(tournament.pk, tournament.organizer_id)


def may_rule(viewer: Viewer, tournament: Tournament) -> bool:
    return may_manage(viewer, tournament) or _role(viewer, tournament) == StaffRole.JUDGE


def may_check_in_others(viewer: Viewer, tournament: Tournament) -> bool:
    return may_manage(viewer, tournament) or _role(viewer, tournament) is not None


def managed(viewer: Viewer, tournament_id: UUID) -> Tournament:
    """Return the tournament for a viewer who may manage it. Raises NotFound, Forbidden, SecondFactorNeeded."""
    message = "Only the tournament's organizer and administrators manage it."
    return _allowed(viewer, tournament_id, may_manage, message)


def ruled(viewer: Viewer, tournament_id: UUID) -> Tournament:
    """Return the tournament for a viewer who may rule on it. Raises NotFound, Forbidden, SecondFactorNeeded."""
    message = "Only the tournament's organizer, its judges, and administrators rule on it."
    return _allowed(viewer, tournament_id, may_rule, message)


def assisted(viewer: Viewer, tournament_id: UUID) -> Tournament:
    """Return the tournament for a viewer who may check in its entrants. Raises NotFound, Forbidden,
    SecondFactorNeeded.
    """
    message = "Only the tournament's organizer, judges, and helpers check others in."
    return _allowed(viewer, tournament_id, may_check_in_others, message)


def _allowed(
    viewer: Viewer, tournament_id: UUID, may: Callable[[Viewer, Tournament], bool], otherwise: str
) -> Tournament:
    tournament = visible(viewer, tournament_id)
    _require_enrolled(viewer)
    if not may(viewer, tournament):
        raise Forbidden(otherwise)
    return tournament


def _require_enrolled(viewer: Viewer) -> None:
    if isinstance(viewer, Player) and lacks_second_factor(viewer):
        raise SecondFactorNeeded


def _role(viewer: Viewer, tournament: Tournament) -> StaffRole | None:
    return role_of(viewer, tournament) if isinstance(viewer, Player) else None


def takes_part(tournament_id: UUID, player: UUID) -> bool:
    """Return whether the player has entered, is on the waiting list, or has won a prize.

    Bets are known to the ledger. An entry that was withdrawn before the start does not count; one that ended later,
    or was disqualified, does.
    """
    return (
        Entry.objects.standing().filter(tournament=tournament_id, player=player).exists()
        or Waiting.objects.in_line().filter(tournament=tournament_id, player=player).exists()
    )


def role_of(player: Player, tournament: Tournament) -> StaffRole | None:
    held = tournament.roles.filter(player=player).values_list("role", flat=True).first()
    return None if held is None else StaffRole(held)


def naming(viewer: Player, tournaments: Collection[UUID]) -> set[UUID]:
    """Return those of the tournaments whose anonymous entrants `viewer` sees by name.

    Auditors and administrators see them in all, organizers where they may manage, judges and helpers where they have
    that role. The number of statements depends on the tournaments only for organizers.
    """
    if has_role(viewer, Role.AUDITOR) or has_role(viewer, Role.ADMINISTRATOR):
        return set(tournaments)
    if lacks_second_factor(viewer):
        return set()
    roles = TournamentRole.objects.filter(player=viewer, tournament__in=tournaments)
    found = set(roles.values_list("tournament", flat=True))
    if has_role(viewer, Role.ORGANIZER):
        others = Tournament.objects.filter(pk__in=set(tournaments) - found)
        found |= {one.pk for one in others if may_manage(viewer, one)}
    return found


class Names:
    """The names of a tournament's entrants and waiting players, as a viewer may see them."""

    def __init__(self, viewer: Viewer, tournament: Tournament) -> None:
        self._viewer, self._tournament = viewer, tournament

    @cached_property
    def _sees_all(self) -> bool:
        return isinstance(self._viewer, Player) and bool(naming(self._viewer, [self._tournament.pk]))

    def of(self, one: Entry | Waiting) -> str | None:
        """Return the name, or None if the viewer may not see it. The row's player should be loaded."""
        sees_all = one.shown_as == NameShown.ANONYMOUS and self._sees_all
        return name_for(self._viewer, one.player, one.shown_as, sees_all=sees_all)

    def search(self, field: QuerySet[Entry], called: str) -> QuerySet[Entry]:
        """Return the entries whose names contain a text, among the names that the viewer sees when signed in."""
        shown = Coalesce(NullIf("player__display_name", Value("")), "player__username")
        found = field.alias(shown=shown).filter(shown__icontains=called)
        if self._sees_all:
            return found
        own = Q(player=self._viewer) if isinstance(self._viewer, Player) else Q()
        return found.filter(~Q(shown_as=NameShown.ANONYMOUS) | Q(bot=True) | own)
