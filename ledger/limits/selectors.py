"""What is in force, pending and used of a player's protection. Nothing here changes anything."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from django.conf import settings
from django.db.models import F, Max, Q

from ledger.limits import defaults
from ledger.limits.models import LimitChange, PlayStop


def stopped(*, player: UUID, at: datetime) -> PlayStop | None:
    """The stop that holds the player longest; None: play is allowed."""
    return (
        PlayStop.objects.filter(Q(until=None) | Q(until__gt=at), protected=player, at__lte=at)
        .order_by(F("until").desc(nulls_first=True), "pk")
        .first()
    )


def newest_changes(*, player: UUID, currency: str, at: datetime) -> dict[tuple[str, str], LimitChange]:
    """The newest change of each limit that was asked for until `at`, by kind and period."""
    newest = (
        LimitChange.objects.filter(protected=player, currency=currency, at__lte=at)
        .values("kind", "period")
        .annotate(newest=Max("pk"))
        .values("newest")
    )
    return {(row.kind, row.period): row for row in LimitChange.objects.filter(pk__in=newest)}


def limits_in_force(*, player: UUID, currency: str, at: datetime) -> dict[tuple[str, str], int]:
    """Pence by kind and period; what is not named has no limit."""
    base = defaults.of_everybody() if currency == settings.RACECARD_CURRENCY else {}
    asked = newest_changes(player=player, currency=currency, at=at)
    found = {**base, **{name: row.terms.in_force(at) for name, row in asked.items()}}
    return {name: most for name, most in found.items() if most is not None}
