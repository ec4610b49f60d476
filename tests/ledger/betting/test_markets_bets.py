"""Bets are accepted while betting is open, at the current price, within the limits of purse, pool, and bank."""

from __future__ import annotations

from datetime import timedelta
from fractions import Fraction
from uuid import uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import KeyReused
from games.rules.fairness import BadSeed, client_seed
from ledger import services
from ledger.betting.bets import check_client_seed
from ledger.betting.models import Bet, Market
from ledger.errors import (
    BadBet,
    BadMarket,
    BankLimit,
    BetEnded,
    BetNotCancellable,
    InsufficientFunds,
    MarketClosed,
    MarketEnded,
    MarketFull,
    MarketNotClosed,
    PriceMoved,
    StakeTableClosed,
    UnknownBet,
    UnknownCurrency,
    UnknownRunner,
)
from ledger.selectors import balance
from ledger.services import Terms, cancel_bet, close_market, place_bet, quote, reopen_market
from tests.ledger.betting.markets import (
    FAIR,
    LATER,
    SUITS,
    bank,
    bet,
    bettor,
    close,
    escrow,
    money_of,
    open_fixed,
    open_pool,
    settle,
)
from tests.money import AT, CURRENCY, available, cash, change, fresh_key, fund

pytestmark = pytest.mark.django_db


def held() -> int:
    return balance(owner="house:race-bets", purpose="bank", currency=CURRENCY).held


def test_a_stake_is_moved_from_cash_to_the_escrow_at_once() -> None:
    market = open_pool()
    made = bet(market, "H", 300)
    assert (money_of(made), escrow(market)) == (99_700, 300)


def test_a_player_may_bet_until_the_money_is_spent() -> None:
    market, player = open_pool(), bettor(1000)
    numbers = [bet(market, runner, 250, player).number for runner in SUITS]
    assert numbers == [1, 2, 3, 4]
    with pytest.raises(InsufficientFunds):
        bet(market, "H", 1, player)


def test_repeated_key_returns_the_bet_or_is_refused() -> None:
    market, player = open_pool(), bettor()
    first = bet(market, "H", 300, player, key="k")
    assert bet(market, "H", 300, player, key="k").pk == first.pk
    for runner, stake, who in (("S", 300, player), ("H", 301, player), ("H", 300, bettor())):
        with pytest.raises(KeyReused):
            bet(market, runner, stake, who, key="k")
    assert escrow(market) == 300


def test_a_bet_repeated_after_the_start_has_the_first_response() -> None:
    market, player = open_pool(), bettor()
    first = bet(market, "H", 300, player, key="k")
    close(market)
    assert bet(market, "H", 300, player, key="k").pk == first.pk
    with pytest.raises(MarketClosed):
        bet(market, "H", 300, player)


def test_a_closed_market_accepts_no_bet_at_any_time() -> None:
    market = open_pool()
    close(market)
    with pytest.raises(MarketClosed):
        bet(market, "H", 300, at=AT - timedelta(days=1))
    assert escrow(market) == 0


def test_changed_price_is_refused_and_equal_fractions_accepted() -> None:
    bank()
    market = open_fixed(margin=1000)
    assert bet(market, "H", 100, price="26/10").price_hundredths == 360
    assert bet(market, "H", 100, price=None, price_hundredths=360).price == "260/100"
    for price in ({"price": "3/1"}, {"price": "25/10"}, {"price": None, "price_hundredths": 355}):
        with pytest.raises(PriceMoved) as refused:
            bet(market, "H", 100, **price)
        assert refused.value.extra == {"price": "13/5", "price_hundredths": 360}
    for price in (None, "2.6", "13", "0/1"):
        with pytest.raises(BadBet):
            bet(market, "H", 100, price=price)
    with pytest.raises(BadBet):
        bet(open_pool(), "H", 100, price="13/5")
    with pytest.raises(BadBet):
        bet(open_pool(), "H", 100, price_hundredths=360)
    with pytest.raises(BadBet):
        bet(market, "H", 100, price="13/5", price_hundredths=360)


def test_the_bank_holds_the_worst_case_of_one_runner() -> None:
    bank()
    market = open_fixed()
    bet(market, "H", 100)
    assert held() == 300
    bet(market, "S", 50)
    assert held() == 300
    more = bet(market, "S", 100)
    assert held() == 450
    cancel_bet(bet=more, player=more.player, key=fresh_key(), at=AT)
    assert held() == 300


def test_a_bet_that_the_bank_could_not_pay_is_refused() -> None:
    bank(299)
    market = open_fixed()
    player = bettor()
    with pytest.raises(BankLimit):
        bet(market, "H", 100, player)
    assert available(f"player:{player}") == 100_000
    assert bet(market, "H", 99).number == 1
    with pytest.raises(BankLimit):
        bet(open_fixed(), "H", 1)


def test_the_banks_limit_is_that_of_the_stake_table() -> None:
    change(bank(), bank_limit=300)
    market = open_fixed()
    bet(market, "H", 100)
    with pytest.raises(BankLimit):
        bet(market, "H", 1)


def test_odds_above_the_maximum_amount_are_refused() -> None:
    change(bank(10**11), maximum=10**9)
    market = open_fixed({"H": Fraction(1000)})
    with pytest.raises(BankLimit):
        bet(market, "H", 10**8 + 1, bettor(10**9))


def test_a_market_is_full_at_its_limit() -> None:
    bank()
    pool, fixed = open_pool(cap=500), open_fixed(cap=300)
    bet(pool, "H", 400)
    with pytest.raises(MarketFull):
        bet(pool, "S", 101)
    bet(fixed, "H", 100)
    with pytest.raises(MarketFull):
        bet(fixed, "H", 1)
    bet(fixed, "S", 100)


def test_a_runner_without_a_price_is_not_offered() -> None:
    bank()
    market = open_fixed({"H": Fraction(1), "S": Fraction(2), "C": Fraction(1010)})
    for runner in ("H", "C", "D"):
        with pytest.raises(PriceMoved) as refused:
            bet(market, runner, 100, price="1/1")
        assert refused.value.extra == {"price": None, "price_hundredths": None}


def test_a_cancelled_bet_is_refunded_once() -> None:
    market = open_pool()
    made = bet(market, "H", 300)
    for _ in range(2):
        assert cancel_bet(bet=made, player=made.player, key="c", at=AT).status == "cancelled"
    assert (money_of(made), escrow(market)) == (100_000, 0)
    with pytest.raises(BetEnded):
        cancel_bet(bet=made, player=made.player, key="d", at=AT)
    with pytest.raises(UnknownBet):
        cancel_bet(bet=made, player=uuid4(), key="c", at=AT)


def test_the_terms_may_forbid_cancellations() -> None:
    made = bet(open_pool(cancellable=False), "H", 300)
    with pytest.raises(BetNotCancellable):
        cancel_bet(bet=made, player=made.player, key="c", at=AT)


def test_cancelled_bet_keeps_its_seed_and_wins_nothing() -> None:
    market = open_pool()
    made = [bet(market, "H", 100, client_seed=seed) for seed in ("ann", "", "bob")]
    bet(market, "S", 100)
    cancel_bet(bet=made[0], player=made[0].player, key="c", at=AT)
    close(market)
    assert services.bet_seeds(market) == ["ann", "", "bob", ""]
    settle(market, "H")
    assert list(Bet.objects.order_by("number").values_list("returned", flat=True)) == [None, 150, 150, 0]


SEEDS = st.text(st.characters(codec=None, categories=("L", "Cs", "Cc", "P", "S")), max_size=70) | st.text(
    "ab|\0"
)


@given(SEEDS)
def test_the_client_seed_of_a_bet_has_the_form_required_by_games(text: str) -> None:
    try:
        client_seed(text)
    except BadSeed:
        with pytest.raises(BadBet):
            check_client_seed(text)
    else:
        check_client_seed(text)


# --- bets in running -----------------------------------------------------------------------------------


def test_a_market_in_running_opens_again_at_new_prices() -> None:
    bank()
    market = open_fixed(in_running=True)
    before = bet(market, "H", 100)
    close_market(market=market, event=5, at=AT)
    for _ in range(2):
        opened = reopen_market(market=market, prices={"H": Fraction(2)}, event=5, at=AT)
    assert (opened.round, opened.status) == (2, "open")
    with pytest.raises(PriceMoved):
        bet(market, "H", 100, price="3/1")
    after = bet(market, "H", 100)
    assert (after.price_hundredths, after.round) == (200, 2)
    with pytest.raises(MarketClosed):
        cancel_bet(bet=before, player=before.player, key="c", at=AT)
    cancel_bet(bet=after, player=after.player, key="c", at=AT)
    with pytest.raises(MarketNotClosed):
        reopen_market(market=market, prices=FAIR, event=6, at=AT)
    settle(market, "H")
    assert money_of(before) == 100_300
    with pytest.raises(MarketEnded):
        reopen_market(market=market, prices=FAIR, event=7, at=AT)


def test_other_markets_stay_closed() -> None:
    market = close(open_fixed())
    with pytest.raises(BadMarket):
        reopen_market(market=market, prices=FAIR, event=6, at=AT)
    with pytest.raises(MarketEnded):
        quote(market=market, prices=FAIR, at=AT)
    assert close_market(market=market, event=77, at=LATER).closed_event == 5


def test_quoting_unchanged_prices_changes_nothing() -> None:
    market = open_fixed()
    assert quote(market=market, prices=FAIR, at=AT).version == market.version
    assert quote(market=market, prices={"H": Fraction(3)}, at=AT).version == market.version + 1
    with pytest.raises(UnknownRunner):
        quote(market=market, prices={"X": Fraction(3)}, at=AT)
    with pytest.raises(BadMarket):
        quote(market=open_pool(), prices=FAIR, at=AT)


# --- opening -------------------------------------------------------------------------------------------


def opened(**changes: object) -> Market:
    given = {
        "subject": "game:1",
        "kind": "pool",
        "runners": SUITS,
        "currency": CURRENCY,
        "terms": Terms(),
        "opened_by": "player:adam",
        "at": AT,
        **changes,
    }
    return services.open_market(**given)  # type: ignore[arg-type]


def test_subject_has_one_market_of_a_kind_without_a_key() -> None:
    assert opened() == opened()
    assert opened(kind="fixed") != opened() != opened(key="another")
    with pytest.raises(KeyReused):
        opened(terms=Terms(takeout=1))
    assert Market.objects.count() == 3


def test_invalid_markets_are_refused(subtests: pytest.Subtests) -> None:
    for changes in [
        {"kind": "exotic"},
        {"runners": ["H"]},
        {"runners": ["H", "H"]},
        {"runners": ["H", ""]},
        {"runners": ["H", "a\nb"]},
        {"subject": ""},
        {"terms": Terms(margin=1)},
        {"terms": Terms(takeout=10_000)},
        {"terms": Terms(takeout=-1)},
        {"terms": Terms(takeout=True)},
        {"terms": Terms(step=5)},
        {"terms": Terms(on_draw="win")},
        {"terms": Terms(in_running=True)},
        {"terms": Terms(cap=0)},
        {"kind": "fixed", "terms": Terms(takeout=1)},
        {"kind": "fixed", "terms": Terms(step=1)},
    ]:
        with subtests.test(changes=changes):
            with pytest.raises(BadMarket):
                opened(**changes)
            assert not Market.objects.exists()


def test_a_market_needs_an_open_stake_table_of_its_currency() -> None:
    with pytest.raises(UnknownCurrency):
        opened(currency="USD")
    change(bank(), open=False)
    with pytest.raises(StakeTableClosed):
        opened()


def test_market_keeps_the_stake_bounds_of_its_opening() -> None:
    table = bank()
    change(table, minimum=10, step=5, default=10, maximum=100)
    market = opened()
    change(table, minimum=1, step=1, maximum=10**6)
    for stake in (5, 11, 105):
        with pytest.raises(BadBet):
            bet(market, "H", stake)
    assert bet(market, "H", 15).stake == 15


def test_a_bet_is_paid_only_from_the_players_cash() -> None:
    player = bettor(100)
    services.open_session(player=player, amount=100, currency=CURRENCY, key=fresh_key(), at=AT)
    with pytest.raises(InsufficientFunds):
        place_bet(market=open_pool(), player=player, runner="H", stake=1, key=fresh_key(), at=AT)
    fund(cash(player), 1)
    place_bet(market=open_pool(), player=player, runner="H", stake=1, key=fresh_key(), at=AT)
