"""Who may see and do what with a dispute: everything that is shown or done passes one of these.

| | knows of it | reads claim, evidence and reasons | rules | approves |
|---|---|---|---|---|
| who opened it | yes | yes | | |
| seats of the game, organizer of its tournament | yes | once the game is an open book | | |
| auditor without a part in it | yes | yes; of a running game that is an early look, and recorded | yes | yes |
| administrator without a part in it | yes | once the game is an open book | | yes |

A claim says what its seat saw. As long as the game, or one that shares its deal, is played, nobody else at the table
and nobody who runs it reads a word of it. Of a game that is closed to a viewer (its deal is still in play) no version
is told either: it says how often was moved.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from uuid import UUID

from django.contrib.auth.models import AnonymousUser
from django.db.models import Exists, OuterRef, Q, QuerySet

from accounts.errors import EnrolmentNeeded
from accounts.models import Player
from accounts.roles import Role, has_role, needs_enrolment
from disputes.errors import AuditorsOnly, LookFirst, UnknownDispute
from disputes.models import Dispute
from games import audit
from games.access import is_auditor, is_open_book, visible_games
from games.models import GameRecord, Seat
from ledger.errors import InterestedParty
from tournaments.models import Tournament
from tournaments.models_roles import TournamentRole

Viewer = Player | AnonymousUser | None


def visible_disputes(viewer: Viewer) -> QuerySet[Dispute]:
    """Those that the viewer may know of."""
    everything = Dispute.objects.select_related("game", "opener")
    if not isinstance(viewer, Player):
        return everything.none()
    if is_auditor(viewer) or has_role(viewer, Role.ADMINISTRATOR):
        return everything
    seated = Exists(Seat.objects.filter(game=OuterRef("game"), player=viewer))
    organized = Tournament.objects.filter(organizer=viewer).values("pk")
    return everything.filter(Q(opener=viewer) | Q(seated) | Q(game__tournament__in=organized))


def visible_dispute(viewer: Viewer, dispute_id: UUID) -> Dispute:
    """Raises UnknownDispute, also for a dispute that is not theirs to know of."""
    found = visible_disputes(viewer).filter(pk=dispute_id).first()
    if found is None:
        raise UnknownDispute
    return found


def audited(viewer: Player, dispute_id: UUID) -> Dispute:
    """A dispute that the viewer is to rule on. Raises UnknownDispute, and as `require_auditor`."""
    found = visible_dispute(viewer, dispute_id)
    require_auditor(viewer, found)
    return found


def looked_into(viewer: Player, dispute_id: UUID, *, other: UUID | None = None) -> Dispute:
    """The same, for what answers differently by what has been played; `other` is a game that is asked about as well.

    What is refused is taken back, a look that would be recorded with it too. So it must stand before: raises LookFirst.
    """
    found = audited(viewer, dispute_id)
    if not may_read(viewer, found) or _is_closed(viewer, other):
        raise LookFirst
    return found


def _is_closed(viewer: Viewer, game: UUID | None) -> bool:
    """Whether there is such a game and the viewer may not know how far it has come."""
    if game is None or not GameRecord.objects.filter(pk=game).exists():
        return False
    return not seen_games(viewer, [game])


def seen_games(viewer: Viewer, games: Collection[UUID]) -> frozenset[UUID]:
    """Those of the games of which the viewer may know how far they have come."""
    return frozenset(visible_games(viewer).filter(pk__in=games).values_list("pk", flat=True))


def may_read(viewer: Viewer, dispute: Dispute) -> bool:
    """Whether claim, evidence and reasons are shown; to auditors what `look` has recorded."""
    if isinstance(viewer, Player) and viewer.pk == dispute.opener_id:
        return True
    if is_open_book(dispute.game):
        return True
    return isinstance(viewer, Player) and is_auditor(viewer) and audit.has_looked(viewer, dispute.game_id)


def look(viewer: Viewer, dispute: Dispute, *, now: datetime) -> None:
    """Record that an auditor reads of a game that is still on; who has a part in it reads no more than others."""
    if not isinstance(viewer, Player) or not is_auditor(viewer) or may_read(viewer, dispute):
        return
    if not has_part(viewer, dispute.game):
        audit.look_once(looker=viewer, game=dispute.game, what="dispute", now=now)


def require_auditor(actor: Player, dispute: Dispute) -> None:
    """For who is about to rule. Raises EnrolmentNeeded, AuditorsOnly, InterestedParty."""
    _require_enrolled(actor)
    if not has_role(actor, Role.AUDITOR):
        raise AuditorsOnly
    require_no_part(actor, dispute)


def require_approver(actor: Player, dispute: Dispute) -> None:
    """For the second person: an auditor or an administrator. Raises as `require_auditor`."""
    _require_enrolled(actor)
    if not (has_role(actor, Role.AUDITOR) or has_role(actor, Role.ADMINISTRATOR)):
        raise AuditorsOnly
    require_no_part(actor, dispute)


def require_no_part(actor: Player, dispute: Dispute) -> None:
    """Nobody rules on a game that they play, bet on, opened, organize or judge, nor on a claim of their own.

    Raises InterestedParty.
    """
    if actor.pk == dispute.opener_id or has_part(actor, dispute.game):
        raise InterestedParty("Nobody rules on a game that they have a part in, or on a claim of their own.")


def has_part(player: Player, game: GameRecord) -> bool:
    if audit.has_part(player, game):
        return True
    if game.tournament is None:
        return False
    return (
        Tournament.objects.filter(pk=game.tournament, organizer=player).exists()
        or TournamentRole.objects.filter(tournament=game.tournament, player=player).exists()
    )


def organizes(player: Player, game: GameRecord) -> bool:
    """Whether it is a game of a tournament that the player holds."""
    return (
        game.tournament is not None
        and Tournament.objects.filter(pk=game.tournament, organizer=player).exists()
    )


def _require_enrolled(actor: Player) -> None:
    if needs_enrolment(actor):
        raise EnrolmentNeeded
