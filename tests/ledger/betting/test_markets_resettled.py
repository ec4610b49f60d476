"""Resettlement after a ruling: spent winnings become debts, and every step survives a crash."""

from __future__ import annotations

import pytest

from jobs.models import Job
from ledger import services
from ledger.betting import settlements
from ledger.betting.bets import bank_of
from ledger.betting.models import Bet, Market, Settlement
from ledger.betting.settlements import carry_on, step
from ledger.errors import BankLimit, MarketEnded, MarketNotEnded
from ledger.models import Hold, Transfer
from ledger.services import Leg, resettle_market, settle_market
from ledger.tasks import pay_bets
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
from tests.money import AT, CURRENCY, available, cash, fresh_key

pytestmark = pytest.mark.django_db

RULING = {"actor": "player:adam", "at": LATER}


def spend_all(made: Bet) -> None:
    rich = cash(made.player)
    outside = services.account(owner="house", purpose="external", currency=CURRENCY)
    leg = Leg(rich, outside, money_of(made), "withdrawn")
    services.post(key=fresh_key(), legs=[leg], actor="test", at=AT)


@pytest.mark.parametrize("kind", ["pool", "fixed"])
def test_resettlement_moves_winnings_to_the_new_winner(kind: str) -> None:
    bank()
    market = open_pool(takeout=1000) if kind == "pool" else open_fixed()
    first, second = bet(market, "H", 60), bet(market, "S", 40)
    settle(market, "H")
    for _ in range(2):
        resettle_market(market=market, winners=["S"], reason="photo finish", **RULING)
    expected = (99_940, 100_050) if kind == "pool" else (99_940, 100_120)
    assert (money_of(first), money_of(second)) == expected
    assert escrow(market) == 0
    assert list(Settlement.objects.values_list("number", "reversed_at")) == [(1, LATER), (2, None)]
    if kind == "fixed":
        assert available("house:race-bets", "bank") == 1_000_000 + 60 - 120
        assert not Hold.objects.filter(state="held").exists()
    else:
        assert available("house", "takeout") == 10


def test_a_ruling_may_void_a_market_and_another_may_settle_it() -> None:
    market = open_pool(takeout=1000)
    first, second = bet(market, "H", 60), bet(market, "S", 40)
    settle(market, "H")
    assert resettle_market(market=market, winners=None, reason="false start", **RULING).status == "void"
    assert (money_of(first), money_of(second), available("house", "takeout")) == (100_000, 100_000, 0)
    assert resettle_market(market=market, winners=["S"], reason="it counts", **RULING).status == "settled"
    assert (money_of(first), money_of(second), available("house", "takeout")) == (99_940, 100_050, 10)


def test_spent_winnings_become_a_debt_and_others_are_paid() -> None:
    market = open_pool()
    first, second = bet(market, "H", 60), bet(market, "S", 40)
    settle(market, "H")
    spend_all(first)
    resettle_market(market=market, winners=["S"], reason="photo finish", **RULING)
    assert available(f"player:{first.player}", "receivable") == -100
    assert money_of(second) == 100_060


def test_a_ruling_that_the_bank_cannot_pay_reverses_nothing() -> None:
    bank(300)
    market = open_fixed()
    loser, winner = bet(market, "H", 100), bet(market, "S", 10)
    settle(market, "S")
    outside = services.account(owner="house", purpose="external", currency=CURRENCY)
    sweep = Leg(bank_of(market), outside, available("house:race-bets", "bank") - 359, "swept")
    services.post(key="swept", legs=[sweep], actor="test", at=AT)
    with pytest.raises(BankLimit):
        resettle_market(market=market, winners=["H"], reason="photo finish", **RULING)
    market.refresh_from_db()
    assert (market.status, money_of(loser), money_of(winner)) == ("settled", 99_900, 100_030)
    bank(1)
    resettle_market(market=market, winners=["H"], reason="photo finish", **RULING)
    assert (money_of(loser), money_of(winner)) == (100_300, 99_990)
    assert available("house:race-bets", "bank") == 0 + 360 - 70 - 290


def test_unsettled_market_cannot_be_resettled() -> None:
    market = open_pool()
    with pytest.raises(MarketNotEnded):
        resettle_market(market=market, winners=["H"], reason="x", **RULING)


# --- in steps ------------------------------------------------------------------------------------------


@pytest.fixture
def large(monkeypatch: pytest.MonkeyPatch) -> Market:
    """Return a market that is too large to be settled at once, and is paid two bets at a time."""
    monkeypatch.setattr(settlements, "BETS_SETTLED_AT_ONCE", 4)
    monkeypatch.setattr(settlements, "PAID_AT_ONCE", 2)
    monkeypatch.setattr(settlements, "REVERSED_AT_ONCE", 2)
    market = open_pool(takeout=1000)
    for runner in "HHSHHS":
        bet(market, runner, 100)
    return close(market)


def the(market: Market) -> Settlement:
    return Settlement.objects.get(market=market, number=market.settlement)


def test_a_large_market_is_settled_by_a_job(large: Market) -> None:
    begun = settle_market(market=large, winners=["H"], event=9, at=LATER)
    assert (begun.status, escrow(large)) == ("settling", 600)
    with pytest.raises(MarketEnded):
        settle_market(market=large, winners=["S"], event=9, at=LATER)
    with pytest.raises(MarketNotEnded):
        resettle_market(market=begun, winners=["S"], reason="x", **RULING)
    job = Job.objects.get(kind=settlements.SETTLE)
    pay_bets(job.payload, now=LATER)
    large.refresh_from_db()
    assert (large.status, escrow(large)) == ("settled", 0)
    assert list(large.bets.order_by("number").values_list("returned", flat=True)) == [
        135,
        135,
        0,
        135,
        135,
        0,
    ]
    assert settle_market(market=large, winners=["H"], event=9, at=LATER).status == "settled"


class Crash(Exception):
    pass


def test_resettlement_resumes_after_any_crash_and_pays_once(
    large: Market, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = settle_market(market=large, winners=["H"], event=9, at=LATER)
    save, left = Settlement.save, [0]

    def crash_first(self: Settlement, *args: object, **kwargs: object) -> None:
        left[0] += 1
        if left[0] % 2:
            raise Crash
        save(self, *args, **kwargs)  # type: ignore[arg-type]

    monkeypatch.setattr(Settlement, "save", crash_first)
    crashes = 0
    while True:
        try:
            if not step(settlement=the(begun).pk, at=LATER):
                break
        except Crash:
            crashes += 1
    assert crashes == 5
    large.refresh_from_db()
    assert (large.status, escrow(large)) == ("settled", 0)
    paid = Transfer.objects.filter(subject=large.owner, reason="bet won")
    assert sorted(paid.values_list("amount", flat=True)) == [135, 135, 135, 135]


def test_a_large_settlement_is_reversed_in_steps_too(large: Market) -> None:
    carry_on(settlement=the(settle_market(market=large, winners=["H"], event=9, at=LATER)).pk, at=LATER)
    begun = resettle_market(market=large, winners=["S"], reason="photo finish", **RULING)
    assert begun.status == "settling"
    balances = []
    while step(settlement=the(begun).pk, at=LATER):
        balances.append(escrow(large))
    assert balances == [270, 540, 540, 540, 270, 0, 0]
    assert list(large.bets.order_by("number").values_list("returned", flat=True)) == [0, 0, 270, 0, 0, 270]
    large.refresh_from_db()
    assert large.status == "settled"
