"""Pari-mutuel pools: the bets on a winner share all stakes. Pure and exact; no penny is lost to rounding."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ledger.betting.terms import LOSE, STEPS, Judgement, Wager, refund_all
from ledger.splits import WHOLE, largest_remainder, rake

UNIT = 100
"""Pence for which a dividend is declared."""


def divide(
    wagers: Sequence[Wager], winners: Collection[str], *, takeout: int, step: int = 0, on_draw: str = "refund"
) -> Judgement:
    """Compute the return of each wager from the pool. `wagers` are in order of betting, which decides who gets odd
    pence.

    takeout  the site's part of the pool in basis points, rounded down; reduced before a winner gets less than the
             stake, so the site never adds to a pool
    step     0: the net pool is divided by largest remainder. 1 or 10: the dividend per unit of 100 pence is rounded
             down to that many pence and a return to whole pence; the rest is `breakage`

    Stakes are refunded without takeout if fewer than two runners were backed or no bet is on a winner. Void wagers are
    always refunded. If no runner won, `on_draw` decides between a refund and a loss.

    >>> pool = [Wager("H", 60), Wager("S", 30), Wager("H", 10)]
    >>> divide(pool, ["H"], takeout=1000)
    Judgement(returns=[77, 0, 13], refunded=[False, False, False], takeout=10, breakage=0)
    >>> divide(pool, ["H"], takeout=4000).takeout
    30
    """
    if step not in STEPS or not 0 <= takeout <= WHOLE:
        raise ValueError("a pool has a takeout of 0 to 10,000 basis points and a step of 0, 1 or 10")
    counted = [place for place, wager in enumerate(wagers) if not wager.void]
    gross = sum(wagers[place].stake for place in counted)
    won = frozenset(winners)
    winning = [place for place in counted if wagers[place].runner in won]
    if len({wagers[place].runner for place in counted}) < 2 or (not winning and (won or on_draw != LOSE)):
        return refund_all(wagers)
    returns = [wager.stake if wager.void else 0 for wager in wagers]
    refunded = [wager.void for wager in wagers]
    if not winning:
        return Judgement(returns, refunded, takeout=gross)
    stakes = [wagers[place].stake for place in winning]
    taken = min(rake(gross, takeout)[0], gross - sum(stakes))
    shares = _shares(gross - taken, stakes, step)
    for place, share in zip(winning, shares, strict=True):
        returns[place] = share
    return Judgement(returns, refunded, takeout=taken, breakage=gross - taken - sum(shares))


def rounded_dividend(net: int, backed: int, step: int) -> int:
    """Return the pence that one unit returns from a net pool, stake included, rounded down to a multiple of `step`.

    >>> rounded_dividend(90, 70, 1), rounded_dividend(90, 70, 10)
    (128, 120)
    """
    return net * UNIT // (backed * step) * step


def _shares(net: int, stakes: Sequence[int], step: int) -> list[int]:
    if step == 0:
        return largest_remainder(net, stakes)
    unit = rounded_dividend(net, sum(stakes), step)
    return [stake * unit // UNIT for stake in stakes]
