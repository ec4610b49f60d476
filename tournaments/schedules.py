"""Schedules: the start, the check-in, the opening of rounds, and the time zone. Times are stored in UTC."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Annotated, TypedDict
from zoneinfo import ZoneInfo

from tournaments.errors import BadTerms
from tournaments.formats import times
from tournaments.models import Tournament


def check_ahead(tournament: Tournament, *, now: datetime) -> None:
    """Raise BadTerms if a time of the schedule is in the past."""
    if tournament.opens_at is not None and tournament.opens_at <= now:
        raise BadTerms("opens_at", "the start is in the past.")
    if any(at <= now for at in fixed_times(tournament).values()):
        raise BadTerms("round_times", "the first time is in the past.")


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
