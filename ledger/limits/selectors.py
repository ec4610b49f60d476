"""What is in force, pending and used of a player's protection. Nothing here changes anything."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.conf import settings
from django.db.models import F, Max, Q, QuerySet

from ledger.limits import defaults, terms, usage
from ledger.limits.models import LimitChange, LimitKind, Period, PlayStop

Name = tuple[str, str]
"""Kind and period of a limit."""


@dataclass(frozen=True, slots=True)
class Limit:
    """One of a player's limits with what is left of it, in pence; None where there is none."""

    kind: str
    period: str
    amount: int | None
    used: int
    pending: LimitChange | None

    @property
    def remaining(self) -> int | None:
        return None if self.amount is None else max(0, self.amount - self.used)


@dataclass(frozen=True, slots=True)
class Protection:
    """All of a player's limits, one of each kind and period; and what stops play now, None if nothing does."""

    player: UUID
    currency: str
    at: datetime
    limits: tuple[Limit, ...]
    stop: PlayStop | None


def protection(player: UUID, at: datetime, *, currency: str | None = None) -> Protection:
    """As it was at a time; of now, as it is. The currency is the installation's unless one is named."""
    currency = currency or settings.RACECARD_CURRENCY
    newest = newest_changes(player=player, currency=currency, at=at)
    amounts = _amounts(newest, currency, at)
    starts = {
        (kind, period): at - terms.LENGTHS[period] for kind in LimitKind.values for period in Period.values
    }
    used = usage.used(player=player, currency=currency, starts=starts, until=at)
    limits = (Limit(*name, amounts.get(name), used[name], _pending(newest.get(name), at)) for name in starts)
    return Protection(player, currency, at, tuple(limits), stopped(player=player, at=at))


def stopped(*, player: UUID, at: datetime, judging: bool = False) -> PlayStop | None:
    """The stop that holds the player longest; None: play is allowed.

    A request being judged obeys also the one that was asked for after it had come.
    """
    begun = Q() if judging else Q(at__lte=at)
    return (
        PlayStop.objects.filter(begun, Q(until=None) | Q(until__gt=at), protected=player)
        .order_by(F("until").desc(nulls_first=True), "pk")
        .first()
    )


def stops_of(player: UUID) -> QuerySet[PlayStop]:
    return PlayStop.objects.filter(protected=player)


def changes_of(player: UUID) -> QuerySet[LimitChange]:
    return LimitChange.objects.filter(protected=player)


def newest_changes(*, player: UUID, currency: str, at: datetime | None = None) -> dict[Name, LimitChange]:
    """The newest change of each limit, of those asked for until `at`."""
    asked = LimitChange.objects.filter(protected=player, currency=currency)
    if at is not None:
        asked = asked.filter(at__lte=at)
    newest = asked.values("kind", "period").annotate(newest=Max("pk")).values("newest")
    return {(row.kind, row.period): row for row in LimitChange.objects.filter(pk__in=newest)}


def limits_in_force(*, player: UUID, currency: str, at: datetime) -> dict[Name, int]:
    """Pence by kind and period, for a request of `at` that is being judged; what is not named has no limit."""
    return _amounts(newest_changes(player=player, currency=currency), currency, at)


def base_limits(currency: str) -> Mapping[Name, int]:
    """What everybody begins with."""
    return defaults.of_everybody() if currency == settings.RACECARD_CURRENCY else {}


def _amounts(newest: Mapping[Name, LimitChange], currency: str, at: datetime) -> dict[Name, int]:
    # A lowering that was asked for after the request had come is in force for it too.
    asked = {name: row.terms.in_force(max(at, row.at)) for name, row in newest.items()}
    found = {**base_limits(currency), **asked}
    return {name: most for name, most in found.items() if most is not None}


def _pending(newest: LimitChange | None, at: datetime) -> LimitChange | None:
    return newest if newest is not None and newest.terms.pending(at) else None
