"""Deposits of players and the funding of banks: money from and to the outside, moved by administrators."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from django.contrib.auth import get_user_model
from django.db import transaction

from ledger.core.models import player_owner
from ledger.core.postings import (
    Leg,
    Posting,
    account,
    check_amount,
    fingerprint,
    insert,
    known_posting,
    lock,
    post,
)
from ledger.errors import LimitReached, PlayStopped, UnknownPlayer
from ledger.limits.protection import check_deposit_allowed
from ledger.models import Account, OwnerKind, Purpose, StakeTable


def world(currency: str) -> Account:
    return account(owner=OwnerKind.HOUSE, purpose=Purpose.EXTERNAL, currency=currency)


def deposit(
    *, player: UUID, amount: int, currency: str, key: str, actor: str, reason: str, at: datetime
) -> Posting:
    """Credit a player's deposit. A debt (see `reverse`) is repaid from it first.

    Raises UnknownPlayer, BadAmount, PlayStopped, LimitReached, KeyReused.
    """
    check_amount(amount)
    if not get_user_model().objects.filter(pk=player, owner=None).exists():  # a player's bot has no money
        raise UnknownPlayer()
    owner = player_owner(player)
    cash = account(owner=owner, purpose=Purpose.CASH, currency=currency)
    outside = world(currency)
    print_ = fingerprint("deposit", cash.pk, amount, actor, reason)
    with transaction.atomic():
        try:
            check_deposit_allowed(player=player, amount=amount, currency=currency, at=at)
        except (LimitReached, PlayStopped):
            # A repeated request returns the existing deposit, although it counts for the limit.
            if known := known_posting(key, print_):
                return known
            raise
        legs = [Leg(outside, cash, amount, reason)]
        debt = Account.objects.filter(
            kind=OwnerKind.PLAYER, key=str(player), purpose=Purpose.RECEIVABLE, currency=currency
        ).first()
        # Lock even without a debt: a concurrent deposit waits here, before it has used its key.
        locked = lock([cash] if debt is None else [cash, debt])
        if debt is not None:
            owed = -locked[debt.pk].total
            if owed > 0:
                legs.append(Leg(cash, debt, min(owed, amount), "repayment"))
        return insert(
            key=key,
            fingerprint=print_,
            legs=legs,
            subject="",
            event=None,
            actor=actor,
            at=at,
        )


def fund_bank(
    *, stake_table: StakeTable, amount: int, key: str, actor: str, reason: str, at: datetime
) -> Posting:
    """Put the site's money into the bank of a stake table. Raises BadAmount, KeyReused."""
    check_amount(amount)
    return post(
        key=key,
        legs=[Leg(world(stake_table.currency), bank_of(stake_table), amount, reason)],
        actor=actor,
        at=at,
    )


def defund_bank(
    *, stake_table: StakeTable, amount: int, key: str, actor: str, reason: str, at: datetime
) -> Posting:
    """Take money out of the bank of a stake table, except what it holds for open games and markets.

    Raises BadAmount, InsufficientFunds, KeyReused.
    """
    check_amount(amount)
    return post(
        key=key,
        legs=[Leg(bank_of(stake_table), world(stake_table.currency), amount, reason)],
        actor=actor,
        at=at,
    )


def fund_house(
    *, purpose: Purpose, amount: int, currency: str, key: str, actor: str, reason: str, at: datetime
) -> Posting:
    """Put the site's money into its own account: `bank` for guaranteed prizes, `promotion` for the stakes of bots.

    Raises BadAmount, KeyReused.
    """
    check_amount(amount)
    into = account(owner=OwnerKind.HOUSE, purpose=purpose, currency=currency)
    return post(key=key, legs=[Leg(world(currency), into, amount, reason)], actor=actor, at=at)


def bank_of(stake_table: StakeTable) -> Account:
    return account(owner=stake_table.bank_owner, purpose=Purpose.BANK, currency=stake_table.currency)
