"""What a limit is, when a change of it takes effect, and for how long play may be stopped. Pure."""

from __future__ import annotations

from calendar import monthrange
from dataclasses import dataclass
from datetime import datetime, timedelta

DEPOSIT = "deposit"
STAKE = "stake"
LOSS = "loss"
KINDS = (DEPOSIT, STAKE, LOSS)

DAY = "day"
WEEK = "week"
MONTH = "month"
LENGTHS = {DAY: timedelta(days=1), WEEK: timedelta(days=7), MONTH: timedelta(days=30)}
"""Windows roll: a day is the 24 hours that end now, wherever the player's midnight is."""

COOLING = timedelta(hours=24)
"""How long a limit stands on after its owner has asked for a higher one, or for none."""

SHORTEST_TIME_OUT = timedelta(hours=1)
LONGEST_TIME_OUT = timedelta(weeks=6)
FEWEST_MONTHS = 6
MOST_MONTHS = 60
"""Of a self-exclusion that has an end."""


@dataclass(frozen=True, slots=True)
class Change:
    """A limit asked for: `amount` pence from `effective_at` on, `was` until then; None is no limit.

    `was` is what was in force when it was asked for, so the newest change of a limit alone tells what it is and will
    be: a later change takes the place of whatever was pending.
    """

    kind: str
    period: str
    amount: int | None
    was: int | None
    at: datetime
    effective_at: datetime

    def in_force(self, at: datetime) -> int | None:
        """Pence at a time from `self.at` on; None: no limit."""
        return self.amount if self.effective_at <= at else self.was

    def pending(self, at: datetime) -> bool:
        return self.effective_at > at


def takes_effect(*, amount: int | None, was: int | None, at: datetime) -> datetime:
    """At once if the limit becomes lower or stays, after COOLING if it becomes higher or goes."""
    lowers = was is None or (amount is not None and amount <= was)
    return at if lowers else at + COOLING


def months_later(at: datetime, months: int) -> datetime:
    """The same day and time so many months later, or the last day of that month."""
    year, month = divmod(at.year * 12 + at.month - 1 + months, 12)
    month += 1
    return at.replace(year=year, month=month, day=min(at.day, monthrange(year, month)[1]))
