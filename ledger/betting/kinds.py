"""Kinds of market: who pays the winners, what the site keeps, and how bets are judged. Pure.

Everything that differs between kinds stands here; the columns' constraints and the triggers follow from it too.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ledger.betting import pools, prices
from ledger.betting.terms import ON_DRAW, STEPS, Judgement, Terms, Wager
from ledger.money import MOST_PENCE
from ledger.splits import WHOLE, rake


class Backed(NamedTuple):
    """A runner with the sum of its open bets, and their return in pence if it wins alone at their prices."""

    name: str
    price: str
    stakes: int
    returns: int


class Outlook(NamedTuple):
    """What happens if a runner wins alone: `pays` to the players, `result` for the site, both in pence.

    `price` is the runner's price, or the dividend that one unit would return.
    """

    name: str
    price: str
    staked: int
    pays: int
    result: int


Judge = Callable[[Sequence[Wager], Collection[str], Terms], Judgement]


@dataclass(frozen=True, slots=True)
class Kind:
    name: str
    label: str
    share: str
    """The term that is the site's share: `margin` or `takeout`."""
    priced: bool
    """Each bet has the price at which it was made, and the stake table's bank covers the largest win. Otherwise the
    winners share the stakes, so that runners may come and withdraw while betting is open."""
    steps: tuple[int, ...]
    """The steps to which a dividend may be rounded."""
    reopens: bool
    """Whether the market may reopen at new prices."""
    judge: Judge
    outlook: Callable[[Terms, Sequence[Backed]], Iterator[Outlook]]
    takes: Callable[[Terms, int], int | None]
    """The site's part of these stakes so far, if it is known before the result."""

    @property
    def unused(self) -> Mapping[str, object]:
        """The columns that have one value in this kind."""
        return {
            "takeout" if self.share == "margin" else "margin": 0,
            **({"step": 0} if self.steps == (0,) else {}),
            **({} if self.reopens else {"in_running": False}),
        }

    def faults(self, terms: Terms) -> list[str]:
        """Return the faults of the terms of such a market, one sentence each."""
        found = []
        if not all(type(part) is int and 0 <= part < WHOLE for part in (terms.margin, terms.takeout)):
            found.append("Margin and takeout are 0 to 9,999 basis points.")
        elif (terms.takeout if self.share == "margin" else terms.margin) != 0:
            found.append("Fixed odds have a margin, a pool has a takeout.")
        if type(terms.step) is not int or terms.step not in self.steps:
            found.append("A dividend is rounded down to 1 or 10 pence, or not at all (0).")
        if terms.on_draw not in ON_DRAW:
            found.append(f"on_draw is one of {', '.join(ON_DRAW)}.")
        if terms.in_running and not self.reopens:
            found.append("Only a market of fixed odds opens again.")
        if terms.cap is not None and (type(terms.cap) is not int or not 1 <= terms.cap <= MOST_PENCE):
            found.append("A cap is 1 to 100,000,000,000 pence.")
        return found


def _pool_outlook(terms: Terms, runners: Sequence[Backed]) -> Iterator[Outlook]:
    """As `pools.divide`: stakes are refunded if fewer than two runners are backed, or the winner is not."""
    staked = sum(runner.stakes for runner in runners)
    contested = sum(runner.stakes > 0 for runner in runners) > 1
    for runner in runners:
        if not runner.stakes or not contested:
            yield Outlook(runner.name, "", runner.stakes, staked, 0)
            continue
        taken = min(rake(staked, terms.takeout)[0], staked - runner.stakes)
        unit = pools.rounded_dividend(staked - taken, runner.stakes, terms.step or 1)
        yield Outlook(runner.name, f"{unit / pools.UNIT:.2f}", runner.stakes, staked - taken, taken)


def _fixed_outlook(terms: Terms, runners: Sequence[Backed]) -> Iterator[Outlook]:
    staked = sum(runner.stakes for runner in runners)
    return (
        Outlook(runner.name, runner.price, runner.stakes, runner.returns, staked - runner.returns)
        for runner in runners
    )


FIXED = Kind(
    name="fixed",
    label="Fixed odds",
    share="margin",
    priced=True,
    steps=(0,),
    reopens=True,
    judge=lambda wagers, winners, terms: prices.settle(wagers, winners, terms.on_draw),
    outlook=_fixed_outlook,
    takes=lambda terms, staked: None,
)
POOL = Kind(
    name="pool",
    label="Pool",
    share="takeout",
    priced=False,
    steps=STEPS,
    reopens=False,
    judge=lambda wagers, winners, terms: pools.divide(
        wagers, winners, takeout=terms.takeout, step=terms.step, on_draw=terms.on_draw
    ),
    outlook=_pool_outlook,
    takes=lambda terms, staked: rake(staked, terms.takeout)[0],
)
KINDS = {kind.name: kind for kind in (FIXED, POOL)}
CHOICES = [(kind.name, kind.label) for kind in KINDS.values()]
PRICED = [kind.name for kind in KINDS.values() if kind.priced]
