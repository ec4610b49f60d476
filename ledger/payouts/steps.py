"""One step of a payout's history, which is what moves it."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from ledger import participants
from ledger.payouts import states
from ledger.payouts.errors import OwnPayout, PayoutMovedOn, UnknownPayout
from ledger.payouts.models import Freeze, Payout, PayoutKind, PayoutStep


def locked_payout(payout: UUID) -> Payout:
    """Locked until the transaction ends, alone. Raises UnknownPayout."""
    found = Payout.objects.select_for_update(of=("self",)).filter(pk=payout).first()
    if found is None:
        raise UnknownPayout()
    return found


def last_actor(payout: Payout) -> str:
    return payout.steps.get(number=payout.version).actor


def step(
    payout: Payout, becomes: str, *, actor: str, at: datetime, reason: str, freeze: Freeze | None = None
) -> None:
    """Move a locked payout. The row in its history is what moves it; see `ledger.payouts.schema`."""
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
    }


def check_step(payout: Payout, becomes: str, actor: str) -> None:
    """Staff decide neither about their own money nor about the prize of an event in which they take part.

    Raises PayoutMovedOn, OwnPayout, InterestedParty.
    """
    if not states.may_become(payout.state, becomes):
        raise moved_on(payout)
    if actor == payout.payee and (payout.state, becomes) not in states.BY_PAYEE:
        raise OwnPayout()
    if payout.kind == PayoutKind.PRIZE:
        participants.refuse(payout.subject, actor)


def moved_on(payout: Payout) -> PayoutMovedOn:
    return PayoutMovedOn(f"It is {payout.state}.", state=payout.state)
