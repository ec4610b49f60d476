"""For tests: money for somebody, and keys that were never used."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import UUID, uuid4

from django.conf import settings

from ledger import selectors, services
from ledger.models import Account, StakeTable

AT = datetime(2026, 3, 1, 12, tzinfo=UTC)
CURRENCY: str = settings.RACECARD_CURRENCY


def fresh_key() -> str:
    return f"test:{uuid4()}"


def fund(account: Account, amount: int) -> None:
    """Pay money in from outside."""
    outside = services.account(owner="house", purpose="external", currency=account.currency)
    leg = services.Leg(outside, account, amount, "funds of a test")
    services.post(key=fresh_key(), legs=[leg], actor="test", at=AT)


def cash(player: UUID, currency: str = CURRENCY) -> Account:
    """The account of a player's cash."""
    return services.account(owner=f"player:{player}", purpose="cash", currency=currency)


def bankroll(amount: int = 1_000_000) -> StakeTable:
    """The seeded stake table with that much more in its bank."""
    table = selectors.stake_table("vegas-classic")
    services.fund_bank(
        stake_table=table, amount=amount, key=fresh_key(), actor="test", reason="bankroll", at=AT
    )
    return table


def available(owner: str, purpose: str = "cash", currency: str = CURRENCY) -> int:
    return selectors.balance(owner=owner, purpose=purpose, currency=currency).available
