"""Local times of a zone: times that a clock change skips or repeats are refused."""

from __future__ import annotations

import doctest
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tournaments.formats import times
from tournaments.formats.times import BadTime, UnknownZone, instant, local, opens, parse, zone

BERLIN = ZoneInfo("Europe/Berlin")


def test_the_examples_of_the_docstrings_hold() -> None:
    assert doctest.testmod(times).failed == 0


@pytest.mark.parametrize(
    ("text", "utc"),
    [
        ("2027-03-28T01:59", "2027-03-28T00:59:00+00:00"),
        ("2027-03-28T03:00", "2027-03-28T01:00:00+00:00"),
        ("2027-07-01 19:00", "2027-07-01T17:00:00+00:00"),
        ("2027-10-31T01:59", "2027-10-30T23:59:00+00:00"),
        ("2027-10-31T03:00", "2027-10-31T02:00:00+00:00"),
        ("2027-10-31T02:30+02:00", "2027-10-31T00:30:00+00:00"),
        ("2027-10-31T02:30+01:00", "2027-10-31T01:30:00+00:00"),
        ("2027-10-31T02:30Z", "2027-10-31T02:30:00+00:00"),
    ],
)
def test_a_time_without_an_offset_is_read_in_its_zone(text: str, utc: str) -> None:
    assert instant(parse(text), BERLIN).isoformat() == utc


@pytest.mark.parametrize("text", ["2027-03-28T02:00", "2027-03-28T02:30", "2027-03-28T02:59:59"])
def test_a_time_that_a_clock_change_skips_is_refused(text: str) -> None:
    with pytest.raises(BadTime, match="does not exist in Europe/Berlin: the clocks go forward over it"):
        instant(parse(text), BERLIN)


@pytest.mark.parametrize("text", ["2027-10-31T02:00", "2027-10-31T02:59:59"])
def test_a_time_that_a_clock_change_repeats_needs_an_offset(text: str) -> None:
    with pytest.raises(BadTime, match=r"occurs twice.+\+02:00 or 2027-10-31T02:.+\+01:00"):
        instant(parse(text), BERLIN)


@pytest.mark.parametrize(
    "text",
    ["", "soon", "19:00", "2027-03-28", "2027-02-30T19:00", "1999-12-31T23:59", "9999-12-31T23:59-12:00"],
)
def test_an_invalid_time_of_day_is_refused(text: str) -> None:
    with pytest.raises(BadTime):
        parse(text)


@pytest.mark.parametrize(
    "name", ["", "Berlin", "europe/berlin", "/etc/localtime", "../UTC", "localtime", "CEST"]
)
def test_only_iana_time_zone_names_are_accepted(name: str) -> None:
    with pytest.raises(UnknownZone):
        zone(name)


moments = st.integers(951_782_400, 2_840_140_800).map(lambda seconds: datetime.fromtimestamp(seconds, UTC))
"""From 2000 to 2060, to the second."""
ZONES = [
    "UTC",
    "Europe/London",
    "America/St_Johns",
    "Australia/Lord_Howe",
    "Pacific/Apia",
    "Africa/Casablanca",
]


@given(moments, st.sampled_from(ZONES))
def test_every_instant_can_be_entered_and_is_shown_unchanged(at: datetime, name: str) -> None:
    place = zone(name)
    assert instant(parse(local(at, place)), place) == at


@given(moments, st.sampled_from(ZONES))
def test_every_local_time_is_an_instant_or_is_refused(wall: datetime, name: str) -> None:
    wall, place = wall.replace(tzinfo=None), zone(name)
    minute = timedelta(minutes=1)
    known = [
        at
        for offset in range(-15 * 60, 15 * 60 + 1, 15)
        if parse(local(at := wall.replace(tzinfo=UTC) + offset * minute, place)).replace(tzinfo=None) == wall
    ]
    if len(known) == 1:
        assert [instant(wall, place)] == known
    else:
        with pytest.raises(BadTime, match="comes twice" if known else "go forward"):
            instant(wall, place)


def test_a_round_opens_at_its_time_or_after_the_gap_and_never_before_the_last_is_closed() -> None:
    at, gap = datetime(2027, 3, 28, 17, tzinfo=UTC), timedelta(hours=1)
    fixed = {3: at + 5 * gap}
    assert opens(2, after=at, gap=gap, fixed=fixed) == at + gap
    assert opens(3, after=at, gap=gap, fixed=fixed) == at + 5 * gap
    assert opens(3, after=at + 6 * gap, gap=gap, fixed=fixed) == at + 6 * gap
