"""What staff decide about a payout: approve, hold, release, reject, pay. Each is one more step of its history.

Nobody decides about money that they asked for or are to get. Every decision locks the payout first, then its hold, then
accounts.
"""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from django.db import transaction

from ledger import participants
from ledger.cashier import world
from ledger.holding import capture, locked, release
from ledger.models import Account, OwnerKind, Purpose, Transfer
from ledger.payouts import states
from ledger.payouts.errors import (
    NotReinstated,
    OwnPayout,
    PayoutAmountDiffers,
    PayoutFrozen,
    PayoutInBatch,
    SecondPersonNeeded,
    UnknownPayout,
)
from ledger.payouts.freezes import is_needed
from ledger.payouts.models import Payout, PayoutKind
from ledger.payouts.requests import request_prize
from ledger.payouts.steps import check_step, last_actor, locked_payout, moved_on, step
from ledger.posting import account, reverse

CANCELLED = "cancelled by the player"


def approve_payout(
    *, payout: UUID, actor: str, at: datetime, reason: str = "", amount: int | None = None
) -> Payout:
    """Let it be paid. A prize is paid to the player's cash at once; a withdrawal waits for the bank.

    Where two persons must approve, the first one's approval makes it `checked`, the other's `approved`. `amount`, if
    given, is what the approver saw. Raises UnknownPayout, PayoutMovedOn, OwnPayout, SecondPersonNeeded,
    PayoutAmountDiffers.
    """
    with transaction.atomic():
        found = locked_payout(payout)
        if amount is not None and amount != found.amount:
            raise PayoutAmountDiffers(amount=found.amount)
        check_approver(found, actor)
        step(found, approved_to(found), actor=actor, at=at, reason=reason)
        if found.kind == PayoutKind.PRIZE and found.state == states.APPROVED:
            _pay(found, actor, at, reason)
        return found


def approved_to(payout: Payout) -> str:
    """What the next approval makes of it. Who had a rejected prize paid after all is the first of the two persons."""
    first_of_two = payout.two_persons and payout.state == states.REQUESTED and payout.origin_id is None
    return states.CHECKED if first_of_two else states.APPROVED


def check_approver(payout: Payout, actor: str) -> None:
    """Raises OwnPayout, SecondPersonNeeded."""
    if actor in (payout.payee, payout.requested_by):
        raise OwnPayout()
    if payout.two_persons and approved_to(payout) == states.APPROVED and actor == last_actor(payout):
        raise SecondPersonNeeded()


def hold_payout(*, payout: UUID, actor: str, reason: str, at: datetime) -> Payout:
    """Stop it for now; it leaves its batch. Raises UnknownPayout, PayoutMovedOn, OwnPayout."""
    with transaction.atomic():
        found = locked_payout(payout)
        step(found, states.HELD, actor=actor, at=at, reason=reason)
        return found


def release_payout(*, payout: UUID, actor: str, reason: str, at: datetime) -> Payout:
    """Let what was held go on from the beginning: it is approved anew.

    Raises as `hold_payout`, and PayoutFrozen while a freeze has nothing else to hold.
    """
    with transaction.atomic():
        found = locked_payout(payout)
        if is_needed(found):
            raise PayoutFrozen()
        step(found, states.REQUESTED, actor=actor, at=at, reason=reason)
        return found


def reject_payout(*, payout: UUID, actor: str, reason: str, at: datetime) -> Payout:
    """End it unpaid: a withdrawal's money is free again, a prize goes to `house/payable`.

    Raises UnknownPayout, PayoutMovedOn, OwnPayout.
    """
    with transaction.atomic():
        found = locked_payout(payout)
        check_step(found, states.REJECTED, actor)
        if found.kind == PayoutKind.PRIZE:
            _capture(found, _forfeited(found.currency), f"{_text(found)} rejected", actor, at)
        else:
            release(hold=locked(found.hold_id), actor=actor, at=at)
        step(found, states.REJECTED, actor=actor, at=at, reason=reason)
        return found


def cancel_withdrawal(*, payout: UUID, player: UUID, at: datetime) -> Payout:
    """The player takes a request back that nobody has decided about; it is rejected by the one who asked.

    Raises UnknownPayout, PayoutMovedOn.
    """
    owner = f"{OwnerKind.PLAYER}:{player}"
    with transaction.atomic():
        found = locked_payout(payout)
        if found.payee != owner or found.kind != PayoutKind.WITHDRAWAL:
            raise UnknownPayout()
        if not states.is_cancellable(found.state):
            raise moved_on(found)
        return reject_payout(payout=payout, actor=owner, reason=CANCELLED, at=at)


def pay_payout(*, payout: UUID, actor: str, at: datetime, reason: str = "") -> Payout:
    """The money has left: capture what was held, in one posting. Raises as `hold_payout`, and PayoutInBatch."""
    with transaction.atomic():
        found = locked_payout(payout)
        if found.batch_id is not None and found.is_open:
            raise PayoutInBatch(batch=str(found.batch_id))
        _pay(found, actor, at, reason)
        return found


def reinstate_prize(*, payout: UUID, actor: str, reason: str, at: datetime) -> Payout:
    """Take the rejection of a prize back: its money returns from `house/payable` and waits for approval anew.

    Answers the payout that follows; another person than `actor` approves it. Raises UnknownPayout, NotReinstated,
    OwnPayout, InterestedParty.
    """
    with transaction.atomic():
        found = locked_payout(payout)
        if found.kind != PayoutKind.PRIZE or found.state != states.REJECTED:
            raise NotReinstated()
        if Payout.objects.filter(origin=found).exists():
            raise NotReinstated("It has been granted after all before.")
        if actor == found.payee:
            raise OwnPayout()
        participants.refuse(found.subject, actor)
        key = f"payout:{found.reference}:again"
        posted = Transfer.objects.get(key=_key(found))
        if Transfer.objects.filter(reverses=posted).exists():
            raise NotReinstated("It was taken back by a ruling.")
        reverse(transfer=posted.uuid, key=key, actor=actor, reason=reason, at=at, settles_escrow=True)
        return request_prize(
            player=found.player,
            amount=found.amount,
            currency=found.currency,
            subject=found.subject,
            key=key,
            requested_by=actor,
            at=at,
            origin=found,
        )


# --- where the money goes -----------------------------------------------------------------------------


def _pay(payout: Payout, actor: str, at: datetime, reason: str) -> None:
    check_step(payout, states.PAID, actor)
    _capture(payout, goes_to(payout), _text(payout), actor, at)
    step(payout, states.PAID, actor=actor, at=at, reason=reason)


def goes_to(payout: Payout) -> Account:
    if payout.kind == PayoutKind.PRIZE:
        return account(owner=payout.payee, purpose=Purpose.CASH, currency=payout.currency)
    return world(payout.currency)


def _forfeited(currency: str) -> Account:
    return account(owner=OwnerKind.HOUSE, purpose=Purpose.PAYABLE, currency=currency)


def _text(payout: Payout) -> str:
    """The reason of its transfer, by which the database knows it again."""
    return f"{payout.kind} {payout.reference}"


def _capture(payout: Payout, credit: Account, reason: str, actor: str, at: datetime) -> None:
    capture(
        hold=payout.hold_id,
        credit=credit,
        key=_key(payout),
        reason=reason,
        actor=actor,
        at=at,
    )


def _key(payout: Payout) -> str:
    """Under which its money is moved, once."""
    return f"payout:{payout.reference}"
