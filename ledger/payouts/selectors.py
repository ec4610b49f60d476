"""Reading payouts, batches and freezes. Nothing here changes anything."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from django.db.models import Count, QuerySet, Sum

from ledger import selectors
from ledger.models import OwnerKind, Transfer
from ledger.payouts.errors import UnknownFreeze, UnknownPayout, UnknownPayoutBatch
from ledger.payouts.models import Freeze, Payout, PayoutBatch, PayoutKind
from ledger.selectors import Balance

SOURCES = 20


def payouts() -> QuerySet[Payout]:
    return Payout.objects.select_related("batch")


def payout(id: UUID) -> Payout:
    """Raises UnknownPayout."""
    found = payouts().filter(pk=id).first()
    if found is None:
        raise UnknownPayout()
    return found


def withdrawals_of(player: UUID) -> QuerySet[Payout]:
    """A player's own, for the player."""
    return Payout.objects.filter(payee=f"{OwnerKind.PLAYER}:{player}", kind=PayoutKind.WITHDRAWAL)


def withdrawal(*, player: UUID, id: UUID) -> Payout:
    """Raises UnknownPayout, for a stranger's too."""
    found = withdrawals_of(player).filter(pk=id).first()
    if found is None:
        raise UnknownPayout()
    return found


def batches() -> QuerySet[PayoutBatch]:
    """With `count` and `amount` of what is in each."""
    return PayoutBatch.objects.annotate(count=Count("payouts"), amount=Sum("payouts__amount", default=0))


def batch(id: UUID) -> PayoutBatch:
    """Raises UnknownPayoutBatch."""
    found = batches().filter(pk=id).first()
    if found is None:
        raise UnknownPayoutBatch()
    return found


def freezes() -> QuerySet[Freeze]:
    return Freeze.objects.prefetch_related("money__hold__account", "steps__payout")


def freeze(id: UUID) -> Freeze:
    """Raises UnknownFreeze."""
    found = freezes().filter(pk=id).first()
    if found is None:
        raise UnknownFreeze()
    return found


@dataclass(frozen=True, slots=True)
class Standing:
    """What somebody who decides about a payout should know: the payee's money, and where the newest of it came from."""

    balances: dict[str, Balance]
    sources: list[Transfer]


def standing(payout: Payout) -> Standing:
    received = (
        Transfer.objects.with_accounts()
        .filter(credit__kind=OwnerKind.PLAYER, credit__key=str(payout.player), currency=payout.currency)
        .exclude(debit__kind=OwnerKind.PLAYER, debit__key=str(payout.player))
        .order_by("-position")
    )
    return Standing(
        balances=selectors.wallet(player=payout.player, currency=payout.currency),
        sources=list(received[:SOURCES]),
    )
