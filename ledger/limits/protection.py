"""The protection of a player: limits and stops in force, and the checks before a stake, a deposit, or play.

Call the checks in the transaction that moves the money, after locking the rows that it is for (tournament, stream,
market, play session, stake) and before holds and accounts. They lock the player's row, so two stakes are checked one
after the other.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from types import MappingProxyType
from uuid import UUID

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.db import connection
from django.db.models import F, Max, Q, QuerySet

from core.commands import Condition
from core.sql import in_one_transaction, locking, stored
from eventstore.chain import format_at
from ledger.errors import LimitReached, PlayStopped
from ledger.limits import terms, usage
from ledger.limits.models import LimitChange, Period, PlayStop, ProtectedPlayer
from ledger.limits.terms import KINDS, LENGTHS, OF_DEPOSITS, OF_STAKES
from ledger.money import MOST_PENCE, money

Name = tuple[str, str]
"""Kind and period of a limit."""


@dataclass(frozen=True, slots=True)
class Limit:
    """A limit of a player with its usage, in pence; `amount` is None without a limit."""

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
    """All limits of a player, one of each kind and period, and the stop in force, if any."""

    player: UUID
    currency: str
    at: datetime
    limits: tuple[Limit, ...]
    stop: PlayStop | None


def protection(player: UUID, at: datetime, *, currency: str | None = None) -> Protection:
    """Return a player's protection at a time, by default in the installation's currency."""
    currency = currency or settings.RACECARD_CURRENCY
    newest = newest_changes(player=player, currency=currency, at=at)
    amounts = _amounts(newest, currency, at)
    starts = {(kind, period): at - terms.LENGTHS[period] for kind in KINDS for period in Period.values}
    used = usage.used(player=player, currency=currency, starts=starts, until=at)
    limits = (Limit(*name, amounts.get(name), used[name], _pending(newest.get(name), at)) for name in starts)
    return Protection(player, currency, at, tuple(limits), stopped(player=player, at=at))


def stopped(*, player: UUID, at: datetime, judging: bool = False) -> PlayStop | None:
    """Return the stop that lasts longest, or None if play is allowed.

    With `judging` a stop that was requested after the request also counts.
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
    """Return the newest change of each limit, of those requested until `at`."""
    asked = LimitChange.objects.filter(protected=player, currency=currency)
    if at is not None:
        asked = asked.filter(at__lte=at)
    newest = asked.values("kind", "period").annotate(newest=Max("pk")).values("newest")
    return {(row.kind, row.period): row for row in LimitChange.objects.filter(pk__in=newest)}


def limits_in_force(*, player: UUID, currency: str, at: datetime) -> dict[Name, int]:
    """Return the limits in force for a request of `at`, in pence by kind and period."""
    return _amounts(newest_changes(player=player, currency=currency), currency, at)


def base_limits(currency: str) -> Mapping[Name, int]:
    """Return the limits that every player begins with."""
    return default_limits() if currency == settings.RACECARD_CURRENCY else {}


def _amounts(newest: Mapping[Name, LimitChange], currency: str, at: datetime) -> dict[Name, int]:
    # A limit lowered after this request arrived also applies to it.
    asked = {name: row.terms.in_force(max(at, row.at)) for name, row in newest.items()}
    found = {**base_limits(currency), **asked}
    return {name: most for name, most in found.items() if most is not None}


def _pending(newest: LimitChange | None, at: datetime) -> LimitChange | None:
    return newest if newest is not None and newest.terms.pending(at) else None


def default_limits() -> Mapping[tuple[str, str], int]:
    """Return the default limits of the setting, in pence by kind and period, in the installation's currency.

    Raises ImproperlyConfigured.
    """
    return _read(settings.RACECARD_DEFAULT_LIMITS)


@lru_cache(maxsize=8)
def _read(text: str) -> Mapping[tuple[str, str], int]:
    found: dict[tuple[str, str], int] = {}
    for part in text.split():
        name, _, amount = part.partition("=")
        kind, _, period = name.partition("/")
        digits = amount.isascii() and amount.isdigit() and len(amount) <= len(str(MOST_PENCE))
        if kind not in KINDS or period not in LENGTHS or not digits or int(amount) > MOST_PENCE:
            raise ImproperlyConfigured(
                f"RACECARD_DEFAULT_LIMITS: {part} is no limit; one is written as deposit/day=50000 (pence)."
            )
        found[kind, period] = int(amount)
    return MappingProxyType(found)


# --- checks -----------------------------------------------------------------------------------------


def check_play_allowed(*, player: UUID, at: datetime) -> None:
    """Raise PlayStopped during a time-out or self-exclusion."""
    stop = stopped(player=player, at=at, judging=True)
    if stop is not None:
        raise _stopped(stop)


def play_allowed(*, player: UUID, at: datetime) -> Condition:
    """Return the check of `check_play_allowed` as a condition of the statement that acts."""
    until = connection.ops.adapt_datetimefield_value(at)
    return Condition(
        "NOT EXISTS (SELECT 1 FROM ledger_playstop WHERE player = %s AND (until IS NULL OR until > %s))",
        (stored(player), until),
    )


def check_stake_allowed(*, player: UUID, amount: int, currency: str, at: datetime) -> None:
    """Raise PlayStopped, or LimitReached if `amount` pence more would exceed a limit of stakes or of losses."""
    _check(player, amount, currency, at, OF_STAKES)


def check_deposit_allowed(*, player: UUID, amount: int, currency: str, at: datetime) -> None:
    """Raise PlayStopped, or LimitReached if `amount` pence more would exceed a limit of deposits."""
    _check(player, amount, currency, at, OF_DEPOSITS)


def precheck_stake(*, player: UUID, amount: int, currency: str, at: datetime) -> None:
    """Raise what `check_stake_allowed` would raise. Locks and writes nothing; the caller may have locked the row."""
    check_play_allowed(player=player, at=at)
    _judge(player, amount, currency, at, OF_STAKES)


def protect_by_default(player: UUID, *, at: datetime) -> None:
    """Create the player's row if the site has default limits."""
    if default_limits():
        ProtectedPlayer.objects.get_or_create(player=player, defaults={"since": at})


def lock_player(player: UUID, *, at: datetime) -> bool:
    """Lock the player's row until the transaction ends; return whether the player may have limits."""
    protect_by_default(player, at=at)
    # Raw SQL, because every stake runs it and few players are protected.
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT 1 FROM ledger_protectedplayer WHERE player = %s {locking()}",  # noqa: S608 (no user input)
            [stored(player)],
        )
        return cursor.fetchone() is not None


def _check(player: UUID, amount: int, currency: str, at: datetime, kinds: Collection[str]) -> None:
    with in_one_transaction():
        if not lock_player(player, at=at):
            return
        check_play_allowed(player=player, at=at)
        _judge(player, amount, currency, at, kinds)


def _judge(player: UUID, amount: int, currency: str, at: datetime, kinds: Collection[str]) -> None:
    limits = limits_in_force(player=player, currency=currency, at=at)
    asked = {name: most for name, most in limits.items() if name[0] in kinds}
    if not asked:
        return
    starts = {(kind, period): at - terms.LENGTHS[period] for kind, period in asked}
    used = usage.used(player=player, currency=currency, starts=starts)
    for name, most in asked.items():
        if used[name] + amount > most:
            raise _reached(player, amount, currency, at, name, most, used[name])


def _reached(
    player: UUID, amount: int, currency: str, at: datetime, name: tuple[str, str], most: int, used: int
) -> LimitReached:
    kind, period = name
    length = terms.LENGTHS[period]
    moved = usage.moves(player=player, currency=currency, kind=kind, start=at - length)
    free = terms.frees_up(moved, limit=most, amount=amount, at=at, length=length)
    return LimitReached(
        f"The {kind} limit of a {period} is {money(most, currency)}, "
        f"of which {money(used, currency)} are used.",
        limit=kind,
        period=period,
        currency=currency,
        amount=most,
        used=used,
        remaining=max(0, most - used),
        frees_at=None if free is None else format_at(free),
    )


def _stopped(stop: PlayStop) -> PlayStopped:
    until = None if stop.until is None else format_at(stop.until)
    return PlayStopped(
        "It is permanent." if until is None else f"It ends at {until}.", kind=stop.kind, until=until
    )
