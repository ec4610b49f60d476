"""Reads of payouts, batches, and freezes."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict
from uuid import UUID

from django.db.models import Count, OuterRef, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce

from core.errors import first_or_raise
from ledger.core.models import player_owner
from ledger.core.selectors import BalanceOutput, wallet
from ledger.errors import UnknownFreeze, UnknownPayout, UnknownPayoutBatch
from ledger.models import OwnerKind, Transfer
from ledger.payouts.models import Freeze, Payout, PayoutBatch, PayoutKind

if TYPE_CHECKING:
    from django_stubs_ext import WithAnnotations

SOURCES = 20


def payouts() -> QuerySet[Payout]:
    return Payout.objects.select_related("batch")


def payout(id: UUID) -> Payout:
    """Return a payout. Raises UnknownPayout."""
    return first_or_raise(payouts().filter(pk=id), UnknownPayout)


def withdrawals_of(player: UUID) -> QuerySet[Payout]:
    """Return a player's own withdrawals."""
    return Payout.objects.filter(payee=player_owner(player), kind=PayoutKind.WITHDRAWAL)


def withdrawal(*, player: UUID, id: UUID) -> Payout:
    """Return a player's own withdrawal. Raises UnknownPayout, also for another player's."""
    return first_or_raise(withdrawals_of(player).filter(pk=id), UnknownPayout)


class Counted(TypedDict):
    """The number of payouts of a batch, and their sum."""

    count: int
    amount: int


def batches() -> QuerySet[WithAnnotations[PayoutBatch, Counted]]:
    of_batch = Payout.objects.filter(batch=OuterRef("pk")).order_by().values("batch")
    return PayoutBatch.objects.annotate(
        count=Coalesce(Subquery(of_batch.values(found=Count("pk"))), 0),
        amount=Coalesce(Subquery(of_batch.values(found=Sum("amount"))), 0),
    )


def batch(id: UUID) -> WithAnnotations[PayoutBatch, Counted]:
    """Return a batch. Raises UnknownPayoutBatch."""
    return first_or_raise(batches().filter(pk=id), UnknownPayoutBatch)


def freezes() -> QuerySet[Freeze]:
    return Freeze.objects.prefetch_related("money__hold__account", "steps__payout")


def freeze(id: UUID) -> Freeze:
    """Return a freeze. Raises UnknownFreeze."""
    return first_or_raise(freezes().filter(pk=id), UnknownFreeze)


def balances(payout: Payout) -> dict[str, BalanceOutput]:
    """Return the payee's balances by purpose."""
    return wallet(player=payout.player, currency=payout.currency)


def sources(payout: Payout) -> list[Transfer]:
    """Return the newest transfers to the payee."""
    received = (
        Transfer.objects.with_accounts()
        .filter(credit__kind=OwnerKind.PLAYER, credit__key=str(payout.player), currency=payout.currency)
        .exclude(debit__kind=OwnerKind.PLAYER, debit__key=str(payout.player))
        .order_by("-position")
    )
    return list(received[:SOURCES])


def prizes_paid_to_payable(subject: str) -> set[str]:
    """Return the keys of the prizes of a subject that were paid to `payable` instead of cash."""
    return set(Payout.objects.filter(kind=PayoutKind.PRIZE, subject=subject).values_list("key", flat=True))
