"""What is asked before a player stakes, pays in or plays.

Call within the transaction that moves the money, after the rows that say what it is for (tournament, stream, market,
play session, stake) and before holds and accounts: the player's row is locked, so that two stakes at once are judged
one after the other.
"""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from django.db import connection

from eventstore.chain import format_at
from ledger.limits import defaults, terms, usage, windows
from ledger.limits.errors import LimitReached, PlayStopped
from ledger.limits.models import LimitKind, PlayStop, ProtectedPlayer
from ledger.limits.selectors import limits_in_force, stopped
from ledger.rows import locking, stored
from ledger.transactions import in_one_transaction


def check_play_allowed(*, player: UUID, at: datetime) -> None:
    """Raise PlayStopped during a time-out or self-exclusion."""
    stop = stopped(player=player, at=at, judging=True)
    if stop is not None:
        raise _stopped(stop)


def check_stake_allowed(*, player: UUID, amount: int, currency: str, at: datetime) -> None:
    """Raise PlayStopped, or LimitReached if `amount` pence more would exceed a limit of stakes or of losses."""
    _check(player, amount, currency, at, (LimitKind.STAKE, LimitKind.LOSS))


def check_deposit_allowed(*, player: UUID, amount: int, currency: str, at: datetime) -> None:
    """Raise PlayStopped, or LimitReached if `amount` pence more would exceed a limit of deposits."""
    _check(player, amount, currency, at, (LimitKind.DEPOSIT,))


def foresee_stake(*, player: UUID, amount: int, currency: str, at: datetime) -> None:
    """What `check_stake_allowed` would raise of a stake that nobody makes yet: nothing is locked, nothing written."""
    check_play_allowed(player=player, at=at)
    _judge(player, amount, currency, at, (LimitKind.STAKE, LimitKind.LOSS))


def lock_player(player: UUID, *, at: datetime) -> bool:
    """Lock the player's row, if there is one, until the transaction ends; whether there is anything to be asked."""
    if defaults.of_everybody():
        ProtectedPlayer.objects.get_or_create(player=player, defaults={"since": at})
    # Written out, since every stake comes here and few of the players are protected.
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT 1 FROM ledger_protectedplayer WHERE player = %s {locking()}",  # noqa: S608 (nothing of theirs)
            [stored(player)],
        )
        return cursor.fetchone() is not None


def _check(player: UUID, amount: int, currency: str, at: datetime, kinds: tuple[LimitKind, ...]) -> None:
    with in_one_transaction():
        if not lock_player(player, at=at):
            return
        check_play_allowed(player=player, at=at)
        _judge(player, amount, currency, at, kinds)


def _judge(player: UUID, amount: int, currency: str, at: datetime, kinds: tuple[LimitKind, ...]) -> None:
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
    free = windows.frees_up(moved, limit=most, amount=amount, at=at, length=length)
    return LimitReached(
        f"The {kind} limit of a {period} is {most} pence, of which {used} are used.",
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
        "It has no end." if until is None else f"It ends at {until}.", kind=stop.kind, until=until
    )
