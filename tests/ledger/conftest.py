"""Money for the players, a bank that can pay, and a reconciliation after every test with accounts."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from accounts.models import Player
from ledger import selectors, services
from ledger.models import Account, PlaySession, StakeTable
from tests.books import uses_database
from tests.money import AT, CURRENCY, bankroll, cash, fresh_key, fund


@pytest.fixture(autouse=True)
def ledger_is_reconciled(request: pytest.FixtureRequest) -> Iterator[None]:
    """After a test with accounts, check that balances follow from transfers and that all accounts add up to zero."""
    if uses_database(request):
        request.getfixturevalue("db")
        yield
        assert not Account.objects.exists() or [str(found) for found in selectors.reconcile()] == []
    else:
        yield


@pytest.fixture
def vegas(db: None) -> StakeTable:
    """Return the default stake table, with 1,000,000 pence in its bank."""
    return bankroll(1_000_000)


@pytest.fixture
def cashed_in(player: Player) -> PlaySession:
    """Return a play session of 2,000 pence. The player has 3,000 more in cash."""
    fund(cash(player.pk), 5000)
    return services.open_session(player=player.pk, amount=2000, currency=CURRENCY, key=fresh_key(), at=AT)
