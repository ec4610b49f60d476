"""The clock that decides when jobs are due, and how a clock that is set while it runs is noticed.

Each of several machines has its own clock; all of them share the clock of the database.
"""

from __future__ import annotations

import time
from datetime import datetime

from django.db import connection
from django.utils import timezone

TOLERANCE = 5.0
"""Seconds by which clocks may differ, and by which one is adjusted, without an alarm."""


def database_now() -> datetime:
    """The time of the database's clock; SQLite has none but this machine's."""
    if connection.vendor != "postgresql":
        return timezone.now()
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        now: datetime = cursor.fetchone()[0]
    return now


def skew() -> float:
    """Seconds by which this machine's clock is ahead of the database's."""
    return (timezone.now() - database_now()).total_seconds()


class Steps:
    """Notices that the clock was set: time passed by it that has not passed, or the other way round."""

    def __init__(self) -> None:
        self._ahead = _ahead()

    def look(self) -> float:
        """Seconds by which the clock was set forwards since the last look (negative: backwards); 0 if it was not."""
        ahead = _ahead()
        step, self._ahead = ahead - self._ahead, ahead
        return step if abs(step) > TOLERANCE else 0.0


def _ahead() -> float:
    """Seconds between the clock and the time since boot, which is never set. Both count suspension of the machine."""
    return time.time() - time.clock_gettime(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))
