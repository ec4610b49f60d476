"""Gauges of waiting jobs."""

from __future__ import annotations

from collections.abc import Iterator

from django.db.models import Count, Min, Q
from prometheus_client import Metric

from core.clock import database_now, skew
from core.metrics import gauge, read
from jobs import services
from jobs.models import Job


@read
def jobs() -> Iterator[Metric]:
    """Jobs that are due and not handed out."""
    now = database_now()
    states = {
        "planned": Q(due__gt=now, lease_until=None),
        "waiting": Q(due__lte=now, lease_until=None),
        "handed_out": Q(lease_until__isnull=False, begun=None),
        "in_hand": Q(begun__isnull=False),
    }
    found = Job.objects.open().aggregate(
        oldest=Min("due", filter=Q(due__lte=now, begun=None)),
        **{f"are_{state}": Count("pk", filter=where) for state, where in states.items()},
    )
    oldest = found["oldest"]
    counted = gauge("racecard_jobs", "Unfinished jobs by state", ["state"])
    for state in states:
        counted.add_metric([state], found[f"are_{state}"])
    counted.add_metric(["given_up"], Job.objects.filter(failed__isnull=False).count())
    yield counted
    waits = gauge("racecard_jobs_oldest_wait_seconds", "How long the oldest waiting job has been due")
    waits.add_metric([], max(0.0, (now - oldest).total_seconds()) if oldest else 0)
    yield waits
    paused = gauge("racecard_jobs_paused", "Whether all jobs are paused")
    paused.add_metric([], services.is_paused())
    yield paused
    if (beat := services.last_beat(name=services.HEARTBEAT)) is not None:
        age = gauge("racecard_ticker_age_seconds", "Time since the last heartbeat of a ticker")
        # A heartbeat from the future does not say when the ticker last ran.
        age.add_metric([], abs((now - beat).total_seconds()))
        yield age
    if (stepped := services.last_beat(name=services.CLOCK_STEP)) is not None:
        since = gauge("racecard_clock_step_age_seconds", "Time since a clock change was last detected")
        since.add_metric([], abs((now - stepped).total_seconds()))
        yield since
    ahead = gauge(
        "racecard_clock_skew_seconds", "By how much this machine's clock is ahead of the database's"
    )
    ahead.add_metric([], skew())
    yield ahead
    run = gauge(
        "racecard_recurring_jobs_run",
        "Whether every recurring job is scheduled within its interval and none is overdue",
    )
    run.add_metric([], services.recurring_jobs_run(now=now))
    yield run
