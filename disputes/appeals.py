"""An appeal against a ruling: once, in time, to another auditor."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from django.db import transaction

from accounts.models import Player
from disputes import access, holds, states, stream
from disputes.errors import DisputeMovedOn, DisputeTooLate, NotYourDispute
from disputes.models import Dispute
from eventstore.chain import format_at
from games.models import Seat


@transaction.atomic
def appeal(*, dispute_id: UUID, actor: Player, reason: str, now: datetime) -> Dispute:
    """Ask for another auditor's ruling. The first one stands until then.

    Raises UnknownDispute, NotYourDispute, DisputeMovedOn, DisputeTooLate.
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
    holds.keep(dispute.game, now=now)
    return dispute


def require_may_appeal(dispute: Dispute, player: Player, *, now: datetime) -> None:
    """Raises NotYourDispute, DisputeMovedOn, DisputeTooLate."""
    require_concerned(dispute, player)
    stream.require_state(dispute, states.RULED)
    if dispute.appeal_until is None:
        raise DisputeMovedOn("A ruling on appeal is the last.", state=str(dispute.status))
    if now > dispute.appeal_until:
        raise DisputeTooLate(
            f"The ruling could be appealed until {dispute.appeal_until:%Y-%m-%d %H:%M} UTC.",
            until=format_at(dispute.appeal_until),
        )


def require_concerned(dispute: Dispute, player: Player) -> None:
    """It is theirs to appeal who made the claim, sit in the game, or hold its tournament. Raises NotYourDispute."""
    if not (
        player.pk == dispute.opener_id
        or Seat.objects.filter(game=dispute.game_id, player=player).exists()
        or access.organizes(player, dispute.game)
    ):
        raise NotYourDispute
