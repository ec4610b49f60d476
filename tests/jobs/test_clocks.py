"""A clock that is wrong for a while delays nothing for longer than an interval, and is noticed."""

from __future__ import annotations

import datetime as dt
import time
from typing import Any
from uuid import uuid4

import pytest
from django.db import transaction
from django.utils import timezone

from config import health
from config.celery import carry_out
from core import clock
from core.metrics import exposition
from eventstore import gauges as checkpoint_gauges
from eventstore import store
from eventstore.store import NewEvent
from jobs import kinds, services, ticker
from jobs.kinds import every
from jobs.models import Job
from staff.dashboard import alarms
from tests.due_jobs import run_due

pytestmark = pytest.mark.django_db

NOON = dt.datetime(2026, 3, 1, 12, tzinfo=dt.UTC)
SECOND, MINUTE, DAY = dt.timedelta(seconds=1), dt.timedelta(minutes=1), dt.timedelta(days=1)


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> list[dt.datetime]:
    """When the one recurring job of this test, due every minute, ran."""
    monkeypatch.setattr(kinds, "_kinds", {})
    found: list[dt.datetime] = []

    def work(payload: dict[str, Any], *, now: dt.datetime) -> None:
        found.append(now)

    every("test.minutely", seconds=60)(work)
    return found


class Clock:
    """The clock of the database, set by a test; `ahead` in seconds."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.ahead = 0.0
        now = timezone.now
        monkeypatch.setattr(ticker, "database_now", lambda: now() + dt.timedelta(seconds=self.ahead))
        monkeypatch.setattr(ticker, "close_old_connections", lambda: None)  # the test's transaction is on it
        monkeypatch.setattr(ticker.Ticker, "_send", lambda self, claims: len(claims))


@pytest.fixture
def set_clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)


@pytest.mark.parametrize("wrong", [DAY, -DAY], ids=["ahead", "behind"])
@pytest.mark.both_databases
def test_a_clock_that_was_a_day_wrong_delays_a_recurring_job_by_no_more_than_its_interval(
    runs: list[dt.datetime], wrong: dt.timedelta
) -> None:
    services.arm_recurring(now=NOON)
    run_due(NOON)
    services.arm_recurring(now=NOON + wrong)
    run_due(NOON + MINUTE + wrong)
    assert Job.objects.get().due == NOON + wrong + 2 * MINUTE

    services.arm_recurring(now=NOON + MINUTE)
    assert Job.objects.get().due <= NOON + 2 * MINUTE
    before = len(runs)
    run_due(NOON + 2 * MINUTE)
    assert runs[before:] == [NOON + 2 * MINUTE]
    assert Job.objects.get().due == NOON + 3 * MINUTE


def test_a_failed_attempt_under_a_wrong_clock_is_repeated_in_time(
    runs: list[dt.datetime],
) -> None:
    services.arm_recurring(now=NOON)
    Job.objects.update(due=NOON + DAY, last_error="refused")
    assert services.clamp(now=NOON) == 1
    assert Job.objects.get().due == NOON + MINUTE


@pytest.mark.both_databases
def test_a_lease_from_the_future_ends(runs: list[dt.datetime]) -> None:
    services.arm_recurring(now=NOON)
    assert services.claim(now=NOON + DAY)
    assert services.claim(now=NOON) == []
    services.clamp(now=NOON)
    assert services.claim(now=NOON + 2 * MINUTE)


def test_a_job_gets_a_past_time_and_the_next_is_due_by_the_clock(
    runs: list[dt.datetime],
) -> None:
    services.arm_recurring(now=NOON)
    [claim] = services.claim(now=NOON)
    services.carry_out(job_ids=claim.job_ids, now=NOON - 30 * SECOND)
    assert runs == [NOON]
    assert Job.objects.get().due == NOON + 30 * SECOND


def test_a_ticker_waits_after_a_clock_step_and_raises_an_alarm(
    runs: list[dt.datetime], set_clock: Clock
) -> None:
    def counted() -> tuple[float, float]:
        forwards, backwards = (services.CLOCK_STEPS.labels(way) for way in ("forwards", "backwards"))
        return forwards._value.get(), backwards._value.get()

    one, before = ticker.Ticker(carry_out), counted()
    one.arm()
    assert one.tick() == 1
    services.release(job_ids=[Job.objects.get().pk])
    assert counted() == before
    assert [alarm for alarm in alarms(now=timezone.now()) if "clock" in alarm.title] == []

    set_clock.ahead = DAY.total_seconds()
    assert one.tick() == 0, "what is due in the time that was leapt over is not handed out at once"
    assert counted() == (before[0] + 1, before[1])

    set_clock.ahead = 0.0
    assert one.tick() == 1
    assert counted() == (before[0] + 1, before[1] + 1)
    [alarm] = [alarm for alarm in alarms(now=timezone.now()) if "clock" in alarm.title]
    assert "A system clock was changed" in alarm.title
    assert b"racecard_clock_step_age_seconds" in exposition()


def test_a_ticker_hands_out_what_is_due_by_the_clock_of_the_database(
    runs: list[dt.datetime], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not by the clock of the worker's machine, which may differ."""
    monkeypatch.setattr(ticker, "close_old_connections", lambda: None)
    monkeypatch.setattr(ticker.Ticker, "_send", lambda self, claims: len(claims))
    now = timezone.now()
    services.arm_recurring(now=now + DAY)
    one = ticker.Ticker(carry_out)
    assert one.tick() == 0
    one.stop()
    monkeypatch.setattr(ticker, "database_now", lambda: now + DAY)
    assert ticker.Ticker(carry_out).tick() == 1


@pytest.mark.filterwarnings("ignore:Task name")  # each test here declares the same kind
def test_a_worker_begins_a_job_by_the_clock_of_the_database(
    runs: list[dt.datetime], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clock, "database_now", lambda: NOON)
    services.arm_recurring(now=NOON)
    [claim] = services.claim(now=NOON)
    carry_out(list(claim.job_ids))
    assert (runs, Job.objects.get().due) == ([NOON], NOON + MINUTE)


@pytest.mark.postgres
def test_the_clock_of_the_database_is_not_that_of_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    now = timezone.now
    monkeypatch.setattr(timezone, "now", lambda: now() - DAY)
    assert abs(clock.database_now() - now()) < MINUTE
    assert clock.skew() < -clock.TOLERANCE


def test_after_a_step_that_lasts_jobs_are_handed_out_again(
    runs: list[dt.datetime], set_clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = ticker.Ticker(carry_out)
    one.arm()
    set_clock.ahead = DAY.total_seconds()
    assert one.tick() == 0
    monkeypatch.setattr(one, "_waits_until", time.monotonic())
    assert one.tick() == 1


@pytest.mark.both_databases
def test_readiness_reports_recurring_jobs_that_do_not_run(runs: list[dt.datetime]) -> None:
    def readiness() -> tuple[int, bool]:
        found = health.readiness()
        return health.status(found, whole=True), found["recurring"]

    now = clock.database_now()
    services.beat(name=services.HEARTBEAT, now=now)
    services.arm_recurring(now=now)
    assert readiness() == (200, True)
    for due in (now + DAY, now - DAY):
        Job.objects.update(due=due)
        assert readiness() == (503, False)
        assert b"racecard_recurring_jobs_run 0.0" in exposition()


def test_a_heartbeat_from_the_future_does_not_count(runs: list[dt.datetime]) -> None:
    services.beat(name=services.HEARTBEAT, now=clock.database_now() + DAY)
    assert health.readiness()["ticker"] is False


def test_a_clock_that_differs_from_the_databases_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    now = timezone.now
    monkeypatch.setattr(clock, "database_now", lambda: now() - DAY)
    assert health.readiness()["clock"] is False


@pytest.mark.django_db(transaction=True)
def test_how_far_checkpoints_are_behind_does_not_say_0_of_events_from_the_future() -> None:
    stream, now = uuid4(), clock.database_now()
    with transaction.atomic():
        store.append(stream, [NewEvent("x", {})], kind="game", expected=store.head(stream), at=now + DAY)
    [_, behind] = checkpoint_gauges.checkpoints()
    assert behind.samples[0].value > 0


def test_an_event_from_the_future_is_as_old_as_the_last_checkpoint_at_most() -> None:
    behind = checkpoint_gauges._behind
    assert behind(NOON + DAY, NOON - MINUTE, NOON) == 60
    assert behind(NOON + SECOND, NOON - MINUTE, NOON) == 1
    assert behind(NOON - SECOND, NOON - MINUTE, NOON) == 1
    assert behind(NOON + DAY, None, NOON) == DAY.total_seconds()
