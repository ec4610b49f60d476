"""Fixed odds: prices offered and returns. Pure and exact.

A price is offered in decimal notation, in hundredths with the stake, and computed with as odds to one, a fraction: 3.50
are odds of 5/2, which win five pence for each two staked.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from fractions import Fraction
from functools import lru_cache

from ledger.betting import ladder
from ledger.betting.terms import REFUND, Judgement, Wager, refund_all
from ledger.splits import WHOLE

LONGEST = 100
"""Maximum length of odds as text."""

_TEXT = re.compile(r"([1-9][0-9]{0,60})/([1-9][0-9]{0,60})")


def offered(fair_return: Fraction, margin: int) -> int | None:
    """Return the price that a margin (basis points) leaves of a fair return per unit, rounded down to the ladder.

    None if it is not on the ladder: no win above the stake is left, or it is above the highest price. Then the runner
    is not offered.

    >>> offered(Fraction(4), 0), offered(Fraction(4), 490), offered(Fraction(1), 0)
    (400, 380, None)
    """
    if fair_return < 0 or not 0 <= margin <= WHOLE:
        raise ValueError(f"a margin is 0 to {WHOLE} basis points of a return that is not negative")
    return ladder.at_most(fair_return * Fraction(WHOLE - margin, WHOLE))


def of_hundredths(price: int) -> Fraction:
    """Return the odds of a price.

    >>> of_hundredths(350)
    Fraction(5, 2)
    """
    return Fraction(price - 100, 100)


def stored(price: int | None) -> str:
    """Return the odds of a price as runners and bets store them, over 100; empty without a price.

    >>> stored(350), stored(None)
    ('250/100', '')
    """
    return "" if price is None else f"{price - 100}/100"


def shown(odds: str) -> str | None:
    """Return stored odds in lowest terms; None without odds.

    >>> shown("250/100"), shown("3/1"), shown("")
    ('5/2', '3/1', None)
    """
    if not odds:
        return None
    exact = parse(odds)
    return f"{exact.numerator}/{exact.denominator}"


@lru_cache(maxsize=1024)
def parse(text: str) -> Fraction:
    """Parse odds, in lowest terms or not. Raises ValueError."""
    found = _TEXT.fullmatch(text) if len(text) <= LONGEST else None
    if found is None:
        raise ValueError("a price is a fraction such as 5/2")
    return Fraction(int(found[1]), int(found[2]))


def as_decimal(odds: str) -> str:
    """Return the decimal price of stored odds, stake included, rounded down to hundredths; empty without odds.

    >>> as_decimal("250/100"), as_decimal("1/3"), as_decimal("")
    ('3.50', '1.33', '')
    """
    if not odds:
        return ""
    hundredths = int(100 * (1 + parse(odds)))
    return f"{hundredths // 100}.{hundredths % 100:02d}"


def payout(stake: int, odds: Fraction, tied: int = 1) -> int:
    """Return the return of a winning bet, stake included, if `tied` runners won together.

    >>> payout(100, Fraction(5, 2)), payout(100, Fraction(5, 2), tied=2)
    (350, 175)
    """
    return stake * (odds.numerator + odds.denominator) // (odds.denominator * tied)


def settle(wagers: Sequence[Wager], winners: Collection[str], on_draw: str) -> Judgement:
    """Settle each wager at its own price. Void wagers are refunded. If no runner won, all are refunded or lose."""
    won = frozenset(winners)
    if not won and on_draw == REFUND:
        return refund_all(wagers)
    returns = []
    for wager in wagers:
        if wager.void:
            returns.append(wager.stake)
        elif wager.runner in won:
            assert wager.odds is not None
            returns.append(payout(wager.stake, wager.odds, len(won)))
        else:
            returns.append(0)
    return Judgement(returns, [wager.void for wager in wagers])
