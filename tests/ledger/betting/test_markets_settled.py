"""Markets are settled once and exactly, and end with an empty escrow."""

from __future__ import annotations

from datetime import timedelta
from fractions import Fraction

import pytest

from ledger import services
from ledger.betting.models import Bet, Market, Settlement
from ledger.errors import MarketEnded, MarketNotClosed, UnknownRunner
from ledger.models import Hold
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

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


def returned(market: Market) -> list[int | None]:
    return list(Bet.objects.filter(market=market).order_by("number").values_list("returned", flat=True))


def test_pool_is_divided_among_winning_bets() -> None:
    market = open_pool(takeout=1000)
    bets = [bet(market, "H", 60), bet(market, "S", 30), bet(market, "H", 10)]
    ended = settle(market, "H")
    assert (ended.status, escrow(market)) == ("settled", 0)
    assert returned(market) == [77, 0, 13]
    assert [money_of(each) for each in bets] == [100_017, 99_970, 100_003]
    assert available("house", "takeout") == 10


def test_breakage_has_a_separate_account() -> None:
    market = open_pool(takeout=1000, step=10)
    for runner, stake in (("H", 700), ("S", 300)):
        bet(market, runner, stake)
    settle(market, "H")
    assert returned(market) == [840, 0]
    assert (available("house", "takeout"), available("house", "breakage")) == (100, 60)


def test_fixed_odds_pay_the_price_of_the_bet() -> None:
    bank()
    market = open_fixed(margin=500)
    first = bet(market, "H", 100)
    services.quote(market=market, prices={"H": Fraction(2), "S": Fraction(2)}, at=AT)
    second = bet(market, "H", 100)
    lost = bet(market, "S", 1000)
    settle(market, "H")
    assert (first.price_hundredths, second.price_hundredths) == (380, 190)
    assert returned(market) == [380, 190, 0]
    assert [money_of(each) for each in (first, second, lost)] == [100_280, 100_090, 99_000]
    assert available("house:race-bets", "bank") == 1_000_000 + 1200 - 570
    assert not Hold.objects.filter(state="held").exists()


def test_tied_winners_divide_the_payout() -> None:
    bank()
    market = open_fixed()
    bet(market, "H", 101)
    bet(market, "S", 50)
    settle(market, "H", "S")
    assert returned(market) == [202, 100]


@pytest.mark.parametrize(("on_draw", "back"), [("refund", [100, 50]), ("lose", [0, 0])])
@pytest.mark.parametrize("kind", ["fixed", "pool"])
def test_without_a_winner_the_terms_decide(on_draw: str, back: list[int], kind: str) -> None:
    bank()
    market = (open_fixed if kind == "fixed" else open_pool)(on_draw=on_draw)
    bet(market, "H", 100)
    bet(market, "S", 50)
    settle(market)
    assert returned(market) == back
    assert escrow(market) == 0


def test_bets_after_the_start_are_refunded() -> None:
    bank()
    market = open_fixed()
    bet(market, "H", 100)
    late = bet(market, "H", 100, at=AT + timedelta(minutes=2))
    lost = bet(market, "S", 70, at=AT + timedelta(minutes=2))
    settle(market, "H", off=AT + timedelta(minutes=1))
    assert returned(market) == [400, 100, 70]
    for each in (late, lost):
        each.refresh_from_db()
        assert each.status == "refunded"


def test_a_void_market_refunds_every_stake() -> None:
    bank()
    for market in (open_fixed(), open_pool(takeout=5000)):
        bets = [bet(market, "H", 100), bet(market, "S", 50)]
        services.void_market(market=market, reason="the table never started", at=LATER)
        ended = services.void_market(market=market, reason="again", at=LATER)
        assert (ended.status, escrow(market)) == ("void", 0)
        assert [money_of(each) for each in bets] == [100_000, 100_000]
        assert Settlement.objects.filter(market=market).count() == 1
        with pytest.raises(MarketEnded):
            services.settle_market(market=market, winners=["H"], event=9, at=LATER)


def test_a_repeated_settlement_takes_effect_once() -> None:
    market = open_pool()
    winner = bet(market, "H", 60)
    bet(market, "S", 40)
    settle(market, "H")
    settle(market, "H")
    assert money_of(winner) == 100_040
    assert Settlement.objects.count() == 1
    with pytest.raises(MarketEnded):
        services.settle_market(market=market, winners=["S"], event=9, at=LATER)
    with pytest.raises(MarketEnded):
        services.void_market(market=market, reason="no", at=LATER)


def test_only_a_closed_market_can_be_settled() -> None:
    market = open_pool()
    with pytest.raises(MarketNotClosed):
        services.settle_market(market=market, winners=["H"], event=9, at=LATER)
    close(market)
    with pytest.raises(UnknownRunner):
        services.settle_market(market=market, winners=["Z"], event=9, at=LATER)


def test_a_market_without_bets_ends_too() -> None:
    bank()
    for market in (open_pool(), open_fixed()):
        assert settle(market, "H").status == "settled"
        assert escrow(market) == 0
