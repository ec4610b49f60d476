"""Markets for tests: a race of four suits, people with money, and their bets."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from fractions import Fraction
from typing import Any
from uuid import UUID, uuid4

from ledger import services
from ledger.betting.models import Bet, Market
from ledger.models import StakeTable
from ledger.services import Terms
from tests.money import AT, CURRENCY, available, bankroll, cash, fresh_key, fund

SUITS = ["C", "D", "H", "S"]
FAIR = dict.fromkeys(SUITS, Fraction(4))
LATER = AT + timedelta(minutes=5)


def bank(amount: int = 1_000_000) -> StakeTable:
    return bankroll(amount, "race-bets")


def open_pool(**terms: Any) -> Market:
    return _opened("pool", terms)


def open_fixed(prices: Mapping[str, Fraction] = FAIR, **terms: Any) -> Market:
    """Open a market with 3/1 on each runner, unless other fair returns are given."""
    return services.quote(market=_opened("fixed", terms), prices=prices, at=AT)


def _opened(kind: str, terms: dict[str, Any]) -> Market:
    return services.open_market(
        subject=f"game:{uuid4()}",
        kind=kind,
        runners=SUITS,
        currency=CURRENCY,
        terms=Terms(**terms),
        opened_by="player:adam",
        at=AT,
    )


def bettor(amount: int = 100_000) -> UUID:
    player = uuid4()
    fund(cash(player), amount)
    return player


def bet(market: Market, runner: str, stake: int, player: UUID | None = None, **more: Any) -> Bet:
    """Place a bet at the current price, by a new player unless one is given."""
    if market.kind == "fixed" and "price" not in more:
        more["price"] = market.runners.get(name=runner).price
    return services.place_bet(
        market=market,
        player=player or bettor(),
        runner=runner,
        stake=stake,
        **{"key": fresh_key(), "at": AT, **more},
    )


def close(market: Market) -> Market:
    return services.close_market(market=market, event=5, at=LATER)


def settle(market: Market, *winners: str, **more: Any) -> Market:
    close(market)
    return services.settle_market(market=market, winners=winners, event=9, at=LATER, **more)


def money_of(bet: Bet) -> int:
    return available(f"player:{bet.player}")


def escrow(market: Market) -> int:
    return available(market.owner, "escrow")
