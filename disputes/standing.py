"""What a disputed game counts as, by the rulings that stand on it."""

from __future__ import annotations

from uuid import UUID

from disputes import results, states
from disputes.models import Dispute, Ruling
from disputes.results import Result


def of(game_id: UUID, *, without: Dispute | None = None) -> Result:
    """By all rulings that stand on the game; those of one dispute left out if asked."""
    rulings = Ruling.objects.filter(dispute__game=game_id, state=states.STANDING)
    if without is not None:
        rulings = rulings.exclude(dispute=without)
    made = sorted(rulings, key=lambda one: (one.decided_at or one.ruled_at, str(one.pk)))
    return results.standing((one.remedy, one.effects["result"]["becomes"]) for one in made)
