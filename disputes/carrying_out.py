"""Carrying out a ruling: from the result that stands to the one that the ruling makes."""

from __future__ import annotations

from datetime import datetime

from disputes import results, states
from disputes.effects import Done, Effects
from disputes.models import Dispute, Ruling
from disputes.results import Result


def carry_out(ruling: Ruling, *, now: datetime) -> Done:
    """In the caller's transaction, with the dispute locked."""
    was = standing(ruling.dispute)
    return Done(Effects(was.document(), was.document()))


def standing(dispute: Dispute, *, without: Dispute | None = None) -> Result:
    """What the disputed game counts as by the rulings that stand, those of one dispute left out if asked."""
    rulings = Ruling.objects.filter(dispute__game=dispute.game_id, state=states.STANDING)
    if without is not None:
        rulings = rulings.exclude(dispute=without)
    made = rulings.order_by("decided_at", "ruled_at", "pk")
    ordered = sorted(made, key=lambda one: (one.decided_at or one.ruled_at, str(one.pk)))
    return results.standing((one.remedy, one.effects["result"]["becomes"]) for one in ordered)
