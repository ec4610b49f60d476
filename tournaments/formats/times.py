"""Parsing of local times and conversion to instants.

A time with an offset is an instant. A time without one is wall time in a zone. When the clocks change it may denote
no instant, or two; then it is refused, and an offset is required.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import NamedTuple
from zoneinfo import ZoneInfo, available_timezones

YEARS = range(2000, 3000)


class BadTime(ValueError):
    """The time denotes no instant, or two. The text gives the reason."""


class UnknownZone(ValueError):
    """There is no such time zone in the IANA database."""


@cache
def zones() -> frozenset[str]:
    """Return the permitted names, without those of the machine's own clock."""
    return frozenset(available_timezones()) - {"localtime", "posixrules", "Factory"}


def zone(name: str) -> ZoneInfo:
    """Return the zone. Raises UnknownZone."""
    if name not in zones():
        raise UnknownZone(f"{name} is not a time zone of the IANA database, such as Europe/Berlin")
    return ZoneInfo(name)


def parse(text: str) -> datetime:
    """Parse ISO 8601, to the second; without an offset, return a naive datetime. Raises BadTime.

    >>> parse("2027-03-28 19:00"), parse("2027-03-28T17:00:00Z").utcoffset()
    (datetime.datetime(2027, 3, 28, 19, 0), datetime.timedelta(0))
    """
    try:
        found = datetime.fromisoformat(text.strip())
    except ValueError:
        raise BadTime("not a time such as 2027-03-28T19:00 or 2027-03-28T17:00:00Z") from None
    if found.year not in YEARS or ":" not in text:
        raise BadTime(f"not a time of day in the years {YEARS[0]} to {YEARS[-1]}")
    return found


def instant(time: datetime, place: ZoneInfo) -> datetime:
    """Return the instant in UTC; a naive time is wall time in `place`. Raises BadTime if there is none, or two.

    >>> instant(datetime(2027, 3, 28, 19), ZoneInfo("Europe/Berlin")).isoformat()
    '2027-03-28T17:00:00+00:00'
    """
    if time.tzinfo is not None:
        return time.astimezone(UTC)
    shown = time.isoformat(timespec="minutes")
    first, second = (time.replace(tzinfo=place, fold=fold) for fold in (0, 1))
    if first.utcoffset() == second.utcoffset():
        return first.astimezone(UTC)
    if first.astimezone(UTC).astimezone(place).replace(tzinfo=None) != time:
        raise BadTime(f"{shown} does not exist in {place.key}: the clocks go forward over it")
    both = " or ".join(one.isoformat(timespec="minutes") for one in (first, second))
    raise BadTime(f"{shown} occurs twice in {place.key}, as the clocks go back: give {both}")


def local(at: datetime, place: ZoneInfo) -> str:
    """Return an instant as local time with its offset.

    >>> local(datetime(2027, 3, 28, 17, tzinfo=UTC), ZoneInfo("Europe/Berlin"))
    '2027-03-28T19:00:00+02:00'
    """
    return at.astimezone(place).isoformat(timespec="seconds")


def opens(number: int, *, after: datetime, gap: timedelta, fixed: Mapping[int, datetime]) -> datetime:
    """Return when a round opens after the previous one closed at `after`: at its fixed time, or after the gap; at
    once if that is past.
    """
    return max(after, fixed[number] if number in fixed else after + gap)


class Slot(NamedTuple):
    """When a round opens, and when it closes at the latest."""

    round: int
    opens: datetime
    closes: datetime


def timetable(
    rounds: int, *, start: datetime, length: timedelta, gap: timedelta, fixed: Mapping[int, datetime]
) -> list[Slot]:
    """Return the slots of all rounds if each takes its whole time.

    >>> start, hour = datetime(2027, 3, 28, 17, tzinfo=UTC), timedelta(hours=1)
    >>> [slot.opens.hour for slot in timetable(3, start=start, length=hour, gap=hour / 2, fixed={})]
    [17, 18, 20]
    """
    slots: list[Slot] = []
    for number in range(1, rounds + 1):
        begins = opens(number, after=slots[-1].closes, gap=gap, fixed=fixed) if slots else start
        slots.append(Slot(number, begins, begins + length))
    return slots
