"""The terms of a market in words, as the back office shows them before it is opened and afterwards."""

from __future__ import annotations

from ledger.betting.models import Market
from ledger.betting.wagers import REFUND
from ledger.formats import money


def stakes(market: Market) -> str:
    least, most, step = (
        money(amount, market.currency) for amount in (market.minimum, market.maximum, market.stake_step)
    )
    return f"{least} to {most}, in steps of {step}"


def rounding(market: Market) -> str:
    """Of a dividend."""
    return f"rounded down to {market.step}p" if market.step else "not rounded"


def if_nobody_wins(market: Market) -> str:
    return "bets go back" if market.on_draw == REFUND else "bets lose"


def cap(market: Market) -> str:
    return "none of its own" if market.cap is None else money(market.cap, market.currency)
