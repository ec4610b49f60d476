"""Pots for tests, and players with money who buy in."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from uuid import UUID, uuid4

from ledger import services
from ledger.selectors import stake_table
from ledger.services import PotTerms
from ledger.stakes.models import Pot
from tests.money import AT, CURRENCY, available, cash, fund

LATER = AT + timedelta(minutes=5)
CLUB = "ace-race-table"


def open_pot(
    amount: int = 520, *, rake: int = 0, split: Sequence[int] = (10_000,), subject: str | None = None
) -> Pot:
    return services.open_pot(
        subject=subject or f"game:{uuid4()}",
        amount=amount,
        currency=CURRENCY,
        terms=PotTerms(stake_table=CLUB, rake=rake, split=tuple(split)),
        stake_table=stake_table(CLUB),
        at=AT,
    )


def people(number: int, money: int = 1000) -> list[UUID]:
    made = [uuid4() for _ in range(number)]
    for player in made:
        fund(cash(player), money)
    return made


def sit_down(pot: Pot, players: Sequence[UUID]) -> None:
    for event, player in enumerate(players, start=2):
        services.take_buy_in(subject=pot.subject, player=player, event=event, at=AT)


def settle(pot: Pot, *places: Sequence[UUID]) -> Pot:
    return services.settle_pot(subject=pot.subject, places=places, event=9, at=LATER)


def money_of(players: Sequence[UUID]) -> list[int]:
    return [available(f"player:{player}") for player in players]


def in_escrow(pot: Pot) -> int:
    return available(pot.subject, "escrow")


def raked() -> int:
    return available("house", "rake")
