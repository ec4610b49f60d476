"""Schedules: the start, the check-in, the opening of rounds, and the time zone. Times are stored in UTC."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Annotated, TypedDict
from zoneinfo import ZoneInfo

from tournaments.errors import BadTerms
from tournaments.formats import times
from tournaments.models import Tournament

WEEK = timedelta(weeks=1)


def check_ahead(opens_at: datetime | None, fixed: Mapping[int, datetime], *, now: datetime) -> None:
    """Raise BadTerms if a time of the schedule is in the past."""
    if opens_at is not None and opens_at <= now:
        raise BadTerms("opens_at", "the start is in the past.")
    if any(at <= now for at in fixed.values()):
        raise BadTerms("round_times", "the first time is in the past.")


def ahead(tournament: Tournament, *, now: datetime) -> tuple[datetime | None, list[tuple[int, datetime]]]:
    """Return start and fixed times as wall time in the tournament's zone, a whole number of weeks later if the start
    is past. Without a start there are no fixed times either.
    """
    if tournament.opens_at is None or tournament.time_zone not in times.zones():
        return None, []
    place = times.zone(tournament.time_zone)
    weeks = max(0, (now - tournament.opens_at) // WEEK + 1)

    def moved(at: datetime) -> datetime:
        return at.astimezone(place).replace(tzinfo=None) + weeks * WEEK

    fixed = [(number, moved(at)) for number, at in fixed_times(tournament).items()]
    return moved(tournament.opens_at), fixed


def fixed_times(tournament: Tournament) -> dict[int, datetime]:
    """Return the fixed opening times by round, in UTC."""
    return {row["round"]: datetime.fromisoformat(row["opens_at"]) for row in tournament.round_times}


def next_opens(tournament: Tournament, number: int, *, after: datetime) -> datetime:
    """Return when round `number` opens if the previous one was closed at `after`."""
    gap = timedelta(seconds=tournament.gap_seconds)
    return times.opens(number, after=after, gap=gap, fixed=fixed_times(tournament))


class RoundTimeOutput(TypedDict):
    round: int
    opens_at: datetime
    opens_at_local: str | None


class ScheduleOutput(TypedDict):
    time_zone: str
    opens_at_local: Annotated[str | None, "local time in the zone, with its offset"]
    check_in_at: datetime | None
    check_in_at_local: str | None
    round_times: list[RoundTimeOutput]


def document(tournament: Tournament) -> ScheduleOutput:
    """Return the schedule in UTC and in local time."""
    # A zone that the machine no longer knows leaves the UTC times intact.
    place = ZoneInfo(tournament.time_zone) if tournament.time_zone in times.zones() else None
    starts, check_in = tournament.opens_at, None
    if starts is not None and tournament.check_in_seconds:
        check_in = starts - timedelta(seconds=tournament.check_in_seconds)
    return {
        "time_zone": tournament.time_zone,
        "opens_at_local": _local(starts, place),
        "check_in_at": check_in,
        "check_in_at_local": _local(check_in, place),
        "round_times": list(_rounds(fixed_times(tournament).items(), place)),
    }


def _rounds(fixed: Iterable[tuple[int, datetime]], place: ZoneInfo | None) -> Iterable[RoundTimeOutput]:
    for number, at in fixed:
        yield {"round": number, "opens_at": at, "opens_at_local": _local(at, place)}


def _local(at: datetime | None, place: ZoneInfo | None) -> str | None:
    return None if at is None or place is None else times.local(at, place)
