"""Gauges that are current while no job runs: those of jobs and clocks, and the age of the sample with all others."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from django.db.models import Count, Min, Q
from prometheus_client import Metric
from prometheus_client.parser import text_string_to_metric_families

from core.clock import database_now, skew
from core.metrics import figure, gauge, read
from jobs import kinds, services
from jobs.models import Job, MetricsSample

MOST = 1000
"""Jobs of a state are counted up to one more, so that a scrape costs the same however many wait."""


@read
def jobs() -> Iterator[Metric]:
    now = database_now()
    # Jobs that a worker has are among the first due ones.
    due = Job.objects.open().filter(due__lte=now).order_by("due")[: MOST + 1]
    found = due.aggregate(
        oldest=Min("due", filter=Q(begun=None)),
        waiting=Count("pk", filter=Q(lease_until=None)),
        handed_out=Count("pk", filter=Q(lease_until__isnull=False, begun=None)),
        in_hand=Count("pk", filter=Q(begun__isnull=False)),
        **{f"queue_{queue}": Count("pk", filter=Q(queue=queue)) for queue in kinds.QUEUES},
    )
    queued = gauge("racecard_queue_jobs", f"The first {MOST + 1} due jobs by queue", ["queue"])
    for queue in kinds.QUEUES:
        queued.add_metric([queue], found.pop(f"queue_{queue}"))
    yield queued
    oldest = found.pop("oldest")
    found["planned"] = Job.objects.open().filter(due__gt=now).order_by("due")[: MOST + 1].count()
    found["given_up"] = Job.objects.filter(failed__isnull=False)[: MOST + 1].count()
    counted = gauge("racecard_jobs", f"Unfinished jobs by state; {MOST + 1} means more", ["state"])
    for state, count in sorted(found.items()):
        counted.add_metric([state], count)
    yield counted
    yield figure(
        "racecard_jobs_oldest_wait_seconds",
        "How long the oldest waiting job has been due",
        max(0.0, (now - oldest).total_seconds()) if oldest else 0,
    )
    oldest_of = gauge(
        "racecard_queue_oldest_wait_seconds",
        "How long the oldest job of a queue that no worker has begun has been due",
        ["queue"],
    )
    for queue, seconds in services.waits(now=now).items():
        oldest_of.add_metric([queue], seconds)
    yield oldest_of
    yield figure("racecard_jobs_paused", "Whether all jobs are paused", services.is_paused())
    yield figure(
        "racecard_recurring_jobs_run",
        "Whether every recurring job is scheduled within its interval and none is overdue",
        services.recurring_jobs_run(now=now),
    )
    yield from _clocks(now)


def _clocks(now: datetime) -> Iterator[Metric]:
    if (beat := services.last_beat(name=services.HEARTBEAT)) is not None:
        # A heartbeat from the future does not say when the ticker last ran.
        age = abs((now - beat).total_seconds())
        yield figure("racecard_ticker_age_seconds", "Time since the last heartbeat of a ticker", age)
    if (stepped := services.last_beat(name=services.CLOCK_STEP)) is not None:
        since = abs((now - stepped).total_seconds())
        yield figure("racecard_clock_step_age_seconds", "Time since a clock change was last detected", since)
    yield figure(
        "racecard_clock_skew_seconds", "By how much this machine's clock is ahead of the database's", skew()
    )


@read
def last_sample() -> Iterator[Metric]:
    sample = MetricsSample.objects.filter(pk=1).first()
    if sample is None:
        return
    # A sample from the future does not say when it was made.
    age = abs((database_now() - sample.at).total_seconds())
    yield figure("racecard_metrics_age_seconds", "Time since the gauges of the database were sampled", age)
    yield from text_string_to_metric_families(sample.text)
