"""Fixed odds: prices offered and returns. Pure and exact; a price is odds to one, as a fraction.

Odds of 5/2 win five pence for each two staked: 3.50 in decimal notation, which includes the stake.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from fractions import Fraction
from functools import lru_cache

from ledger.betting.terms import REFUND, Judgement, Wager, refund_all
from ledger.splits import WHOLE

LONGEST = 100
"""Maximum length of a price as text."""

_TEXT = re.compile(r"([1-9][0-9]{0,60})/([1-9][0-9]{0,60})")


def offered(fair_return: Fraction, margin: int) -> Fraction | None:
    """Return the odds that a margin (basis points) leaves of a fair return per unit.

    None if no win above the stake is left; then the runner is not offered.

    >>> offered(Fraction(4), 0), offered(Fraction(4), 500), offered(Fraction(1), 0)
    (Fraction(3, 1), Fraction(14, 5), None)
    """
    if fair_return < 0 or not 0 <= margin <= WHOLE:
        raise ValueError(f"a margin is 0 to {WHOLE} basis points of a return that is not negative")
    odds = fair_return * Fraction(WHOLE - margin, WHOLE) - 1
    return odds if odds > 0 else None


def as_text(odds: Fraction) -> str:
    """
    >>> as_text(Fraction(3)), as_text(Fraction(10, 4))
    ('3/1', '5/2')
    """
    return f"{odds.numerator}/{odds.denominator}"


@lru_cache(maxsize=1024)
def parse(text: str) -> Fraction:
    """Parse odds, in lowest terms or not. Raises ValueError."""
    found = _TEXT.fullmatch(text) if len(text) <= LONGEST else None
    if found is None:
        raise ValueError("a price is a fraction such as 5/2")
    return Fraction(int(found[1]), int(found[2]))


def as_decimal(odds: Fraction) -> str:
    """Return the decimal price, stake included, rounded down to hundredths.

    >>> as_decimal(Fraction(5, 2)), as_decimal(Fraction(1, 3))
    ('3.50', '1.33')
    """
    hundredths = (100 * (odds.numerator + odds.denominator)) // odds.denominator
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
