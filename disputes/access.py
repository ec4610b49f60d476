"""Permissions on disputes. Every read and every action passes one of these functions.

| | sees the dispute | reads claim, evidence and reasons | rules | approves |
|---|---|---|---|---|
| opener | yes | yes | | |
| seats of the game, organizer of its tournament | yes | once the game is public | | |
| auditor without an interest in the game | yes | yes; early access to a running game is recorded | yes | yes |
| administrator without an interest in the game | yes | once the game is public | | yes |

A game is public when it and all games with the same deal have ended. A claim reveals what its seat saw, so no other
player at the table and no organizer reads it before then. Version numbers are hidden as well, because they reveal the
number of moves.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from uuid import UUID

from django.contrib.auth.models import AnonymousUser
from django.db.models import QuerySet

from accounts.errors import SecondFactorNeeded
from accounts.models import Player
from accounts.roles import Role, has_role, lacks_second_factor
from disputes.errors import AuditorsOnly, ReadDisputeFirst, UnknownDispute
from disputes.models import Dispute
from games import early_access
from games.access import is_auditor, is_disclosed, visible_games
from games.models import EarlyAccess, GameRecord, Seat
from ledger.errors import InterestedParty
from tournaments.models import Tournament, TournamentRole

Viewer = Player | AnonymousUser | None


def visible_disputes(viewer: Viewer) -> QuerySet[Dispute]:
    """Return the disputes that the viewer may see."""
    everything = _with_game_and_opener()
    if not isinstance(viewer, Player):
        return everything.none()
    if sees_all(viewer):
        return everything
    return everything.filter(parties__player=viewer)


def opened_by(player: Player) -> QuerySet[Dispute]:
    return _with_game_and_opener().filter(opener=player)


def _with_game_and_opener() -> QuerySet[Dispute]:
    return Dispute.objects.select_related("game__stake_table", "opener")


def sees_all(viewer: Player) -> bool:
    return is_auditor(viewer) or has_role(viewer, Role.ADMINISTRATOR)


def parties(dispute: Dispute) -> set[UUID]:
    """Return the players who may see a dispute."""
    game = dispute.game
    organizers = Tournament.objects.filter(pk__in=filter(None, [game.tournament])).values_list(
        "organizer", flat=True
    )
    seated = Seat.objects.filter(game=game, player__isnull=False).values_list("player", flat=True)
    return {dispute.opener_id, *seated, *organizers}


def visible_dispute(viewer: Viewer, dispute_id: UUID) -> Dispute:
    """Return a dispute that the viewer may see. Raises UnknownDispute."""
    found = visible_disputes(viewer).filter(pk=dispute_id).first()
    if found is None:
        raise UnknownDispute
    return found


def require_reading_auditor(viewer: Player, dispute: Dispute, *, other: UUID | None = None) -> None:
    """Require an auditor who may rule on the dispute and has read it. `other` is a further game in the request.

    The answer to such a request depends on the moves of the game, so early access must be recorded before it. A refused
    request is rolled back and could not record it. Raises ReadDisputeFirst, and the errors of `require_auditor`.
    """
    require_auditor(viewer, dispute)
    if not may_read(viewer, dispute) or _is_closed(viewer, other):
        raise ReadDisputeFirst


def _is_closed(viewer: Viewer, game: UUID | None) -> bool:
    """Return whether the game exists and its version is hidden from the viewer."""
    if game is None or not GameRecord.objects.filter(pk=game).exists():
        return False
    return not readable_games(viewer, [game])


def readable_games(viewer: Viewer, games: Collection[UUID]) -> frozenset[UUID]:
    """Return those of the games whose versions the viewer may see."""
    return frozenset(visible_games(viewer).filter(pk__in=games).values_list("pk", flat=True))


def may_read(viewer: Viewer, dispute: Dispute) -> bool:
    """Return whether the viewer may read claim, evidence, and reasons. Auditors need recorded early access."""
    if isinstance(viewer, Player) and viewer.pk == dispute.opener_id:
        return True
    if is_disclosed(dispute.game):
        return True
    return (
        isinstance(viewer, Player)
        and is_auditor(viewer)
        and early_access.has_early_access(viewer.pk, game=dispute.game_id)
    )


def claims(viewer: Player, disputes: Sequence[Dispute]) -> dict[UUID, str]:
    """Return the claims that the viewer may read without recording early access, by dispute (see `access.may_read`)."""
    groups = {one.game.deal_group for one in disputes if one.game.deal_group}
    in_play = GameRecord.objects.running().filter(deal_group__in=groups).values_list("deal_group", flat=True)
    playing, seen = set(in_play), set()
    if is_auditor(viewer):
        games = [one.game_id for one in disputes]
        seen = set(EarlyAccess.objects.filter(viewer=viewer, game__in=games).values_list("game", flat=True))
    return {
        one.pk: one.claim
        for one in disputes
        if one.opener_id == viewer.pk
        or one.game_id in seen
        or (one.game.ended and one.game.deal_group not in playing)
    }


def record_early_access(viewer: Viewer, dispute: Dispute, *, now: datetime) -> None:
    """Record that an auditor reads a dispute before the game is public, unless they have an interest in the game."""
    if not isinstance(viewer, Player) or not is_auditor(viewer) or may_read(viewer, dispute):
        return
    if not is_interested(viewer, dispute.game):
        early_access.record_once(viewer=viewer, game=dispute.game, what="dispute", now=now)


def require_auditor(actor: Player, dispute: Dispute) -> None:
    """Require an auditor without an interest. Raises SecondFactorNeeded, AuditorsOnly, InterestedParty."""
    _require_enrolled(actor)
    if not has_role(actor, Role.AUDITOR):
        raise AuditorsOnly
    require_no_interest(actor, dispute)


def require_approver(actor: Player, dispute: Dispute) -> None:
    """Require an auditor or administrator without an interest. Raises the errors of `require_auditor`."""
    _require_enrolled(actor)
    if not (has_role(actor, Role.AUDITOR) or has_role(actor, Role.ADMINISTRATOR)):
        raise AuditorsOnly
    require_no_interest(actor, dispute)


def require_no_interest(actor: Player, dispute: Dispute) -> None:
    """Refuse players, bettors, creators, organizers, and judges of the game, and the opener. Raises InterestedParty."""
    if actor.pk == dispute.opener_id or is_interested(actor, dispute.game):
        raise InterestedParty("You opened this dispute or have an interest in its game.")


def is_interested(player: Player, game: GameRecord) -> bool:
    """Return whether the player takes part in the game, bets on it, or has a role in its tournament."""
    if early_access.has_interest(player, game):
        return True
    if game.tournament is None:
        return False
    return (
        Tournament.objects.filter(pk=game.tournament, organizer=player).exists()
        or TournamentRole.objects.filter(tournament=game.tournament, player=player).exists()
    )


def organizes(player: Player, game: GameRecord) -> bool:
    """Return whether the player organizes the tournament of the game."""
    return (
        game.tournament is not None
        and Tournament.objects.filter(pk=game.tournament, organizer=player).exists()
    )


def _require_enrolled(actor: Player) -> None:
    if lacks_second_factor(actor):
        raise SecondFactorNeeded
