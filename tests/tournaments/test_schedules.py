"""Schedules in a time zone: entered in local time, stored in UTC, and shown in both."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from accounts.models import Player
from eventstore import store
from jobs.models import Job
from tests.due_jobs import run_due
from tests.tournaments.conftest import Publish
from tests.tournaments.playing import NOW, SEED, begin, play_round, terms
from tests.tournaments.test_api import LIST, TERMS, Api, refused
from tournaments import services
from tournaments.errors import BadTerms
from tournaments.models import Round

pytestmark = pytest.mark.django_db

BERLIN = {"time_zone": "Europe/Berlin"}


def wall(text: str) -> datetime:
    return datetime.fromisoformat(text)


def test_local_times_are_stored_in_utc_and_shown_in_both(api: Api, published: Publish) -> None:
    tournament = published(
        **BERLIN,
        rounds=3,
        opens_at=wall("2026-03-28T19:00"),
        check_in_at=wall("2026-03-28T18:30"),
        round_times=[(3, wall("2026-03-29T19:00"))],
    )
    assert tournament.opens_at == datetime(2026, 3, 28, 18, tzinfo=UTC)
    shown = api(None).get(f"/api/v1/tournaments/{tournament.pk}/").json()
    parts = (
        "time_zone",
        "opens_at",
        "opens_at_local",
        "check_in_seconds",
        "check_in_at",
        "check_in_at_local",
    )
    assert {name: shown[name] for name in parts} == {
        "time_zone": "Europe/Berlin",
        "opens_at": "2026-03-28T18:00:00+00:00",
        "opens_at_local": "2026-03-28T19:00:00+01:00",
        "check_in_seconds": 1800,
        "check_in_at": "2026-03-28T17:30:00+00:00",
        "check_in_at_local": "2026-03-28T18:30:00+01:00",
    }
    # The clocks went forward in the night between the rounds.
    assert shown["round_times"] == [
        {"round": 3, "opens_at": "2026-03-29T17:00:00+00:00", "opens_at_local": "2026-03-29T19:00:00+02:00"}
    ]
    created = store.read(tournament.pk)[0].data
    assert created["time_zone"] == "Europe/Berlin"
    assert created["round_times"] == [{"round": 3, "opens_at": "2026-03-29T17:00:00.000000Z"}]


def test_a_clock_change_does_not_change_the_length_of_a_check_in(published: Publish) -> None:
    tournament = published(**BERLIN, opens_at=wall("2026-03-29T03:30"), check_in_at=wall("2026-03-29T01:30"))
    assert tournament.check_in_seconds == 3600


def test_the_default_time_zone_is_the_installations(published: Publish, settings: Any) -> None:
    settings.RACECARD_TIME_ZONE = "America/New_York"
    tournament = published(opens_at=wall("2026-03-28T19:00"))
    assert (tournament.time_zone, tournament.opens_at) == (
        "America/New_York",
        datetime(2026, 3, 28, 23, tzinfo=UTC),
    )


def test_an_impossible_schedule_is_refused(organizer: Player, subtests: pytest.Subtests) -> None:
    for changes, why in [
        (
            {"opens_at": wall("2026-03-29T02:30")},
            "opens_at: 2026-03-29T02:30 does not exist in Europe/Berlin",
        ),
        ({"opens_at": wall("2026-10-25T02:30")}, "opens_at: 2026-10-25T02:30 occurs twice in Europe/Berlin"),
        ({"time_zone": "Berlin"}, "time_zone: Berlin is not a time zone"),
        ({"check_in_at": wall("2026-03-28T19:00")}, "check_in_at: a check-in requires opens_at"),
        (
            {"opens_at": wall("2026-03-28T19:00"), "check_in_at": wall("2026-03-28T19:00")},
            "check_in_at: must be before opens_at",
        ),
        (
            {
                "opens_at": wall("2026-03-28T19:00"),
                "check_in_at": wall("2026-03-28T18:00"),
                "check_in_seconds": 60,
            },
            "check_in_at: give either",
        ),
        ({"round_times": [(2, wall("2026-03-29T02:30"))]}, "round_times: 2026-03-29T02:30 does not exist"),
        ({"round_times": [(1, wall("2026-03-29T19:00"))]}, "round_times: name each round once, from 2 to 3"),
        ({"round_times": [(2, wall("2026-03-29T19:00"))] * 2}, "round_times: name each round once"),
        (
            {"round_times": [(3, wall("2026-03-29T19:00")), (2, wall("2026-03-29T19:00"))]},
            "round_times: each round must be later",
        ),
        (
            {"opens_at": wall("2026-03-29T19:00"), "round_times": [(2, wall("2026-03-29T18:00"))]},
            "round_times: each round must be later",
        ),
    ]:
        with subtests.test(changes=changes, why=why), pytest.raises(BadTerms, match=why):
            services.create(organizer=organizer, terms=terms(**{**BERLIN, "rounds": 3, **changes}), now=NOW)


def test_a_round_that_would_open_in_the_past_is_not_published(organizer: Player) -> None:
    draft = services.create(organizer=organizer, terms=terms(round_times=[(2, NOW)]), now=NOW)
    with pytest.raises(BadTerms, match="round_times: the first time is in the past"):
        services.publish(tournament_id=draft.pk, actor=organizer, now=NOW, seed=SEED)


def test_a_scheduled_round_ignores_the_gap(published: Publish) -> None:
    second = NOW + timedelta(days=1)
    tournament = begin(published, "cid", "dan", rounds=3, gap_seconds=60, round_times=[(2, second)])
    play_round(tournament, 1)
    [waiting] = Job.objects.open().filter(kind="tournaments.open_round")
    assert waiting.due == second
    run_due(second - timedelta(seconds=1))
    assert Round.objects.filter(tournament=tournament).count() == 1
    run_due(second)
    play_round(tournament, 2, now=second)
    [waiting] = Job.objects.open().filter(kind="tournaments.open_round")
    assert waiting.due == second + timedelta(seconds=60)


def test_a_resumed_tournament_keeps_the_times_of_its_rounds(published: Publish, organizer: Player) -> None:
    second = NOW + timedelta(days=1)
    tournament = begin(published, "cid", "dan", rounds=2, round_times=[(2, second)])
    play_round(tournament, 1)
    services.pause(tournament_id=tournament.pk, actor=organizer, reason="tea", now=NOW)
    services.resume(tournament_id=tournament.pk, actor=organizer, now=NOW + timedelta(hours=1))
    due = Job.objects.open().filter(kind="tournaments.open_round").values_list("due", flat=True)
    assert set(due) == {second}


def test_local_times_are_accepted_over_rest(api: Api, organizer: Player) -> None:
    body = {
        **TERMS, "rounds": 2, "time_zone": "Europe/Berlin", "opens_at": "2027-03-27T19:00",
        "check_in_at": "2027-03-27T18:30", "round_times": [{"round": 2, "opens_at": "2027-03-28 19:00"}],
    }  # fmt: skip
    answer = api(organizer).post(LIST, body)
    assert answer.status_code == 201, answer.json()
    assert answer.json()["opens_at"] == "2027-03-27T18:00:00+00:00"
    assert answer.json()["round_times"][0]["opens_at"] == "2027-03-28T17:00:00+00:00"
    missing = api(organizer).post(LIST, {**body, "opens_at": "2027-03-28T02:15"})
    assert "does not exist in Europe/Berlin" in refused(missing, 400, "invalid-terms")["detail"]
