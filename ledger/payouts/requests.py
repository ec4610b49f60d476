"""How a payout begins: a player asks for money, or a prize is too large to be paid without somebody looking."""

from __future__ import annotations

from base64 import b32encode
from datetime import datetime
from uuid import UUID, uuid5

from django.conf import settings
from django.db import IntegrityError, transaction

from ledger.errors import InsufficientFunds, KeyReused
from ledger.holding import hold
from ledger.models import Account, OwnerKind, Purpose
from ledger.payouts.errors import BadDestination
from ledger.payouts.models import DESTINATION_LENGTH, Payout, PayoutKind
from ledger.posting import account, check_amount, fingerprint, lock

_NAMES = UUID("3c2f3d0e-8d5b-5a57-9d7c-6c1f5f3d1c11")


def request_withdrawal(
    *, player: UUID, amount: int, currency: str, destination: str, key: str, at: datetime
) -> Payout:
    """Hold money of the player's cash until it is paid out or the request rejected; the same key is one request.

    What the player owes (see `ledger.reverse`) must stay behind. Limits and exclusions do not stand in the way.

    Raises BadAmount, BadDestination, InsufficientFunds, KeyReused.
    """
    check_amount(amount)
    check_destination(destination)
    owner = f"{OwnerKind.PLAYER}:{player}"
    cash = account(owner=owner, purpose=Purpose.CASH, currency=currency)
    with transaction.atomic():
        known = Payout.objects.filter(key=key).first()
        if known is None:
            _check_debt(cash, amount)
        return _begin(
            key=key,
            kind=PayoutKind.WITHDRAWAL,
            account=cash,
            amount=amount,
            destination=destination,
            subject="",
            requested_by=owner,
            at=at,
        )


def request_prize(
    *,
    player: UUID,
    amount: int,
    currency: str,
    subject: str,
    key: str,
    requested_by: str,
    at: datetime,
    origin: Payout | None = None,
) -> Payout:
    """Let a prize that has been posted to the player's `payable` account wait there for approval.

    Raises BadAmount, InsufficientFunds, KeyReused.
    """
    check_amount(amount)
    return _begin(
        key=key,
        kind=PayoutKind.PRIZE,
        account=payable(player, currency),
        amount=amount,
        destination="",
        subject=subject,
        requested_by=requested_by,
        at=at,
        origin=origin,
    )


def prize_needs_approval(amount: int) -> bool:
    """Whether a prize of so many pence waits for somebody's approval (RACECARD_PRIZE_APPROVAL_ABOVE)."""
    above = settings.RACECARD_PRIZE_APPROVAL_ABOVE
    return above is not None and amount > above


def payable(player: UUID, currency: str) -> Account:
    """Where a player's prizes wait."""
    return account(owner=f"{OwnerKind.PLAYER}:{player}", purpose=Purpose.PAYABLE, currency=currency)


def check_destination(destination: str) -> None:
    if (
        not 1 <= len(destination.strip()) <= len(destination) <= DESTINATION_LENGTH
        or not destination.isprintable()
    ):
        raise BadDestination()


def _check_debt(cash: Account, amount: int) -> None:
    debt = Account.objects.filter(
        kind=cash.kind, key=cash.key, purpose=Purpose.RECEIVABLE, currency=cash.currency
    ).first()
    if debt is None:
        return
    standing = lock([cash, debt])
    owed = max(0, -standing[debt.pk].total)
    if owed and standing[cash.pk].available - owed < amount:
        raise InsufficientFunds(f"{owed} pence are owed and stay behind.", account=cash.text)


def _begin(
    *,
    key: str,
    kind: PayoutKind,
    account: Account,
    amount: int,
    destination: str,
    subject: str,
    requested_by: str,
    at: datetime,
    origin: Payout | None = None,
) -> Payout:
    print_ = fingerprint(kind, account.pk, amount, destination, subject, requested_by)
    id = uuid5(_NAMES, key)
    reference = "RC" + b32encode(id.bytes[:8]).decode()[:12]
    with transaction.atomic():
        known = Payout.objects.filter(key=key).first()
        if known is None:
            held = hold(
                key=f"payout:{reference}",
                account=account,
                amount=amount,
                subject=f"payout:{id}",
                expires_at=None,
                actor=requested_by,
                at=at,
            )
            try:
                with transaction.atomic():
                    return Payout.objects.create(
                        id=id,
                        key=key,
                        fingerprint=print_,
                        reference=reference,
                        kind=kind,
                        payee=account.owner,
                        account=account,
                        currency=account.currency,
                        amount=amount,
                        destination=destination,
                        subject=subject,
                        hold=held,
                        two_persons=amount > settings.RACECARD_PAYOUT_SECOND_PERSON,
                        origin=origin,
                        requested_by=requested_by,
                        requested_at=at,
                    )
            except IntegrityError:
                # Asked for at the same moment; whoever came first has been waited for.
                known = Payout.objects.filter(key=key).first()
                if known is None:
                    raise
        if known.fingerprint != print_:
            raise KeyReused()
        return known
