"""What is measured of jobs as they are carried out, and under which ids the log speaks of them."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime

import structlog

from api.metrics import Counter, Histogram
from jobs.models import Job

log = structlog.get_logger("jobs")

_LONG = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 300)
SECONDS = Histogram(
    "racecard_job_seconds", "How long an attempt at a job took", ["kind", "outcome"], buckets=_LONG
)
WAITED = Histogram(
    "racecard_job_wait_seconds", "From when a job was due until it was begun", ["kind"], buckets=_LONG
)
GIVEN_UP = Counter("racecard_jobs_given_up", "Jobs that failed in all their attempts", ["kind"])
CLOCK_STEPS = Counter(
    "racecard_clock_steps", "How often the clock of this machine was set while a ticker ran", ["direction"]
)
for _direction in ("forwards", "backwards"):
    CLOCK_STEPS.labels(_direction)  # so that the first step is an increase from 0

_IDS = ("game", "tournament", "market", "match", "dispute")
"""Keys of payloads that are ids; nothing else of a payload is logged."""


@dataclass(slots=True)
class Ended:
    error: Exception | None = None


@contextmanager
def carried_out(job: Job, now: datetime) -> Iterator[Ended]:
    """Measure one attempt, and have all that is logged meanwhile tell the job and what it is about."""
    about = {name: str(job.payload[name]) for name in _IDS if name in job.payload}
    ended, began = Ended(), time.perf_counter()
    WAITED.labels(job.kind).observe(max(0.0, (now - job.due).total_seconds()))
    with structlog.contextvars.bound_contextvars(job=job.key, kind=job.kind, **about):
        yield ended
        seconds, outcome = time.perf_counter() - began, "failed" if ended.error else "done"
        SECONDS.labels(job.kind, outcome).observe(seconds)
        log.debug("job_carried_out", outcome=outcome, seconds=round(seconds, 4))
