"""Runners of a pool that come and go while betting is open, as the field of a tournament does before its start."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from django.db import transaction

from ledger.betting.markets import check_name, locked
from ledger.betting.models import Market, MarketKind, MarketStatus, Runner
from ledger.betting.terms import MOST_RUNNERS
from ledger.errors import BadMarket, MarketClosed, UnknownRunner


def add_runner(*, market: UUID | Market, name: str) -> Runner:
    """Let a pool that is open be bet on one runner more; one that it has already stays as it is.

    Raises UnknownMarket, MarketClosed, BadMarket.
    """
    check_name(name)
    with transaction.atomic():
        standing = _open_pool(market)
        runners = standing.runners.all()
        if known := runners.filter(name=name).first():
            return known
        number = runners.count()
        if number >= MOST_RUNNERS:
            raise BadMarket(f"A market has at most {MOST_RUNNERS} runners.")
        return Runner.objects.create(market=standing, number=number, name=name)


def withdraw_runner(*, market: UUID | Market, name: str, at: datetime) -> None:
    """Take no more bets on a runner of an open pool, ever. Those made are void: refunded without takeout.

    That is when the market is settled; until betting closes their players may take them back, whatever the terms say.

    Raises UnknownMarket, UnknownRunner, MarketClosed, BadMarket.
    """
    with transaction.atomic():
        standing = _open_pool(market)
        if not standing.runners.filter(name=name).exists():
            raise UnknownRunner(f"The market has no runner {name[:64]}.")
        standing.runners.filter(name=name, withdrawn_at=None).update(withdrawn_at=at)


def _open_pool(market: UUID | Market) -> Market:
    standing = locked(market)
    if standing.kind != MarketKind.POOL:
        # The others' prices would no longer be fair.
        raise BadMarket("At fixed odds the field is as it was opened.")
    if standing.status != MarketStatus.OPEN:
        raise MarketClosed()
    return standing
