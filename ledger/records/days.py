"""Days of the installation's time zone, as the spans of time that they are: of 23, 24 or 25 hours. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo


@dataclass(frozen=True, slots=True)
class Day:
    """`begins` belongs to the day, `ends` to the next one; both in UTC."""

    date: date
    begins: datetime
    ends: datetime


def begins(day: date, zone: ZoneInfo) -> datetime:
    """The first instant of a day: midnight, or where the clock jumps over midnight the instant of the jump.

    >>> begins(date(2026, 6, 1), ZoneInfo("Europe/London")).isoformat()
    '2026-05-31T23:00:00+00:00'
    """
    return datetime.combine(day, time(), zone).astimezone(UTC)


def days(first: date, last: date, zone: ZoneInfo) -> list[Day]:
    """From one day to another, both of them with it. A day that the zone left out begins and ends at once.

    >>> (short,) = days(date(2026, 3, 29), date(2026, 3, 29), ZoneInfo("Europe/London"))
    >>> str(short.ends - short.begins)
    '23:00:00'
    """
    dates = [first + timedelta(days=after) for after in range((last - first).days + 2)]
    starts = [begins(each, zone) for each in dates]
    return [Day(*parts) for parts in zip(dates, starts, starts[1:], strict=False)]


def today(now: datetime, zone: ZoneInfo) -> date:
    return now.astimezone(zone).date()
