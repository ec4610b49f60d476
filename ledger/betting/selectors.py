"""Reading markets and bets. Nothing here changes anything."""

from __future__ import annotations

from uuid import UUID

from django.db.models import QuerySet

from ledger.betting.models import Bet, Market
from ledger.errors import UnknownBet, UnknownCurrency, UnknownMarket


def markets() -> QuerySet[Market]:
    return Market.objects.select_related("stake_table").prefetch_related("runners")


def market(id: UUID) -> Market:
    """Raises UnknownMarket."""
    found = markets().filter(pk=id).first()
    if found is None:
        raise UnknownMarket()
    return found


def check_currency(id: UUID, currency: str | None) -> None:
    """Raises UnknownCurrency if a stake is meant in another than the market's, UnknownMarket."""
    if currency is not None and currency != (own := market(id).currency):
        raise UnknownCurrency(f"Stakes in this market are {own}.")


def bets_of(player: UUID) -> QuerySet[Bet]:
    """A player's own bets."""
    return Bet.objects.filter(player=player).select_related("market", "runner")


def bet(*, player: UUID, id: UUID) -> Bet:
    """A bet for its own player. Raises UnknownBet, for a stranger's too."""
    found = bets_of(player).filter(pk=id).first()
    if found is None:
        raise UnknownBet()
    return found
