"""Appeal a ruling: once, within the appeal period, to another auditor."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from django.db import transaction

from accounts.models import Player
from disputes import access, money, states, stream
from disputes.errors import DisputeTooLate, DisputeUnexpectedState, NotYourDispute
from disputes.models import Dispute
from eventstore.chain import format_at
from games.models import Seat


@transaction.atomic
def appeal(*, dispute_id: UUID, actor: Player, reason: str, now: datetime) -> Dispute:
    """Ask for another auditor's ruling. The first ruling stays in effect until then.

    Raises UnknownDispute, NotYourDispute, DisputeUnexpectedState, DisputeTooLate.
    """
    dispute = stream.locked(dispute_id)
    require_may_appeal(dispute, actor, now=now)
    stream.append(
        dispute,
        ("appealed", {"by": str(actor.pk), "reason": reason}),
        now=now,
        status=states.APPEALED,
        instance=2,
        appeal_until=None,
        ended_at=None,
    )
    money.update_hold(dispute.game, now=now)
    return dispute


def require_may_appeal(dispute: Dispute, player: Player, *, now: datetime) -> None:
    """Raise unless the player may appeal: NotYourDispute, DisputeUnexpectedState, DisputeTooLate."""
    require_concerned(player, dispute)
    stream.require_state(dispute, states.RULED)
    if dispute.appeal_until is None:
        raise DisputeUnexpectedState("A ruling on appeal is final.", state=str(dispute.status))
    if now > dispute.appeal_until:
        raise DisputeTooLate(
            f"The appeal period ended on {dispute.appeal_until:%Y-%m-%d %H:%M} UTC.",
            until=format_at(dispute.appeal_until),
        )


def require_concerned(player: Player, dispute: Dispute) -> None:
    """Require the opener, a player with a seat in the game, or the organizer. Raises NotYourDispute."""
    if not (
        player.pk == dispute.opener_id
        or Seat.objects.filter(game=dispute.game_id, player=player).exists()
        or access.organizes(player, dispute.game)
    ):
        raise NotYourDispute
