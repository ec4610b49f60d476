"""Requests for payouts: withdrawals by players, and prizes that need approval. Steps change a payout's state."""

from __future__ import annotations

from base64 import b32encode
from datetime import datetime
from uuid import UUID, uuid5

from django.conf import settings
from django.db import transaction
from django.db.models.expressions import RawSQL

from core.errors import first_or_raise
from ledger.core.holds import hold
from ledger.core.keys import once
from ledger.core.models import player_owner
from ledger.core.participants import refuse_participant
from ledger.core.postings import EPOCH, account, check_amount, fingerprint, lock
from ledger.errors import BadDestination, InsufficientFunds, OwnPayout, PayoutUnexpectedState, UnknownPayout
from ledger.models import Account, Purpose
from ledger.money import money
from ledger.payouts import models as states
from ledger.payouts.models import DESTINATION_LENGTH, Freeze, Payout, PayoutKind, PayoutStep

_NAMES = UUID("3c2f3d0e-8d5b-5a57-9d7c-6c1f5f3d1c11")


def request_withdrawal(
    *, player: UUID, amount: int, currency: str, destination: str, key: str, at: datetime
) -> Payout:
    """Hold money of the player's cash until it is paid out or the request is rejected. The same key is one request.

    The player's debt (see `postings.reverse`) must remain covered. Limits and exclusions do not apply.

    Raises BadAmount, BadDestination, InsufficientFunds, KeyReused.
    """
    check_amount(amount)
    check_destination(destination)
    owner = player_owner(player)
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
    """Request approval for a prize that was posted to the player's `payable` account.

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
    """Return whether a prize of this amount needs approval (RACECARD_PRIZE_APPROVAL_ABOVE)."""
    above = settings.RACECARD_PRIZE_APPROVAL_ABOVE
    return above is not None and amount > above


def payable(player: UUID, currency: str) -> Account:
    """Return the account where a player's prizes wait."""
    return account(owner=player_owner(player), purpose=Purpose.PAYABLE, currency=currency)


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
    locked = lock([cash, debt])
    owed = max(0, -locked[debt.pk].total)
    if owed and locked[cash.pk].available - owed < amount:
        shown = money(owed, cash.currency)
        raise InsufficientFunds(f"{shown} cover a debt and cannot be withdrawn.", account=cash.text)


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

    def make() -> Payout:
        held = hold(
            key=f"payout:{reference}",
            account=account,
            amount=amount,
            subject=f"payout:{id}",
            expires_at=None,
            actor=requested_by,
            at=at,
        )
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

    return once(Payout, key, print_, make)


# --- steps ------------------------------------------------------------------------------------------


def locked_payout(payout: UUID) -> Payout:
    """Return the payout's row, locked until the transaction ends. Raises UnknownPayout."""
    return first_or_raise(Payout.objects.select_for_update(of=("self",)).filter(pk=payout), UnknownPayout)


def last_actor(payout: Payout) -> str:
    return payout.steps.get(number=payout.version).actor


def step(
    payout: Payout, becomes: str, *, actor: str, at: datetime, reason: str, freeze: Freeze | None = None
) -> None:
    """Move a locked payout by inserting a step; see `ledger.payouts.schema`."""
    check_step(payout, becomes, actor)
    PayoutStep.objects.create(**step_fields(payout, becomes, actor, at, reason), freeze=freeze)
    payout.refresh_from_db(fields=["state", "version", "batch"])


def step_fields(
    payout: Payout, becomes: str, actor: str, at: datetime, reason: str, previous: str | None = None
) -> dict[str, object]:
    return {
        "payout": payout,
        "number": payout.version + 1,
        "was": payout.state,
        "becomes": becomes,
        "payee": payout.payee,
        "amount": payout.amount,
        "currency": payout.currency,
        "two_persons": payout.two_persons,
        "maker": payout.requested_by,
        "previous": last_actor(payout) if previous is None else previous,
        "actor": actor,
        "at": at,
        "reason": reason,
        "batch_id": payout.batch_id,
        "epoch": RawSQL(EPOCH, ()),  # noqa: S611
    }


def check_step(payout: Payout, becomes: str, actor: str) -> None:
    """Check that a step is legal and that staff decide neither about their own money nor about a prize of their own
    event.

    Raises PayoutUnexpectedState, OwnPayout, InterestedParty.
    """
    if not states.may_become(payout.state, becomes):
        raise unexpected_state(payout)
    if actor == payout.payee and (payout.state, becomes) not in states.BY_PAYEE:
        raise OwnPayout()
    if payout.kind == PayoutKind.PRIZE:
        refuse_participant(payout.subject, actor)


def unexpected_state(payout: Payout) -> PayoutUnexpectedState:
    return PayoutUnexpectedState(f"The payout is {payout.state}.", state=payout.state)
