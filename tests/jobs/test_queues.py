"""Each queue has its own workers: a long one delays no other."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest

from config.celery import carry_out
from config.doctor import outside
from core.metrics import exposition
from jobs import kinds, services, ticker
from jobs.kinds import MAINTENANCE, MESSAGES, MONEY, PLAY, QUEUES, job
from jobs.models import Job

pytestmark = pytest.mark.django_db

NOON = dt.datetime(2026, 3, 1, 12, tzinfo=dt.UTC)
SECOND = dt.timedelta(seconds=1)


@pytest.fixture(autouse=True)
def declared(monkeypatch: pytest.MonkeyPatch) -> None:
    """One kind for each queue."""
    monkeypatch.setattr(kinds, "_kinds", {})
    for queue in QUEUES:
        job(f"test.{queue}", queue=queue)(lambda payload, *, now: None)


def plan(queue: str, number: int = 1) -> None:
    for each in range(number):
        services.schedule(kind=f"test.{queue}", key=f"{queue} {each}", payload={}, due=NOON)


def claimed(queue: str) -> int:
    return Job.objects.filter(queue=queue).claimed().count()


def test_a_job_is_in_the_queue_of_its_kind() -> None:
    for queue in QUEUES:
        plan(queue)
        assert Job.objects.get(kind=f"test.{queue}").queue == queue


def test_a_kind_has_a_queue_that_exists() -> None:
    with pytest.raises(ValueError, match="known are play, money, messages, maintenance"):
        job("test.other", queue="other")(print)


@pytest.mark.both_databases
def test_a_full_queue_leaves_room_in_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(services, "IN_FLIGHT", 2)
    plan(MAINTENANCE, 5)
    assert len(services.claim(now=NOON)) == 2
    plan(MONEY)
    [claim] = services.claim(now=NOON)
    assert (claim.queue, claimed(MONEY), claimed(MAINTENANCE)) == (MONEY, 1, 2)


@pytest.mark.both_databases
def test_limits_of_a_kind_count_in_its_queue() -> None:
    job("test.slow", queue=MESSAGES, at_once=1)(lambda payload, *, now: None)
    for number in range(3):
        services.schedule(kind="test.slow", key=f"slow {number}", payload={}, due=NOON)
    plan(PLAY, 3)
    by_queue = [claim.queue for claim in services.claim(now=NOON)]
    assert sorted(by_queue) == [MESSAGES, PLAY, PLAY, PLAY]


def test_jobs_of_an_earlier_version_are_moved_to_their_queue() -> None:
    plan(MONEY)
    Job.objects.update(queue=PLAY)
    services.arm_recurring(now=NOON)
    assert Job.objects.get().queue == MONEY


def test_a_queue_of_a_later_version_is_left_to_it() -> None:
    plan(MONEY)
    Job.objects.update(queue="later", kind="later.kind")
    assert services.claim(now=NOON) == []
    assert Job.objects.get().state == "waiting"


def test_messages_are_lost_by_queue(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of an empty queue are sent again; those of a queue in which messages wait are not."""
    monkeypatch.setattr(ticker.Ticker, "_queued", lambda self, queue: int(queue == PLAY))
    plan(PLAY)
    plan(MONEY)
    services.claim(now=NOON)
    ticker.Ticker(carry_out)._take_back_lost(NOON + 3 * SECOND)
    assert (claimed(PLAY), claimed(MONEY)) == (1, 0)


def test_a_job_is_sent_to_the_queue_of_the_broker(monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[dict[str, Any]] = []
    monkeypatch.setattr(carry_out, "apply_async", lambda **options: sent.append(options))
    plan(MESSAGES)
    assert ticker.Ticker(carry_out)._send(services.claim(now=NOON)) == 1
    assert sent[0]["queue"] == "racecard-messages"


@pytest.mark.both_databases
def test_the_age_of_each_queue_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    plan(MONEY, 2)
    now = NOON + 90 * SECOND
    for module in ("jobs.gauges", "config.doctor.outside"):
        monkeypatch.setattr(f"{module}.database_now", lambda: now)
    metrics = exposition().decode()
    assert 'racecard_queue_oldest_wait_seconds{queue="money"} 90.0' in metrics
    assert 'racecard_queue_oldest_wait_seconds{queue="play"} 0.0' in metrics
    assert 'racecard_queue_jobs{queue="money"} 2.0' in metrics
    [late] = [message for message in outside.jobs() if message.id == "jobs.queue"]
    assert "money" in late.msg
    assert "--queue money" in late.hint
