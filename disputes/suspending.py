"""Stopping a disputed game before its end, and letting it go on."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from django.db import transaction

from accounts.models import Player
from disputes import access, states, stream
from disputes.models import Dispute
from games import suspension
from games.errors import GameSuspended, NotInPlay, NotSuspended
from games.models import GameRecord, Status


@transaction.atomic
def suspend(*, dispute_id: UUID, actor: Player, reason: str, now: datetime) -> Dispute:
    """Stop the game where it stands, its clocks too, until it is resumed or ruled on. Auditors do.

    Raises UnknownDispute, AuditorsOnly, InterestedParty, DisputeMovedOn, NotInPlay, GameSuspended.
    """
    dispute = stream.locked(dispute_id)
    _require_in_charge(dispute, actor)
    suspension.suspend(dispute.game_id, by=actor, reason=_why(dispute), now=now)
    told = {"by": str(actor.pk), "reason": reason}
    stream.append(dispute, ("suspended", told), now=now, suspends=True)
    return dispute


@transaction.atomic
def resume(*, dispute_id: UUID, actor: Player, reason: str, now: datetime) -> GameRecord:
    """Let the game go on as it stands; the game that goes on, another one where the rules count time from the deal.

    Raises UnknownDispute, AuditorsOnly, InterestedParty, DisputeMovedOn, NotSuspended, NotContinuable.
    """
    dispute = stream.locked(dispute_id)
    require_may_resume(dispute, actor)
    return _resume(dispute, by=actor, reason=reason, now=now)


def require_may_suspend(dispute: Dispute, actor: Player) -> None:
    """As far as it can be known without stopping the game. Raises as `suspend`, but for UnknownDispute."""
    _require_in_charge(dispute, actor)
    if dispute.game.suspended_at is not None:
        raise GameSuspended
    if dispute.game.status != Status.ACTIVE:
        raise NotInPlay


def require_may_resume(dispute: Dispute, actor: Player) -> None:
    """Raises AuditorsOnly, InterestedParty, DisputeMovedOn, NotSuspended."""
    _require_in_charge(dispute, actor)
    if not dispute.suspends:
        raise NotSuspended


def _require_in_charge(dispute: Dispute, actor: Player) -> None:
    access.require_auditor(actor, dispute)
    stream.require_state(dispute, *states.WAITING)


def let_go_on(dispute: Dispute, *, now: datetime) -> None:
    """Once it is decided: resume the game if it is still suspended for this dispute. The dispute is locked."""
    if dispute.suspends:
        _resume(dispute, by=None, reason="decided", now=now)


def _resume(dispute: Dispute, *, by: Player | None, reason: str, now: datetime) -> GameRecord:
    game = GameRecord.objects.get(pk=dispute.game_id)
    if not game.ended:
        game = suspension.resume(game.pk, by=by, reason=_why(dispute), now=now)
    told = {"by": None if by is None else str(by.pk), "reason": reason, "game": str(game.pk)}
    stream.append(dispute, ("resumed", told), now=now, suspends=False)
    return game


def _why(dispute: Dispute) -> str:
    """As the game's own people read it: the auditor's words stand with the dispute."""
    return f"dispute {dispute.pk}"
