"""Play money that an installation gives its players: at sign-up, and again when little is left."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from uuid import UUID

from django.conf import settings
from django.db import transaction

from ledger.core.models import Purpose, Transfer, player_owner
from ledger.core.postings import Posting, account, lock
from ledger.core.selectors import BalanceOutput, wallet
from ledger.deposits import deposit
from ledger.errors import TopUpRefused

ACTOR = "system:play-money"
FLOOR = 10
"""A player who has less than this part of the credit (one in ten) may have it topped up."""


def credit_new_player(*, player: UUID, at: datetime) -> None:
    """Deposit the credit of a new player, where the installation gives one."""
    if settings.RACECARD_PLAY_CREDIT:
        _deposit(player, settings.RACECARD_PLAY_CREDIT, f"welcome:{player}", "credit of a new player", at)


def offered_top_up(*, player: UUID, currency: str, own: Mapping[str, BalanceOutput], at: datetime) -> int:
    """Return the pence that `top_up` adds now to `own`, the wallet in this currency, or 0 if it is refused.

    A player with less than a tenth of the credit has it topped up once a day (UTC). Money at stake does not count.
    """
    credit: int = settings.RACECARD_PLAY_CREDIT
    if not credit or currency != settings.RACECARD_CURRENCY:
        return 0
    left = own[Purpose.CASH]["total"] + own[Purpose.SESSION]["total"]
    if left * FLOOR >= credit or Transfer.objects.filter(key=_key(player, at)).exists():
        return 0
    return credit - left


def top_up(*, player: UUID, at: datetime) -> Posting:
    """Deposit what is missing to the credit of a new player. Raises TopUpRefused, PlayStopped, LimitReached."""
    with transaction.atomic():
        # Two requests at once: the second one counts what the first one has deposited.
        currency: str = settings.RACECARD_CURRENCY
        lock([account(owner=player_owner(player), purpose=Purpose.CASH, currency=currency)])
        own = wallet(player=player, currency=currency)
        amount = offered_top_up(player=player, currency=currency, own=own, at=at)
        if not amount:
            raise TopUpRefused()
        return _deposit(player, amount, _key(player, at), "top-up", at)


def _key(player: UUID, at: datetime) -> str:
    return f"top-up:{player}:{at.date()}"


def _deposit(player: UUID, amount: int, key: str, reason: str, at: datetime) -> Posting:
    return deposit(
        player=player,
        amount=amount,
        currency=settings.RACECARD_CURRENCY,
        key=key,
        actor=ACTOR,
        reason=reason,
        at=at,
    )
