"""Reading pots and buy-ins. Nothing here changes anything."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.db.models import QuerySet

from ledger.buyins.models import BuyIn, Pot
from ledger.errors import UnknownPot
from ledger.models import Transfer
from ledger.selectors import RULING, as_bundled


def pots() -> QuerySet[Pot]:
    return Pot.objects.select_related("stake_table").prefetch_related("buy_ins", "divisions")


def pot(id: UUID) -> Pot:
    """Raises UnknownPot."""
    found = pots().filter(pk=id).first()
    if found is None:
        raise UnknownPot()
    return found


def buy_ins_of(player: UUID) -> QuerySet[BuyIn]:
    """A player's own buy-ins."""
    return BuyIn.objects.filter(player=player).select_related("pot")


def transfers_of_ruling(pot: Pot, number: int) -> list[dict[str, Any]]:
    """What the division of that number, made by a ruling, took back and paid, as bundles show transfers."""
    key = f"{pot.subject}{RULING}{number}:"
    rows = Transfer.objects.with_accounts().filter(subject=pot.subject, key__startswith=key)
    return [as_bundled(row) for row in rows.order_by("epoch", "xact", "position")]
