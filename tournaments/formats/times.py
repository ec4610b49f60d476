"""Times as people write them, and the instants that they are. Pure.

A time with an offset is an instant. One without is wall time in a zone, which may be no instant at all, when the clocks
go forward, or two, when they go back: then it is refused and has to be said more exactly.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from functools import cache
from zoneinfo import ZoneInfo, available_timezones

YEARS = range(2000, 3000)


class BadTime(ValueError):
    """No instant, or not one alone; the text says why."""


class UnknownZone(ValueError):
    """No time zone of the IANA data base."""


@cache
def zones() -> frozenset[str]:
    """The names that may be given; those of the machine's own clock are not among them."""
    return frozenset(available_timezones()) - {"localtime", "posixrules", "Factory"}


def zone(name: str) -> ZoneInfo:
    """Raises UnknownZone."""
    if name not in zones():
        raise UnknownZone(f"{name} is no time zone; name one of the IANA data base, such as Europe/Berlin")
    return ZoneInfo(name)


def parse(text: str) -> datetime:
    """ISO 8601, to the second; without an offset a naive datetime, to be read in some zone. Raises BadTime.

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
    """In UTC: a naive time is wall time in `place`. Raises BadTime where that is none, or two.

    >>> instant(datetime(2027, 3, 28, 19), ZoneInfo("Europe/Berlin")).isoformat()
    '2027-03-28T17:00:00+00:00'
    """
    if time.tzinfo is not None:
        return time.astimezone(UTC)
    told = time.isoformat(timespec="minutes")
    first, second = (time.replace(tzinfo=place, fold=fold) for fold in (0, 1))
    if first.utcoffset() == second.utcoffset():
        return first.astimezone(UTC)
    if first.astimezone(UTC).astimezone(place).replace(tzinfo=None) != time:
        raise BadTime(f"{told} is no time in {place.key}: the clocks go forward over it")
    both = " or ".join(one.isoformat(timespec="minutes") for one in (first, second))
    raise BadTime(f"{told} comes twice in {place.key}, as the clocks go back: give {both}")


def local(at: datetime, place: ZoneInfo) -> str:
    """An instant by the clocks of a zone, with its offset.

    >>> local(datetime(2027, 3, 28, 17, tzinfo=UTC), ZoneInfo("Europe/Berlin"))
    '2027-03-28T19:00:00+02:00'
    """
    return at.astimezone(place).isoformat(timespec="seconds")


def opens(number: int, *, after: datetime, gap: timedelta, fixed: Mapping[int, datetime]) -> datetime:
    """When a round opens that follows one closed at `after`: at its fixed time if it has one, else after the gap; at
    once if that is over."""
    return max(after, fixed[number] if number in fixed else after + gap)
