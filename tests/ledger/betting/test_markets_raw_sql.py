"""Both databases protect markets and bets against raw SQL."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest
from django.db import DatabaseError, models, transaction

from ledger import selectors
from ledger.betting.models import Bet, Market, Runner, Settlement, VoidedBet
from ledger.services import void_bet
from tests.ledger.betting.markets import bank, bet, close, open_fixed, open_pool, settle
from tests.ledger.raw_sql import changes_refused, refused, rows_are_kept, run
from tests.money import AT

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


@pytest.fixture
def settled() -> Market:
    market = open_pool(takeout=1000)
    void_bet(market=market, player=uuid4(), bet_key="late", key="v", at=AT)
    bet(market, "H", 60)
    bet(market, "S", 40)
    return settle(market, "H")


@pytest.fixture
def running() -> Market:
    bank()
    market = open_fixed()
    bet(market, "H", 60)
    return market


def test_rows_are_kept(settled: Market) -> None:
    rows_are_kept(Market, Runner, Bet, Settlement, VoidedBet)


BETS = [
    "stake = stake + 1",
    "stake = 0",
    "number = number + 7",
    "client_seed = 'mine'",
    "price = '1000/1'",
    "price_hundredths = 410",
    "most = most + 1",
    "player = '00000000000000000000000000000000'",
    "purse_id = purse_id - 1",
    "round = 2",
    "status = 'won', returned = 240, settlement = 1",
    "status = 'refunded', returned = stake, settlement = 1",
    "returned = 240",
    "placed_at = '2020-01-01 00:00:00+00:00'",
]


def test_bets_cannot_be_altered(running: Market) -> None:
    changes_refused("ledger_bet", BETS)


def test_a_settled_bet_cannot_be_settled_again(settled: Market) -> None:
    changes_refused(
        "ledger_bet",
        [
            "returned = returned + 1",
            "status = 'open', returned = NULL, settlement = 0",
            "status = 'cancelled', returned = NULL, settlement = 0, cancelled_at = '2026-01-01 00:00:00+00:00'",
            "settlement = 2",
        ],
    )


def test_a_bet_can_be_cancelled_only_while_betting_is_open(running: Market) -> None:
    close(running)
    refused("UPDATE ledger_bet SET status = 'cancelled', cancelled_at = '2026-01-01 00:00:00+00:00'")


MARKETS = [
    "takeout = 0",
    "kind = 'fixed'",
    "cap = 5",
    "on_draw = 'lose'",
    "subject = 'game:2'",
    "status = 'open', closed_at = NULL, ended_at = NULL, settlement = 0, version = version + 1",
    "status = 'void', version = version + 1",
    "status = 'settling', ended_at = NULL, version = version + 1",
    "status = 'settling', ended_at = NULL, settlement = 3, version = version + 1",
    "version = 1",
    "bets_made = bets_made + 1",
    "bets_made = 0",
]


def test_a_settled_market_cannot_change(settled: Market) -> None:
    changes_refused("ledger_market", MARKETS)


def test_a_market_can_end_only_settled_and_with_an_empty_escrow(running: Market) -> None:
    close(running)
    over = (
        "status = 'settled', ended_at = closed_at, settlement = 1, reserve_id = NULL, version = version + 1"
    )
    refused(f"UPDATE ledger_market SET {over}")
    run("UPDATE ledger_market SET status = 'settling', settlement = 1, version = version + 1")
    refused(
        "UPDATE ledger_market SET status = 'settled', ended_at = closed_at, reserve_id = NULL, version = version + 1"
    )
    run_back = "UPDATE ledger_market SET status = 'closed', settlement = 0, version = version + 1"
    refused(run_back)


def test_runner_identity_cannot_change(running: Market) -> None:
    bounds = ("stakes = -1", "stakes = 4000000000000000001")
    changes_refused("ledger_runner", ("name = 'X'", "number = 9", "market_id = NULL", *bounds), "name = 'H'")


def test_a_price_cannot_change_after_betting_is_closed(running: Market) -> None:
    close(running)
    refused("UPDATE ledger_runner SET price = '9/1' WHERE name = 'H'")


PRICES = [
    "price = '9/1'",
    "price = '301/100', price_hundredths = 401",
    "price = '300/100', price_hundredths = 410",
    "price = '100900/100', price_hundredths = 101000",
    "price = '0/100', price_hundredths = 100",
    "price_hundredths = NULL",
    "price = ''",
]


def test_a_price_is_on_the_ladder(running: Market) -> None:
    changes_refused("ledger_runner", PRICES, "name = 'S'")
    run("UPDATE ledger_runner SET price = '310/100', price_hundredths = 410 WHERE name = 'S'")


def test_a_settlement_cannot_be_altered(settled: Market) -> None:
    changes_refused(
        "ledger_settlement",
        [
            "paid = paid + 1",
            "paid = paid + 1, bank = bank - 1",
            "winners = '[\"S\"]'",
            "reason = 'other'",
            "paid_through = 0",
            "done_at = NULL",
            "number = 2",
            "actor = 'me'",
        ],
    )


def test_a_voided_bet_cannot_change(settled: Market) -> None:
    refused("UPDATE ledger_voidedbet SET key = 'other'")


def copied(model: type[models.Model], **changes: Any) -> None:
    """Insert a changed copy of the newest row, without the services."""
    names = [field.column for field in model._meta.concrete_fields if field.column not in {"id", *changes}]
    values = {"id": uuid4(), **changes}
    columns = ", ".join([*values, *names])
    places = ", ".join(["%s"] * len(values))
    table = model._meta.db_table
    order = "number DESC" if model in (Bet, Settlement) else "key DESC"
    run(
        f"INSERT INTO {table} ({columns}) SELECT {places}, {', '.join(names)} FROM {table} ORDER BY {order} LIMIT 1",
        *values.values(),
    )


def test_a_forged_bet_is_refused(running: Market, subtests: pytest.Subtests) -> None:
    for changes in (
        {"key": "k"},
        {"key": "k", "number": 2},
        {"key": "k", "number": 2, "stake": -5},
        {"number": 2},
        {"key": "k", "number": 2, "status": "won", "returned": 100, "settlement": 1},
        {"key": "k", "number": 2, "player": uuid4()},
    ):
        with subtests.test(str(changes)), pytest.raises(DatabaseError):
            copied(Bet, **changes)


def test_a_bet_at_another_price_than_is_offered_is_refused(
    running: Market, subtests: pytest.Subtests
) -> None:
    run("UPDATE ledger_market SET bets_made = 2")
    for changes in (
        {"price": "310/100", "price_hundredths": 410, "most": 246},
        {"price": "3/1"},
        {"most": 241},
        {"price": "", "price_hundredths": None, "most": None},
    ):
        with subtests.test(str(changes)), pytest.raises(DatabaseError, match="an open market takes"):
            copied(Bet, key="k", number=2, **changes)


def test_a_forged_bet_after_the_start_is_refused(running: Market) -> None:
    close(running)
    with pytest.raises(DatabaseError):
        copied(Bet, key="k", number=2)
    refused("UPDATE ledger_market SET bets_made = 2")


def test_reconciliation_finds_an_unpaid_bet(running: Market) -> None:
    """A bet that is forged with all its sums is not refused, but its money is missing in the escrow."""
    with transaction.atomic():
        run("UPDATE ledger_market SET bets_made = 2")
        copied(Bet, key="k", number=2)
        found = [str(difference) for difference in selectors.reconcile()]
        assert any("the escrow of a market is 60, but should be 120" in each for each in found)
        transaction.set_rollback(True)


def test_reconciliation_finds_altered_sums_of_a_runner(running: Market) -> None:
    with transaction.atomic():
        run("UPDATE ledger_runner SET stakes = 61, returns = 241 WHERE name = 'H'")
        found = [str(difference) for difference in selectors.reconcile()]
        assert any("the runners of a market is 61, but should be 60" in each for each in found)
        run("UPDATE ledger_runner SET stakes = 60, returns = 239 WHERE name = 'H'")
        found = [str(difference) for difference in selectors.reconcile()]
        assert any("the bank holds for a market is 180, but should be 179" in each for each in found)
        transaction.set_rollback(True)


def test_a_forged_second_settlement_is_refused(settled: Market) -> None:
    for number in (1, 2):
        with pytest.raises(DatabaseError):
            copied(Settlement, number=number)


def test_a_market_must_begin_open_and_empty(running: Market) -> None:
    with pytest.raises(DatabaseError):
        copied(Market, key="other", bets_made=0)


def test_no_bet_can_be_altered_by_the_settlement_of_many() -> None:
    market = open_pool()
    first, second = bet(market, "H", 60), bet(market, "S", 40)
    close(market)
    run("UPDATE ledger_market SET status = 'settling', settlement = 1, version = version + 1")
    lost = "status = 'lost', returned = 0, settlement = 1"
    refused(f"UPDATE ledger_bet SET {lost}, stake = CASE number WHEN 2 THEN 41 ELSE stake END")
    refused(f"UPDATE ledger_bet SET {lost}, number = 3 - number")
    refused(
        f"UPDATE ledger_bet SET {lost}, id = CASE id WHEN %s THEN %s ELSE %s END",
        first.pk,
        second.pk,
        first.pk,
    )
    refused(f"UPDATE ledger_bet SET {lost.replace('1', '2')}")
    run(f"UPDATE ledger_bet SET {lost}")
    refused(f"UPDATE ledger_bet SET {lost}")
