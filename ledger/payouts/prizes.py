"""Prizes that waited for approval, when a ruling takes them back: whatever has become of them meanwhile."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from ledger.holding import locked
from ledger.models import Account, OwnerKind, Purpose, Transfer
from ledger.payouts import states
from ledger.payouts.decisions import reject_payout
from ledger.payouts.models import Payout, PayoutKind
from ledger.posting import account, reverse


@dataclass(frozen=True, slots=True)
class Waited:
    """A prize that was not paid to cash at once, by whom it is for; `refusal` is what the house got by rejecting it."""

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
        """Between which taking it back moves money."""
        house = account(owner=OwnerKind.HOUSE, purpose=Purpose.PAYABLE, currency=self.payout.currency)
        return [self.payout.account, house]


def prizes_of(subject: str, players: Sequence[str]) -> list[Waited]:
    """The prizes of a subject that wait for these players (`player:{id}`), or waited and were paid or rejected.

    They and their holds are locked until the transaction ends, before any account is. One that a ruling has taken back
    already is none of them.
    """
    found = (
        Payout.objects.select_for_update(of=("self",))
        .filter(kind=PayoutKind.PRIZE, subject=subject, payee__in=players)
        .order_by("pk")
    )
    payouts = list(found.select_related("account"))
    for hold in sorted(payout.hold_id for payout in payouts if payout.is_open):
        locked(hold)
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
    """See that the prize lies on the player's `payable` account, where a reversal of it finds it.

    One that nobody has paid is rejected first, and what the house got by that goes back. One that was paid is left to
    the reversal, which takes it from the player's cash. Raises InsufficientFunds (the house has it no longer).
    """
    refusal = waited.refusal
    if waited.payout.is_open:
        rejected = reject_payout(payout=waited.payout.pk, actor=actor, reason=reason, at=at)
        refusal = Transfer.objects.get(key=_key(rejected))
    if refusal is not None:
        reverse(transfer=refusal.uuid, key=key, actor=actor, reason=reason, at=at, settles_escrow=True)


def _key(payout: Payout) -> str:
    """Under which its money was moved."""
    return f"payout:{payout.reference}"
