"""What play came to: how long, how often, how much went in and came back. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Figures:
    """`seconds` between cash in and cash out; `stakes` counts games, bets and entries that were not undone.

    Amounts are pence. `net` is what the player has gained; open stakes count as lost until they are settled.
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
    """Of sessions from opening to closing (None: still open), what lies in the time from `since` to `until`.

    Sessions in two currencies may overlap; a minute is counted once.
    """
    total, reached = 0.0, since
    for opened, closed in sorted(sessions, key=lambda session: session[0]):
        begin, end = max(opened, reached), min(closed or until, until)
        if end > begin:
            total += (end - begin).total_seconds()
            reached = end
    return int(total)
