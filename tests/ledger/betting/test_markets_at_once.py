"""Concurrent bets, cancellations, starts, and settlements have the effect of some serial order."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.db import models, transaction

from ledger import selectors, services
from ledger.betting.models import Bet, Market, Settlement
from ledger.models import Account, Hold
from tests.concurrency import endings
from tests.ledger.betting.markets import (
    LATER,
    bank,
    bet,
    bettor,
    close,
    escrow,
    open_fixed,
    open_pool,
    settle,
)
from tests.ledger.locks import assert_locked_in_order, in_order
from tests.money import AT, available

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]


def test_two_concurrent_bets_with_one_key_are_one() -> None:
    market, player = open_pool(), bettor(100)
    again = lambda: bet(market, "H", 100, player, key="k")  # noqa: E731
    assert endings(again, again, again) == ["done"] * 3
    assert (Bet.objects.count(), escrow(market)) == (1, 100)


def test_of_two_concurrent_bets_with_money_for_one_one_is_accepted() -> None:
    market, player = open_pool(), bettor(100)
    found = endings(*[lambda: bet(market, "H", 100, player)] * 2)
    assert sorted(found) == ["done", "insufficient-funds"]
    assert (available(f"player:{player}"), escrow(market)) == (0, 100)


def test_of_two_concurrent_bets_with_a_bank_for_one_one_is_accepted() -> None:
    bank(300)
    market, players = open_fixed(), [bettor(), bettor()]
    found = endings(*[lambda who=who: bet(market, "H", 100, who) for who in players])
    assert sorted(found) == ["bank-limit", "done"]


def test_a_bet_at_the_start_is_accepted_or_refused() -> None:
    for _ in range(4):
        market, players = open_pool(), [bettor(100) for _ in range(3)]
        found = endings(
            lambda market=market: close(market),
            *[lambda who=who, market=market: bet(market, "H", 100, who) for who in players],
        )
        assert found[0] == "done"
        assert set(found[1:]) <= {"done", "market-closed"}
        assert escrow(market) == 100 * found[1:].count("done") == 100 * market.bets.count()
        assert len(services.bet_seeds(market)) == market.bets.count()


def test_concurrent_settlements_settle_once() -> None:
    market = open_pool()
    winner = bet(market, "H", 60)
    bet(market, "S", 40)
    close(market)
    found = endings(*[lambda: settle(market, "H")] * 3, lambda: settle(market, "S"))
    market.refresh_from_db()
    [made] = Settlement.objects.all()
    if made.winners == ["H"]:
        assert found == ["done", "done", "done", "market-ended"]
        assert available(f"player:{winner.player}") == 100_040
    else:
        assert found == ["market-ended"] * 3 + ["done"]
    assert escrow(market) == 0


def test_a_cancellation_concurrent_with_close_and_settlement() -> None:
    for _ in range(4):
        market = open_pool()
        made, other = bet(market, "H", 60), bet(market, "S", 40)
        found = endings(
            lambda market=market: settle(market, "H"),
            lambda made=made: services.cancel_bet(bet=made, player=made.player, key="c", at=AT),
        )
        made.refresh_from_db()
        assert found[0] == "done"
        if found[1] == "done":
            assert (made.status, available(f"player:{made.player}")) == ("cancelled", 100_000)
            assert available(f"player:{other.player}") == 100_000
        else:
            assert found[1] in ("market-closed", "bet-ended")
            assert available(f"player:{made.player}") == 100_040
        assert escrow(market) == 0


def test_a_cancellation_concurrent_with_its_bet() -> None:
    market, player = open_pool(), bettor(100)
    found = endings(
        lambda: bet(market, "H", 100, player, key="k"),
        lambda: services.void_bet(market=market, player=player, bet_key="k", key="v", at=AT),
    )
    assert found in (["done", "done"], ["bet-voided", "done"])
    assert (available(f"player:{player}"), escrow(market)) == (100, 0)


def test_two_concurrent_cancellations_of_a_bet_that_never_arrived() -> None:
    market, player = open_pool(), bettor(100)
    void = lambda: services.void_bet(market=market, player=player, bet_key="k", key="v", at=AT)  # noqa: E731
    assert endings(void, void) == ["done", "done"]


def test_many_concurrent_markets_of_one_bank_lose_no_money() -> None:
    bank(10_000)
    markets = [open_fixed() for _ in range(3)]
    players = [bettor(1000) for _ in range(3)]
    endings(
        *[
            lambda market=market, who=who: [bet(market, runner, 50, who) for runner in "HSH"]
            for market in markets
            for who in players[:2]
        ]
    )
    endings(*[lambda market=market: settle(market, "H") for market in markets])
    assert [escrow(market) for market in markets] == [0, 0, 0]
    assert not Hold.objects.filter(state="held").exists()
    assert list(selectors.reconcile()) == []


# --- lock order ----------------------------------------------------------------------------------------


class Scene:
    def __init__(self) -> None:
        bank()
        self.open, self.closed, self.settled = open_fixed(), open_fixed(), open_fixed()
        self.poor, self.player = bettor(), bettor()
        for market in (self.open, self.closed, self.settled):
            bet(market, "H", 100, self.player)
            self.bet = bet(market, "S", 50, self.poor)
        self.cancelled = bet(self.open, "S", 70, self.poor)
        close(self.closed)
        settle(self.settled, "H")

    def actions(self) -> dict[str, Callable[[], object]]:
        return {
            "place": lambda: bet(self.open, "H", 100, self.player),
            "cancel": lambda: services.cancel_bet(
                bet=self.cancelled, player=self.cancelled.player, key="c", at=AT
            ),
            "settle": lambda: services.settle_market(market=self.closed, winners=["H"], event=9, at=LATER),
            "void": lambda: services.void_market(market=self.closed, reason="x", at=LATER),
            "resettle": lambda: services.resettle_market(
                market=self.settled, winners=["S"], reason="x", actor="a", at=LATER
            ),
        }

    def in_order(self) -> list[models.Model]:
        return [*Market.objects.all(), *Hold.objects.filter(state="held"), *in_order(Account.objects.all())]


@pytest.mark.postgres
def test_locks_are_taken_in_order(subtests: pytest.Subtests) -> None:
    scene = Scene()
    assert_locked_in_order(scene.actions(), scene.in_order(), subtests)


def test_market_closes_in_the_transaction_of_its_event() -> None:
    market = open_pool()
    with transaction.atomic():
        close(market)
        transaction.set_rollback(True)
    assert bet(market, "H", 100).number == 1
