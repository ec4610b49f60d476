"""Money for the cast, a bank that can pay, and books that are in order after every test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from accounts.models import Player
from ledger import selectors, services
from ledger.models import PlaySession, StakeTable
from tests.money import AT, CURRENCY, bankroll, cash, fresh_key, fund


@pytest.fixture(autouse=True)
def books_in_order(db: None) -> Iterator[None]:
    """After every test all balances follow from the transfers, and all accounts together are zero."""
    yield
    assert [str(difference) for difference in selectors.reconcile()] == []


@pytest.fixture
def vegas(db: None) -> StakeTable:
    """The seeded stake table, with 1,000,000 pence in its bank."""
    return bankroll(1_000_000)


@pytest.fixture
def cashed_in(player: Player) -> PlaySession:
    """The player's session of 2,000 pence; 3,000 more lie on the cash account."""
    fund(cash(player.pk), 5000)
    return services.open_session(player=player.pk, amount=2000, currency=CURRENCY, key=fresh_key(), at=AT)
