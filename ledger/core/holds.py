"""Holds: amounts that stay on their account but are not available."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID, uuid4

from django.db import IntegrityError, connection, transaction

from core.errors import KeyReused
from core.sql import Statement, in_one_transaction, stored
from jobs.services import cancel, schedule
from ledger.core.postings import Leg, Posting, check_amount, fingerprint, insert, lock
from ledger.errors import HoldResolved, InsufficientFunds
from ledger.models import Account, Hold, HoldState
from ledger.money import money

EXPIRE = "ledger.expire_holds"


def hold(
    *,
    key: str,
    account: Account,
    amount: int,
    subject: str,
    expires_at: datetime | None,
    actor: str,
    at: datetime,
) -> Hold:
    """Hold an amount of an account until it is captured, released, or expires. The same key returns the same hold.

    Raises BadAmount, InsufficientFunds, KeyReused.
    """
    made = new_hold(
        key=key, account=account, amount=amount, subject=subject, expires_at=expires_at, actor=actor, at=at
    )
    try:
        with transaction.atomic():
            made.save(force_insert=True)
            if expires_at is not None:
                schedule(kind=EXPIRE, key=_job(made.pk), payload={"hold": str(made.pk)}, due=expires_at)
            return made
    except IntegrityError as error:
        if "account_balance_floor" in str(error):
            raise InsufficientFunds(account=account.text) from error
        known = Hold.objects.filter(key=key).first()
        if known is None:
            raise
        if known.fingerprint != made.fingerprint:
            raise KeyReused() from error
        return known


def new_hold(
    *,
    key: str,
    account: Account,
    amount: int,
    subject: str,
    expires_at: datetime | None,
    actor: str,
    at: datetime,
) -> Hold:
    """Return a hold that is not stored yet. Raises BadAmount."""
    check_amount(amount)
    return Hold(
        key=key,
        fingerprint=fingerprint("hold", account.pk, amount, subject, actor),
        account=account,
        amount=amount,
        subject=subject,
        actor=actor,
        at=at,
        expires_at=expires_at,
    )


def capture(
    *,
    hold: UUID,
    credit: Account,
    key: str,
    reason: str,
    actor: str,
    at: datetime,
    amount: int | None = None,
) -> Posting:
    """Pay a held amount or a part of it. The rest becomes available again.

    Raises HoldResolved, BadAmount, KeyReused.
    """
    with transaction.atomic():
        held = locked(hold)
        paid = held.amount if amount is None else amount
        check_amount(paid)
        if paid > held.amount:
            raise InsufficientFunds(f"Only {money(held.amount, held.account.currency)} are held.")
        print_ = fingerprint("capture", str(hold), credit.pk, paid, reason, actor)
        legs = [Leg(held.account, credit, paid, reason)]
        posting = uuid4()
        if held.state == HoldState.HELD:
            lock([held.account, credit])
            _resolve(held, HoldState.CAPTURED, actor, at, posting)
        elif held.state != HoldState.CAPTURED:
            raise HoldResolved()
        posted = insert(
            key=key,
            fingerprint=print_,
            legs=legs,
            subject=held.subject,
            event=None,
            actor=actor,
            at=at,
            posting=posting,
        )
        if posted.id != held.posting:
            raise HoldResolved()
        return posted


def locked(hold: UUID) -> Hold:
    """Return the hold, locked until the transaction ends. Its account is not locked."""
    return Hold.objects.select_for_update(of=("self",)).select_related("account").get(pk=hold)


def release(*, hold: UUID | Hold, actor: str, at: datetime) -> Hold:
    """Make a held amount available again. Idempotent. Raises HoldResolved if it was captured.

    `hold` is a locked hold (see `locked`) or the id of one.
    """
    with in_one_transaction():
        held = hold if isinstance(hold, Hold) else locked(hold)
        if held.state == HoldState.HELD:
            _resolve(held, HoldState.RELEASED, actor, at)
        elif held.state == HoldState.CAPTURED:
            raise HoldResolved()
        return held


def releasing(held: Hold, *, actor: str, at: datetime) -> Statement:
    """Return the statement that releases a locked hold without an end."""
    moment = connection.ops.adapt_datetimefield_value(at)
    return Statement(_RELEASE, [moment, actor, stored(held.pk)])


_RELEASE = (
    f"UPDATE ledger_hold SET state = '{HoldState.RELEASED}', resolved_at = %s, resolved_by = %s{{after}} "  # noqa: S608
    "WHERE ledger_hold.id = %s"
)


def expire(*, hold: UUID, now: datetime) -> None:
    """Release a hold that has expired. A resolved hold, or one without an end, is unchanged."""
    with transaction.atomic():
        held = Hold.objects.select_for_update().filter(pk=hold, state=HoldState.HELD).first()
        if held is not None and held.expires_at is not None and held.expires_at <= now:
            _resolve(held, HoldState.EXPIRED, "system:expiry", now)


def _resolve(held: Hold, state: HoldState, actor: str, at: datetime, posting: UUID | None = None) -> None:
    held.state = state
    held.resolved_at = at
    held.resolved_by = actor
    held.posting = posting
    held.save(update_fields=["state", "resolved_at", "resolved_by", "posting"])
    if held.expires_at is not None and state != HoldState.EXPIRED:
        cancel(key=_job(held.pk))


def _job(hold: UUID) -> str:
    return f"hold:{hold}"
