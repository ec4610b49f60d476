"""When a message may be sent: the end of quiet hours, and the time of the next digest. Pure functions of `now`."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

DAILY_AT = time(8)
"""The local time of a daily digest."""


def quiet_end(start: time, end: time, zone: ZoneInfo, now: datetime) -> datetime | None:
    """Return when the quiet hours end that `now` is in; None outside of them. They may contain midnight.

    >>> at = datetime(2026, 3, 1, 23, tzinfo=UTC)
    >>> quiet_end(time(22), time(7), ZoneInfo("UTC"), at).isoformat()
    '2026-03-02T07:00:00+00:00'
    >>> quiet_end(time(7), time(22), ZoneInfo("UTC"), at) is None
    True
    """
    local = now.astimezone(zone)
    at = local.time()
    over_midnight = start > end
    is_quiet = (at >= start or at < end) if over_midnight else start <= at < end
    if not is_quiet:
        return None
    day = local.date() + timedelta(days=1 if over_midnight and at >= start else 0)
    return datetime.combine(day, end, zone).astimezone(UTC)


def next_hour(now: datetime) -> datetime:
    """Return the next full hour after `now`.

    >>> next_hour(datetime(2026, 3, 1, 12, tzinfo=UTC)).isoformat()
    '2026-03-01T13:00:00+00:00'
    """
    return now.replace(minute=0, second=0, microsecond=0) + timedelta(hours=1)


def next_day(zone: ZoneInfo, now: datetime) -> datetime:
    """Return the next `DAILY_AT` after `now` in a time zone.

    >>> next_day(ZoneInfo("Europe/Berlin"), datetime(2026, 3, 1, 12, tzinfo=UTC)).isoformat()
    '2026-03-02T07:00:00+00:00'
    """
    day = now.astimezone(zone).date()
    today = datetime.combine(day, DAILY_AT, zone).astimezone(UTC)
    if today > now:
        return today
    return datetime.combine(day + timedelta(days=1), DAILY_AT, zone).astimezone(UTC)
