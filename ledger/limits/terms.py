"""Limits, the delay of their changes, and the lengths of stops. Pure."""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

DEPOSIT = "deposit"
STAKE = "stake"
LOSS = "loss"
KINDS = {DEPOSIT: "Deposits", STAKE: "Stakes", LOSS: "Losses"}
"""The kinds of limit with their labels. `ledger.limits.usage` computes what counts towards each."""
OF_DEPOSITS = (DEPOSIT,)
OF_STAKES = (STAKE, LOSS)
"""The kinds that a deposit and a stake must respect."""
CHOICES = list(KINDS.items())

DAY = "day"
WEEK = "week"
MONTH = "month"
LENGTHS = {DAY: timedelta(days=1), WEEK: timedelta(days=7), MONTH: timedelta(days=30)}
"""Windows are rolling: a day is the 24 hours that end now."""

COOLING = timedelta(hours=24)
"""How long a limit remains in force after its owner has requested a higher one, or none."""

SHORTEST_TIME_OUT = timedelta(hours=1)
LONGEST_TIME_OUT = timedelta(weeks=6)
FEWEST_MONTHS = 6
MOST_MONTHS = 60
"""Bounds of a self-exclusion with an end."""


@dataclass(frozen=True, slots=True)
class Change:
    """A requested limit: `amount` pence from `effective_at` on, `was` until then; None is no limit.

    `was` is the limit in force at the request, so the newest change alone says what is and will be in force. A later
    change replaces a pending one.
    """

    kind: str
    period: str
    amount: int | None
    was: int | None
    at: datetime
    effective_at: datetime

    def in_force(self, at: datetime) -> int | None:
        """Return the limit in pence at a time after the request; None is no limit."""
        return self.amount if self.effective_at <= at else self.was

    def pending(self, at: datetime) -> bool:
        return self.effective_at > at


def takes_effect(*, amount: int | None, was: int | None, at: datetime) -> datetime:
    """Return when a change takes effect: at once if it lowers or keeps the limit, after COOLING otherwise."""
    lowers = was is None or (amount is not None and amount <= was)
    return at if lowers else at + COOLING


def months_later(at: datetime, months: int) -> datetime:
    """Return the same day and time some months later, or the last day of that month."""
    year, month = divmod(at.year * 12 + at.month - 1 + months, 12)
    month += 1
    return at.replace(year=year, month=month, day=min(at.day, monthrange(year, month)[1]))


@dataclass(frozen=True, slots=True)
class Move:
    """A movement that counts for a limit: a positive amount uses it, a negative one frees it."""

    at: datetime
    amount: int


def used(moves: Iterable[Move], *, at: datetime, length: timedelta) -> int:
    """Return the pence used in the window that ends now, at least 0."""
    return max(0, sum(move.amount for move in moves if at - length < move.at))


def frees_up(
    moves: Iterable[Move], *, limit: int, amount: int, at: datetime, length: timedelta
) -> datetime | None:
    """Return when `amount` first fits the limit if nothing else happens; None if it exceeds the limit.

    Movements leave the window in order of time.
    """
    if amount > limit:
        return None
    within = sorted((move for move in moves if at - length < move.at), key=lambda move: move.at)
    left = sum(move.amount for move in within)
    free: datetime | None = at if max(0, left) + amount <= limit else None
    for number, move in enumerate(within):
        left -= move.amount
        last_of_its_time = number + 1 == len(within) or within[number + 1].at != move.at
        if free is None and last_of_its_time and max(0, left) + amount <= limit:
            free = move.at + length
    return free


def not_refunded(stakes: Iterable[Move], refunded: int) -> list[Move]:
    """Return what remains of the stakes in one escrow after a refund, which cancels the oldest stakes first.

    Otherwise a player could cancel an old bet and stake its amount again in the current window.
    """
    left = []
    for stake in sorted(stakes, key=lambda stake: stake.at):
        undone = min(stake.amount, refunded)
        refunded -= undone
        if undone < stake.amount:
            left.append(Move(stake.at, stake.amount - undone))
    return left


@dataclass(frozen=True, slots=True)
class Figures:
    """Figures of play. `seconds` counts open sessions; `stakes` counts games, bets, and entries that were not undone.

    Amounts are pence. `net` is the player's gain; open stakes count as lost until they are settled.
    """

    since: datetime
    until: datetime
    seconds: int
    stakes: int
    staked: int
    returned: int

    @property
    def net(self) -> int:
        return self.returned - self.staked


def seconds_played(
    sessions: Iterable[tuple[datetime, datetime | None]], *, since: datetime, until: datetime
) -> int:
    """Return the seconds of sessions (opened, closed or None) within `since` and `until`.

    Overlapping sessions in two currencies count once.
    """
    total, reached = 0.0, since
    for opened, closed in sorted(sessions, key=lambda session: session[0]):
        begin, end = max(opened, reached), min(closed or until, until)
        if end > begin:
            total += (end - begin).total_seconds()
            reached = end
    return int(total)
