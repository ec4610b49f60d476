"""Commands of player protection: limits, time-outs, self-exclusion.

Each adds a row under a key. The same key with the same content returns the existing row.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import TypeVar
from uuid import UUID

from django.contrib.auth import get_user_model
from django.db import transaction

from ledger import hooks
from ledger.core.keys import once
from ledger.core.postings import fingerprint
from ledger.errors import BadProtection, NothingPending, UnknownPlayer
from ledger.limits import terms
from ledger.limits.models import LimitChange, Period, PlayStop, ProtectedPlayer, StopKind
from ledger.limits.protection import base_limits, newest_changes
from ledger.money import MOST_PENCE

Row = TypeVar("Row", LimitChange, PlayStop)


def set_limit(
    *,
    player: UUID,
    kind: str,
    period: str,
    amount: int | None,
    currency: str,
    key: str,
    actor: str,
    reason: str = "",
    at: datetime,
) -> LimitChange:
    """Request a limit in pence, or none. A lower limit is in force at once, a higher one or none after a day.

    It replaces a pending change of this limit. Raises BadProtection, UnknownPlayer, KeyReused.
    """
    if kind not in terms.KINDS or period not in Period.values:
        raise BadProtection(f"Limits are of {', '.join(terms.KINDS)} per {', '.join(Period.values)}.")
    if amount is not None and (type(amount) is not int or not 0 <= amount <= MOST_PENCE):
        raise BadProtection(f"A limit is a whole number of pence from 0 to {MOST_PENCE}, or none.")
    print_ = fingerprint("limit", str(player), currency, kind, period, amount, actor, reason)

    def make(protected: ProtectedPlayer) -> LimitChange:
        before = newest_changes(player=player, currency=currency).get((kind, period))
        # A request that was sent earlier but processed later counts as the later one.
        asked = at if before is None else max(at, before.at)
        was = base_limits(currency).get((kind, period)) if before is None else before.terms.in_force(asked)
        return LimitChange.objects.create(
            protected=protected,
            currency=currency,
            kind=kind,
            period=period,
            amount=amount,
            was=was,
            at=asked,
            effective_at=terms.takes_effect(amount=amount, was=was, at=asked),
            actor=actor,
            reason=reason,
            key=key,
            fingerprint=print_,
        )

    return _once(LimitChange, player, key, print_, make, at)


def withdraw_change(
    *, player: UUID, kind: str, period: str, currency: str, actor: str, reason: str = "", at: datetime
) -> LimitChange:
    """Withdraw a pending change, so that the limit in force stays.

    Raises NothingPending.
    """
    with transaction.atomic():
        ProtectedPlayer.objects.select_for_update(no_key=True).filter(player=player).first()
        pending = newest_changes(player=player, currency=currency).get((kind, period))
        if pending is None or not pending.terms.pending(at):
            raise NothingPending()
        return set_limit(
            player=player,
            kind=kind,
            period=period,
            amount=pending.was,
            currency=currency,
            key=f"limit:{pending.pk}:withdrawn",
            actor=actor,
            reason=reason,
            at=at,
        )


def take_time_out(
    *, player: UUID, hours: int, key: str, actor: str, reason: str = "", at: datetime
) -> PlayStop:
    """Stop play for 1 to 1,008 hours (six weeks) from now. Raises BadProtection, UnknownPlayer, KeyReused."""
    if (
        type(hours) is not int
        or not terms.SHORTEST_TIME_OUT <= timedelta(hours=hours) <= terms.LONGEST_TIME_OUT
    ):
        raise BadProtection("A time-out lasts 1 to 1008 hours.")
    return _stop(player, StopKind.TIME_OUT, at + timedelta(hours=hours), hours, key, actor, reason, at)


def exclude(
    *, player: UUID, months: int | None, key: str, actor: str, reason: str = "", at: datetime
) -> PlayStop:
    """Exclude a player from play for 6 to 60 months, or without end (None). An exclusion cannot be shortened or lifted.

    Raises BadProtection, UnknownPlayer, KeyReused.
    """
    if months is not None and (
        type(months) is not int or not terms.FEWEST_MONTHS <= months <= terms.MOST_MONTHS
    ):
        raise BadProtection("A self-exclusion lasts 6 to 60 months or is permanent.")
    until = None if months is None else terms.months_later(at, months)
    return _stop(player, StopKind.EXCLUSION, until, months, key, actor, reason, at)


# --- parts -------------------------------------------------------------------------------------------


def _stop(
    player: UUID,
    kind: StopKind,
    until: datetime | None,
    length: int | None,
    key: str,
    actor: str,
    reason: str,
    at: datetime,
) -> PlayStop:
    # With the length, not the end, so that a request repeated a second later has the same fingerprint.
    print_ = fingerprint("stop", str(player), kind, length, actor, reason)

    def make(protected: ProtectedPlayer) -> PlayStop:
        stop = PlayStop.objects.create(
            protected=protected,
            kind=kind,
            at=at,
            until=until,
            actor=actor,
            reason=reason,
            key=key,
            fingerprint=print_,
        )
        if kind is StopKind.EXCLUSION:
            hooks.player_excluded(player)
        return stop

    return _once(PlayStop, player, key, print_, make, at)


def _once(
    model: type[Row],
    player: UUID,
    key: str,
    print_: str,
    make: Callable[[ProtectedPlayer], Row],
    at: datetime,
) -> Row:
    """Return the row under the key, or create it by `make` with the player's row locked."""
    if not get_user_model().objects.filter(pk=player).exists():
        raise UnknownPlayer()
    with transaction.atomic():
        ProtectedPlayer.objects.get_or_create(player=player, defaults={"since": at})
        protected = ProtectedPlayer.objects.select_for_update(no_key=True).get(player=player)
        return once(model, key, print_, lambda: make(protected))
