"""The clock that decides when jobs are due, and the detection of clock changes.

Each machine has its own clock; all machines share the clock of the database.
"""

from __future__ import annotations

import time
from datetime import datetime

from django.db import connection
from django.utils import timezone

TOLERANCE = 5.0
"""The difference between clocks, and the size of an adjustment, that raise no alarm, in seconds."""


def database_now() -> datetime:
    """The time of the database's clock. On SQLite this is the machine's clock."""
    if connection.vendor != "postgresql":
        return timezone.now()
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        now: datetime = cursor.fetchone()[0]
    return now


def skew() -> float:
    """The seconds by which this machine's clock is ahead of the database's."""
    return (timezone.now() - database_now()).total_seconds()


class Steps:
    """Detects that the clock of the database was set, or that another server with another clock has taken its place, by
    comparing it with the time since this machine's boot.
    """

    def __init__(self) -> None:
        self._ahead: float | None = None

    def look(self, now: datetime) -> float:
        """The seconds by which the clock was set forwards since the last call (negative: backwards), or 0. `now` is its
        present time.
        """
        ahead = now.timestamp() - _since_boot()
        step = 0.0 if self._ahead is None else ahead - self._ahead
        self._ahead = ahead
        return step if abs(step) > TOLERANCE else 0.0


def _since_boot() -> float:
    """Seconds of a clock that is never set. It includes suspension of the machine."""
    return time.clock_gettime(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))
