"""Several rows that are written together are written in order, and none after a row that is not written."""

from __future__ import annotations

from uuid import uuid4

import pytest

from core.sql import Statement, insertion, stored, write_all
from ledger.betting.models import VoidedBet
from ledger.models import Account
from tests.ledger.betting.markets import open_pool
from tests.money import AT

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


def voided(market: object) -> VoidedBet:
    return VoidedBet(key=str(uuid4()), market=market, player=uuid4(), at=AT)


def test_later_rows_are_written_if_all_before_them_were() -> None:
    market = open_pool()
    count = "UPDATE ledger_market SET version = version + 1{after} WHERE ledger_market.id = %s"
    assert write_all(
        Statement(count, [stored(market.pk)]), insertion(voided(market)), insertion(voided(market))
    )
    market.refresh_from_db()
    assert (market.version, VoidedBet.objects.count()) == (2, 2)
    assert not write_all(Statement(count, [stored(uuid4())]), insertion(voided(market)))
    assert VoidedBet.objects.count() == 2


def test_the_triggers_of_a_row_see_the_rows_before_it() -> None:
    """A bet is accepted only behind the market's new count, which the same statement writes."""
    market = open_pool()
    runner = market.runners.get(name="H")
    purse = Account.objects.create(
        kind="player", key=str(uuid4()), purpose="cash", currency=market.currency, min_balance=0
    )
    bet = market.bets.model(
        id=uuid4(), key="k", fingerprint="f", market=market, number=1, round=1, player=purse.key, purse=purse,
        runner=runner, stake=1, placed_at=AT,
    )  # fmt: skip
    count = Statement(
        "UPDATE ledger_market SET bets_made = 1{after} WHERE ledger_market.id = %s", [stored(market.pk)]
    )
    assert write_all(count, insertion(bet))
    assert market.bets.get().number == 1
