"""Decisions of staff about payouts: approve, hold, release, reject, pay. Each is a step of the payout's history.

Staff cannot decide about money that they requested or receive. Every decision locks the payout first, then its hold,
then accounts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db import transaction

from ledger.core.holds import capture, locked, release
from ledger.core.models import player_owner
from ledger.core.participants import refuse_participant
from ledger.core.postings import account, reverse
from ledger.deposits import world
from ledger.errors import (
    NotReinstated,
    OwnPayout,
    PayoutAmountDiffers,
    PayoutFrozen,
    PayoutInBatch,
    SecondApproverRequired,
    UnknownPayout,
)
from ledger.models import Account, OwnerKind, Purpose, Transfer
from ledger.payouts import models as states
from ledger.payouts.freezes import is_needed
from ledger.payouts.models import Payout, PayoutKind
from ledger.payouts.requests import (
    check_step,
    last_actor,
    locked_payout,
    request_prize,
    step,
    unexpected_state,
)

CANCELLED = "cancelled by the player"


def approve_payout(
    *, payout: UUID, actor: str, at: datetime, reason: str = "", amount: int | None = None
) -> Payout:
    """Approve a payout. A prize is paid to the player's cash at once; a withdrawal waits for the bank.

    If two persons must approve, the first approval makes it `checked`, the second `approved`. `amount`, if given, is
    the amount that the approver saw. Raises UnknownPayout, PayoutUnexpectedState, OwnPayout, SecondApproverRequired,
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
    """Return the state after the next approval. The person who reinstated a rejected prize is the first of two
    approvers.
    """
    first_of_two = payout.two_persons and payout.state == states.REQUESTED and payout.origin_id is None
    return states.CHECKED if first_of_two else states.APPROVED


def check_approver(payout: Payout, actor: str) -> None:
    """Check that this actor may approve. Raises OwnPayout, SecondApproverRequired."""
    if actor in (payout.payee, payout.requested_by):
        raise OwnPayout()
    if payout.two_persons and approved_to(payout) == states.APPROVED and actor == last_actor(payout):
        raise SecondApproverRequired()


def hold_payout(*, payout: UUID, actor: str, reason: str, at: datetime) -> Payout:
    """Put a payout on hold, which removes it from its batch. Raises UnknownPayout, PayoutUnexpectedState, OwnPayout."""
    with transaction.atomic():
        found = locked_payout(payout)
        step(found, states.HELD, actor=actor, at=at, reason=reason)
        return found


def release_payout(*, payout: UUID, actor: str, reason: str, at: datetime) -> Payout:
    """Release a payout from hold. It is requested again and needs a new approval.

    Raises as `hold_payout`, and PayoutFrozen while a freeze needs its money.
    """
    with transaction.atomic():
        found = locked_payout(payout)
        if is_needed(found):
            raise PayoutFrozen()
        step(found, states.REQUESTED, actor=actor, at=at, reason=reason)
        return found


def reject_payout(*, payout: UUID, actor: str, reason: str, at: datetime) -> Payout:
    """Reject a payout: a withdrawal's money becomes available, a prize goes to `house/payable`.

    Raises UnknownPayout, PayoutUnexpectedState, OwnPayout.
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
    """Cancel a player's own withdrawal before any decision; it counts as rejected by the player.

    Raises UnknownPayout, PayoutUnexpectedState.
    """
    owner = player_owner(player)
    with transaction.atomic():
        found = locked_payout(payout)
        if found.payee != owner or found.kind != PayoutKind.WITHDRAWAL:
            raise UnknownPayout()
        if not states.is_cancellable(found.state):
            raise unexpected_state(found)
        return reject_payout(payout=payout, actor=owner, reason=CANCELLED, at=at)


def pay_payout(*, payout: UUID, actor: str, at: datetime, reason: str = "") -> Payout:
    """Record that the money has left: capture the hold in one posting. Raises as `hold_payout`, and PayoutInBatch."""
    with transaction.atomic():
        found = locked_payout(payout)
        if found.batch_id is not None and found.is_open:
            raise PayoutInBatch(batch=str(found.batch_id))
        _pay(found, actor, at, reason)
        return found


def check_reinstatable(payout: Payout, actor: str) -> None:
    """Raises NotReinstated, OwnPayout."""
    if payout.kind != PayoutKind.PRIZE or payout.state != states.REJECTED:
        raise NotReinstated()
    if Payout.objects.filter(origin=payout).exists():
        raise NotReinstated("It is already reinstated.")
    if actor == payout.payee:
        raise OwnPayout()


def reinstate_prize(*, payout: UUID, actor: str, reason: str, at: datetime) -> Payout:
    """Reinstate a rejected prize: its money returns from `house/payable` and waits for approval again.

    Returns the new payout, which another person than `actor` must approve. Raises UnknownPayout, NotReinstated,
    OwnPayout, InterestedParty.
    """
    with transaction.atomic():
        found = locked_payout(payout)
        check_reinstatable(found, actor)
        refuse_participant(found.subject, actor)
        key = f"payout:{found.reference}:again"
        posted = Transfer.objects.get(key=_key(found))
        if Transfer.objects.filter(reverses=posted).exists():
            raise NotReinstated("A ruling has reversed it.")
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


# --- payment ------------------------------------------------------------------------------------------


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
    """Return the reason of the payout's transfer, which the database checks."""
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
    """Return the key under which the payout's money moves, once."""
    return f"payout:{payout.reference}"


# --- prizes reversed by a ruling -----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Waited:
    """A prize that was not paid to cash at once. `refusal` is the transfer to the site if it was rejected."""

    payout: Payout
    refusal: Transfer | None

    @property
    def player(self) -> str:
        return self.payout.payee

    @property
    def is_paid(self) -> bool:
        return bool(self.payout.state == states.PAID)

    @property
    def accounts(self) -> list[Account]:
        """The accounts between which taking it back moves money."""
        house = account(owner=OwnerKind.HOUSE, purpose=Purpose.PAYABLE, currency=self.payout.currency)
        return [self.payout.account, house]


def prizes_of(subject: str, players: Sequence[str]) -> list[Waited]:
    """Return the prizes of a subject that wait for these players (`player:{id}`), or that waited and were decided.

    They and their holds are locked until the transaction ends, before any account. A prize that a ruling has taken back
    is excluded.
    """
    found = (
        Payout.objects.select_for_update(of=("self",))
        .filter(kind=PayoutKind.PRIZE, subject=subject, payee__in=players)
        .order_by("pk")
    )
    payouts = list(found.select_related("account"))
    for hold_id in sorted(payout.hold_id for payout in payouts if payout.is_open):
        locked(hold_id)
    refusals = {
        transfer.key: transfer
        for transfer in Transfer.objects.filter(
            key__in=[_key(payout) for payout in payouts if payout.state == states.REJECTED], reversed_by=None
        )
    }
    return [
        Waited(payout, refusals.get(_key(payout)))
        for payout in payouts
        if payout.state != states.REJECTED or _key(payout) in refusals
    ]


def take_back_prize(*, waited: Waited, actor: str, reason: str, key: str, at: datetime) -> None:
    """Return a prize's money to the player's `payable` account, where its reversal takes it.

    An unpaid prize is rejected first, and the transfer of that rejection is reversed. A paid prize is left to the
    reversal, which takes it from the player's cash. Raises InsufficientFunds (the site no longer has it).
    """
    refusal = waited.refusal
    if waited.payout.is_open:
        rejected = reject_payout(payout=waited.payout.pk, actor=actor, reason=reason, at=at)
        refusal = Transfer.objects.get(key=_key(rejected))
    if refusal is not None:
        reverse(transfer=refusal.uuid, key=key, actor=actor, reason=reason, at=at, settles_escrow=True)
