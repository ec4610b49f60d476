"""Pari-mutuel: those who backed a winner divide what all have staked. Pure, exact, nothing lost to rounding."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ledger.betting.wagers import LOSE, Judgement, Wager, refund_all
from ledger.splits import WHOLE, largest_remainder, rake

UNIT = 100
"""Pence for which a dividend is declared, where one is."""

STEPS = (0, 1, 10)
"""How dividends are rounded down: not at all, to whole pence, or to ten pence a unit."""


def divide(
    wagers: Sequence[Wager], winners: Collection[str], *, takeout: int, step: int = 0, on_draw: str = "refund"
) -> Judgement:
    """What each wager gets from the pool; `wagers` in order of betting, which decides where pence are left over.

    takeout  the house's part of the pool in basis points, rounded down; it shrinks before a winner gets less than
             the stake. So the house never adds to a pool: all that was staked covers what the winners staked.
    step     0: the net pool is divided by largest remainder, nothing breaks off. 1 or 10: a dividend per unit of
             100 pence is rounded down to that many pence, a return to whole pence; what breaks off is `breakage`.

    Stakes go back, without takeout, where fewer than two runners were backed, where nobody backed a winner, and to void
    wagers always. Where nobody won, `on_draw` says whether they do or the house keeps them.

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


def dividend(net: int, backed: int, step: int) -> int:
    """Pence that a unit returns from a net pool, its stake with it, rounded down to a multiple of `step`.

    >>> dividend(90, 70, 1), dividend(90, 70, 10)
    (128, 120)
    """
    return net * UNIT // (backed * step) * step


def _shares(net: int, stakes: Sequence[int], step: int) -> list[int]:
    if step == 0:
        return largest_remainder(net, stakes)
    unit = dividend(net, sum(stakes), step)
    return [stake * unit // UNIT for stake in stakes]
