"""Play money: issued to the players of an event, bet in its markets, and returned at its end.

It has its own currency (`PLAY_CURRENCY`). A constraint ties accounts of that currency to an event or a market, and no
transfer mixes currencies. So play money reaches no wallet, limit, or report, and all its accounts are zero after the
events.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from uuid import UUID

from core.errors import first_or_raise
from ledger.betting import markets
from ledger.betting.kinds import POOL
from ledger.betting.models import Market, PlayBank
from ledger.betting.terms import PLAY_CURRENCY, Terms
from ledger.core.postings import Leg, account, fingerprint, lock, post
from ledger.errors import NoPlayMoney
from ledger.models import Account, OwnerKind, Purpose
from ledger.money import MOST_PENCE

ACTOR = "system:play-money"
LEGS = 500


def event_of(key: UUID) -> str:
    """Return the owner of the account that issues an event's play money."""
    return f"{OwnerKind.PLAY}:{key}"


def source(event: str) -> Account:
    """Return the issuing account. Its balance is minus the play money in circulation."""
    return account(owner=event, purpose=Purpose.EXTERNAL, currency=PLAY_CURRENCY)


def give_out(*, event: str, players: Mapping[int, UUID], amount: int, version: int, at: datetime) -> None:
    """Give every player, by number, the same bank, once. `version` is that of the event that records it."""
    whence = source(event)
    banks = [
        PlayBank(
            account=account(owner=f"{event}.{number}", purpose=Purpose.BANK, currency=PLAY_CURRENCY),
            event=event,
            number=number,
            player=player,
        )
        for number, player in sorted(players.items())
    ]
    PlayBank.objects.bulk_create(banks)
    lock([whence, *(bank.account for bank in banks)])
    legs = [Leg(whence, bank.account, amount, "play money") for bank in banks]
    _post(event, "given", legs, version, at)


def take_back(*, event: str, version: int, at: datetime) -> None:
    """Return the remaining play money to its source. Lock `accounts` first if other money moves too."""
    banks = _banks(event)
    if not banks:
        return
    whence = source(event)
    locked = lock([whence, *(bank.account for bank in banks)])
    left = [(locked[bank.account_id], locked[bank.account_id].available) for bank in banks]
    legs = [Leg(bank, whence, amount, "play money back") for bank, amount in left if amount]
    _post(event, "back", legs, version, at)


def accounts(event: str) -> list[Account]:
    banks = _banks(event)
    return [source(event), *(bank.account for bank in banks)] if banks else []


def balances(event: str) -> dict[int, int]:
    """Return what each player can bet now, by number."""
    return {bank.number: bank.account.available for bank in _banks(event)}


def bank_of(event: str, player: UUID) -> Account:
    """Return the account of a player's play money. Raises NoPlayMoney."""
    found = first_or_raise(
        PlayBank.objects.select_related("account").filter(event=event, player=player), NoPlayMoney
    )
    return found.account


def open_market(
    *, event: str, subject: str, runners: Sequence[str], opened_by: str, at: datetime, key: str
) -> Market:
    """Open a pool for an event's play money, without takeout. The same key returns the same market.

    Raises KeyReused.
    """
    print_ = fingerprint("play market", event, subject, list(runners), opened_by)
    return markets.made_once(
        key,
        print_,
        runners,
        Terms(stake_table=""),
        subject=subject,
        kind=POOL.name,
        currency=PLAY_CURRENCY,
        play=event,
        minimum=1,
        maximum=MOST_PENCE,
        stake_step=1,
        opened_by=opened_by,
        opened_at=at,
    )


def _banks(event: str) -> list[PlayBank]:
    return list(PlayBank.objects.filter(event=event).select_related("account").order_by("number"))


def _post(event: str, what: str, legs: Sequence[Leg], version: int, at: datetime) -> None:
    for start in range(0, len(legs), LEGS):
        post(
            key=f"{event}:{what}:{start}",
            legs=legs[start : start + LEGS],
            subject=event,
            event=version,
            actor=ACTOR,
            at=at,
        )
