"""The runners of a pool before the start: runners are added, and bets on a withdrawn runner are refunded."""

from __future__ import annotations

import pytest
from django.db import DatabaseError, connection, transaction

from ledger import services
from ledger.betting.models import Market, Runner
from ledger.errors import BadMarket, BetNotCancellable, MarketClosed, RunnerWithdrawn, UnknownRunner
from ledger.selectors import reconcile
from tests.ledger.betting.markets import (
    LATER,
    bank,
    bet,
    close,
    escrow,
    money_of,
    open_fixed,
    open_pool,
    settle,
)
from tests.money import AT, available

pytestmark = pytest.mark.django_db


def withdraw(market: Market, name: str) -> None:
    services.withdraw_runner(market=market, name=name, at=AT)


def test_added_runner_can_be_backed_and_win() -> None:
    market = open_pool()
    bet(market, "H", 60)
    services.add_runner(market=market, name="X")
    services.add_runner(market=market, name="X")
    joined = bet(market, "X", 40)
    settle(market, "X")
    assert money_of(joined) == 100_060
    assert [runner.number for runner in market.runners.all()] == [0, 1, 2, 3, 4]


def test_a_pool_may_begin_without_runners() -> None:
    market = services.open_market(
        subject="tournament:1",
        kind="pool",
        runners=[],
        currency="XTS",
        terms=services.Terms(),
        opened_by="test",
        at=AT,
        field_open=True,
    )
    with pytest.raises(UnknownRunner):
        bet(market, "X", 40)
    services.add_runner(market=market, name="X")
    alone = bet(market, "X", 40)
    settle(market, "X")
    assert money_of(alone) == 100_000


def test_runners_cannot_change_after_the_start() -> None:
    market = close(open_pool())
    with pytest.raises(MarketClosed):
        services.add_runner(market=market, name="X")
    with pytest.raises(MarketClosed):
        withdraw(market, "H")


def test_runners_at_fixed_odds_cannot_change() -> None:
    market = open_fixed()
    with pytest.raises(BadMarket):
        services.add_runner(market=market, name="X")
    with pytest.raises(BadMarket):
        withdraw(market, "H")


@pytest.mark.parametrize("name", ["", "x" * 65, "a\nb"])
def test_a_runner_must_have_a_printable_name(name: str) -> None:
    with pytest.raises(BadMarket):
        services.add_runner(market=open_pool(), name=name)


def test_only_a_runner_can_be_withdrawn() -> None:
    with pytest.raises(UnknownRunner):
        withdraw(open_pool(), "X")


def test_bets_on_withdrawn_runners_are_refunded_without_takeout() -> None:
    market = open_pool(takeout=1000)
    gone, won, lost = bet(market, "C", 500), bet(market, "H", 60), bet(market, "S", 40)
    withdraw(market, "C")
    withdraw(market, "C")
    with pytest.raises(RunnerWithdrawn):
        bet(market, "C", 10)
    settle(market, "H")
    assert [money_of(each) for each in (gone, won, lost)] == [100_000, 100_030, 99_960]
    assert (available("house", "takeout"), escrow(market)) == (10, 0)
    gone.refresh_from_db()
    assert (gone.status, gone.returned) == ("refunded", 500)
    assert list(reconcile()) == []


def test_withdrawn_runner_is_neither_backed_nor_winner() -> None:
    market = open_pool(takeout=1000)
    bets = [bet(market, "C", 500), bet(market, "H", 60)]
    withdraw(market, "C")
    close(market)
    with pytest.raises(BadMarket):
        services.settle_market(market=market, winners=["C"], event=9, at=LATER)
    settle(market, "H")
    assert [money_of(each) for each in bets] == [100_000, 100_000]


def test_bet_on_withdrawn_runner_can_be_cancelled() -> None:
    market = open_pool(cancellable=False)
    gone, stands = bet(market, "C", 500), bet(market, "H", 60)
    withdraw(market, "C")
    with pytest.raises(BetNotCancellable):
        services.cancel_bet(bet=stands, player=stands.player, key="1", at=AT)
    services.cancel_bet(bet=gone, player=gone.player, key="2", at=AT)
    assert (money_of(gone), escrow(market)) == (100_000, 60)


def test_a_ruling_refunds_bets_on_withdrawn_runners_again() -> None:
    market = open_pool()
    gone, first, second = bet(market, "C", 500), bet(market, "H", 60), bet(market, "S", 40)
    withdraw(market, "C")
    settle(market, "H")
    services.resettle_market(market=market, winners=["S"], reason="protest", actor="player:x", at=LATER)
    assert [money_of(each) for each in (gone, first, second)] == [100_000, 99_940, 100_060]


# --- raw SQL -------------------------------------------------------------------------------------------


def refused(sql: str, *values: object) -> None:
    with pytest.raises(DatabaseError), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(sql, values)


@pytest.mark.both_databases
def test_a_runner_can_be_withdrawn_once_and_while_betting_is_open() -> None:
    market = open_pool()
    withdraw(market, "C")
    refused("UPDATE ledger_runner SET withdrawn_at = NULL WHERE name = 'C'")
    refused("UPDATE ledger_runner SET withdrawn_at = '2020-01-01 00:00:00+00:00' WHERE name = 'C'")
    close(market)
    refused("UPDATE ledger_runner SET withdrawn_at = '2020-01-01 00:00:00+00:00' WHERE name = 'H'")


@pytest.mark.both_databases
def test_a_runner_at_fixed_odds_cannot_be_withdrawn() -> None:
    open_fixed()
    refused("UPDATE ledger_runner SET withdrawn_at = '2020-01-01 00:00:00+00:00' WHERE name = 'H'")


@pytest.mark.both_databases
@pytest.mark.parametrize("kind", ["closed", "fixed"])
def test_a_forged_runner_is_refused(kind: str) -> None:
    bank()
    market = open_fixed() if kind == "fixed" else open_pool()
    bet(market, "H", 50)
    if kind == "closed":
        close(market)
    with pytest.raises(DatabaseError), transaction.atomic():
        Runner.objects.create(market=market, number=4, name="X")


@pytest.mark.both_databases
def test_sql_cannot_bet_on_a_withdrawn_runner() -> None:
    market = open_pool()
    bet(market, "C", 50)
    withdraw(market, "C")
    with transaction.atomic():
        Market.objects.filter(pk=market.pk).update(bets_made=2)
        made = market.bets.get()
        made.pk, made.key, made.number = None, "k", 2
        with pytest.raises(DatabaseError), transaction.atomic():
            made.save(force_insert=True)
        transaction.set_rollback(True)
