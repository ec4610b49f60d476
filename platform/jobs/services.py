"""Scheduling, claiming, and carrying out jobs. A job's effect and its completion commit together."""

from __future__ import annotations

import json
import logging
import threading
import time
import traceback
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import structlog
from django.db import Error as DatabaseFault
from django.db import connection, transaction
from django.db.models import Q, QuerySet

from core.metrics import Counter, Histogram
from core.sql import columns, locking, select
from jobs import kinds
from jobs.kinds import Again, Kind
from jobs.models import Heartbeat, Job, JobQuerySet, Pause

log = logging.getLogger("jobs")

IN_FLIGHT = 100
"""The largest number of jobs handed out at a time: in a longer queue, leases would expire and jobs be sent again."""

TO_BEGIN = timedelta(seconds=60)
"""The lease of a job from being handed out until a worker begins it."""

IN_HAND = timedelta(seconds=5)
"""The lease of a job that a worker has begun. The worker renews it while it prepares. While it works it holds the
lock of the row, and a job whose row is locked is not handed out.
"""

LEEWAY = timedelta(seconds=5)
"""The largest difference between the clocks of several machines."""

OVERDUE = timedelta(minutes=5)
"""How long after its due time a recurring job that no worker has begun counts as overdue."""

ON_ITS_WAY = timedelta(seconds=2)
"""How long a message may be neither in the broker's queue nor begun before it counts as lost."""


@dataclass(frozen=True, slots=True)
class Planned:
    """A job to schedule: a kind, carried out once, at `due` or later. One key is one job."""

    kind: str
    key: str
    payload: Mapping[str, Any]
    due: datetime


def schedule(*, kind: str, key: str, payload: Mapping[str, Any], due: datetime) -> None:
    """Schedule a job in the caller's transaction, to be carried out once, at `due` or later.

    Scheduling the same key again returns the first job. Raises UnknownKind if no `tasks` module declares the kind.
    """
    schedule_all([Planned(kind, key, payload, due)])


def schedule_all(planned: Iterable[Planned]) -> None:
    """Schedule several jobs in one statement."""
    Job.objects.bulk_create([row(one) for one in planned], ignore_conflicts=True)


def row(planned: Planned) -> Job:
    """The row of a job, for a caller that inserts it with its own rows under a key that is certainly new.

    Raises UnknownKind.
    """
    kinds.get(planned.kind)
    if planned.due.tzinfo is None:
        raise ValueError("a job is due at an aware datetime")
    json.dumps(planned.payload, allow_nan=False)
    return Job(kind=planned.kind, key=planned.key, payload=dict(planned.payload), due=planned.due)


def cancel(*, key: str) -> None:
    """Cancel a job in the caller's transaction. A job that is being carried out is not affected.

    Waiting for it could deadlock: its transaction may be about to lock rows that the caller has locked.
    """
    with transaction.atomic():
        for job in Job.objects.select_for_update(skip_locked=True).open().filter(key=key):
            job.delete()


def pause(*, reason: str, now: datetime) -> None:
    """Pause all jobs until `resume`. Jobs that a worker has begun are completed."""
    Pause.objects.get_or_create(pk=1, defaults={"since": now, "reason": reason})


def resume() -> None:
    Pause.objects.filter(pk=1).delete()


def is_paused() -> bool:
    return Pause.objects.filter(pk=1).exists()


HEARTBEAT = "ticker"
"""The heartbeat of the ticker."""
CLOCK_STEP = "clock-step"
"""The heartbeat that records when a clock change was last detected."""


def beat(*, name: str, now: datetime) -> None:
    """Record that this process is alive."""
    Heartbeat.objects.update_or_create(name=name, defaults={"at": now})


def last_beat(*, name: str) -> datetime | None:
    return Heartbeat.objects.filter(name=name).values_list("at", flat=True).first()


def retry(*, job_id: int, now: datetime) -> bool:
    """Give a failed job all its attempts again. False if the job has not failed."""
    changed = Job.objects.filter(pk=job_id, failed__isnull=False).update(
        failed=None, attempts=0, lease_until=None, begun=None, due=now
    )
    return changed == 1


def arm_recurring(*, now: datetime) -> None:
    """Schedule missing recurring jobs, and repair due times written with a wrong clock."""
    for kind in kinds.recurring():
        schedule(kind=kind.name, key=kind.recurring_key, payload={}, due=now)
    clamp(now=now)


def clamp(*, now: datetime) -> int:
    """Move due times and leases that are too far ahead to now; return the number of jobs.

    A recurring job is due at most one interval from now, and a lease lasts at most `TO_BEGIN`. Later times were
    written with a clock that has been set back since.
    """
    found = list(_too_far_ahead(now))
    for job in found:
        every = kinds.get(job.kind).every
        assert every is not None
        log.warning(
            "job %s was due at %s, more than one interval ahead; it is due earlier now", job.key, job.due
        )
        Job.objects.open().filter(pk=job.pk, due=job.due).update(due=now + every)
    leased = Job.objects.claimed().filter(lease_until__gt=now + TO_BEGIN + LEEWAY)
    return len(found) + leased.update(lease_until=now + TO_BEGIN)


def _too_far_ahead(now: datetime) -> Iterator[Job]:
    every = {kind.recurring_key: kind.every for kind in kinds.recurring() if kind.every is not None}
    ahead = Job.objects.open().filter(key__in=every, due__gt=now + LEEWAY)
    return (job for job in ahead if job.due > now + every[job.key] + LEEWAY)


def recurring_jobs_run(*, now: datetime) -> bool:
    """Whether each recurring job is due within its interval and none is overdue by more than `OVERDUE`."""
    keys = [kind.recurring_key for kind in kinds.recurring()]
    late = Job.objects.open().filter(key__in=keys, due__lt=now - OVERDUE, begun=None)
    return not late.exists() and not any(True for _ in _too_far_ahead(now))


@dataclass(frozen=True, slots=True)
class Claim:
    job_id: int
    kind: str
    lease: timedelta
    """The time after which the worker process is killed."""


def claim(*, now: datetime, limit: int = IN_FLIGHT) -> list[Claim]:
    """Lease due jobs. A job whose worker was lost in every attempt fails for good."""
    # Read without a lock first: the transaction below takes SQLite's only write lock.
    if not Job.objects.claimable(now).exists() or is_paused():
        return []
    with transaction.atomic():
        in_flight = Job.objects.claimed().filter(lease_until__gte=now).count()
        room = min(limit, IN_FLIGHT - in_flight)
        if room <= 0:
            return []
        handed_out = _within_limits(Job.objects.select_for_update(skip_locked=True).claimable(now), now)
        due = handed_out.order_by("due", "pk")[:room]
        leased = [job for job in due if _may_be_leased(job, now)]
        Job.objects.filter(pk__in=[job.pk for job in leased]).update(lease_until=now + TO_BEGIN, begun=None)
        return [Claim(job.pk, job.kind, kinds.get(job.kind).lease) for job in leased]


def _within_limits(due: JobQuerySet, now: datetime) -> JobQuerySet:
    """Exclude kinds that have as many jobs handed out as allowed."""
    limited = dict(kinds.limited())
    if not Job.objects.claimable(now).filter(kind__in=limited).exists():
        return due.exclude(kind__in=limited)
    for kind, at_once in limited.items():
        of_kind = Job.objects.filter(kind=kind)
        free = at_once - of_kind.claimed().filter(lease_until__gte=now).count()
        first = list(
            of_kind.claimable(now).order_by("due", "pk").values_list("pk", flat=True)[: max(0, free)]
        )
        due = due.filter(~Q(kind=kind) | Q(pk__in=first))
    return due


def _may_be_leased(job: Job, now: datetime) -> bool:
    """Otherwise the job has failed for good."""
    try:
        kind = kinds.get(job.kind)
    except kinds.UnknownKind as error:
        _give_up(job, None, error, str(error), now)
        return False
    if job.attempts >= kind.max_attempts:
        _exhaust(job, kind, WorkerLost(job.attempts), job.last_error or str(WorkerLost(job.attempts)), now)
        return False
    return True


class WorkerLost(Exception):
    """Every attempt ended with the worker or its process killed."""

    def __init__(self, attempts: int) -> None:
        super().__init__(f"the worker was lost in each of {attempts} attempts")


def release(*, job_id: int) -> None:
    """Undo a claim that reached no worker."""
    Job.objects.claimed().filter(pk=job_id, begun=None).update(lease_until=None)


def on_their_way(*, now: datetime) -> QuerySet[Job]:
    """Jobs handed out a while ago and not begun: their messages are in the broker's queue, or lost."""
    return Job.objects.claimed().filter(begun=None, lease_until__lt=now + TO_BEGIN - ON_ITS_WAY)


def carry_out(*, job_id: int, now: datetime) -> Exception | None:
    """Carry out a claimed job and mark it done, in one transaction. A second worker finds nothing to do.

    Returns the error of a failed attempt, which is stored with the job and retried later.
    """
    job = _begin(job_id, now)
    if job is None:
        if is_paused():
            release(job_id=job_id)
        return None
    kind = kinds.get(job.kind)
    with carried_out(job, now) as ended:
        error = ended.error = _work(job, kind, now)
    return error


def _work(job: Job, kind: Kind, now: datetime) -> Exception | None:
    # The clock may have been set back since the job was handed out; `now` is never before the due time.
    work_time = max(now, job.due)
    try:
        prepared = {"prepared": _prepare(job, kind, kind.prepare, work_time, now)} if kind.prepare else {}
        with transaction.atomic():
            for locked in Job.objects.raw(f"{_CLAIMED} {locking()}", [job.pk]):
                _settle(locked, kind, kind.work(locked.payload, now=work_time, **prepared), now)
    except Exception as error:
        _record_failure(job.pk, kind, error, now)
        return error
    return None


def _begin(job_id: int, now: datetime) -> Job | None:
    """Begin a claimed job and count the attempt. None if another worker was first or jobs are paused.

    This commits before the work starts, so a job that kills its worker also runs out of attempts.
    """
    moment = connection.ops.adapt_datetimefield_value
    given = [moment(now), moment(now + IN_HAND), job_id, moment(now)]
    return next(iter(list(Job.objects.raw(_BEGIN, given))), None)


# Raw SQL, because every job runs it: Django builds such statements more slowly than the database runs them.
_OPEN = "id = %s AND done IS NULL AND failed IS NULL AND lease_until IS NOT NULL"
_BEGIN = (
    f"UPDATE jobs_job SET begun = %s, lease_until = %s, attempts = attempts + 1 WHERE {_OPEN} "  # noqa: S608
    "AND (begun IS NULL OR lease_until < %s) AND NOT EXISTS (SELECT 1 FROM jobs_pause) "
    f"RETURNING {columns(Job)}"
)
_CLAIMED = f"{select(Job)} WHERE {_OPEN}"


def _prepare(job: Job, kind: Kind, prepare: kinds.Prepare, work_time: datetime, now: datetime) -> Any:
    """Renew the lease during the preparation, as long as the kind allows. The function gets `work_time` as `now`."""
    began, over = time.monotonic(), threading.Event()

    def renew() -> None:
        try:
            while not over.wait(IN_HAND.total_seconds() / 3):
                passed = timedelta(seconds=time.monotonic() - began)
                if passed > kind.lease:
                    return
                held = Job.objects.claimed().filter(pk=job.pk, begun__isnull=False)
                held.update(lease_until=now + passed + IN_HAND)
        except DatabaseFault as error:
            log.warning("cannot renew the lease of job %s: %s", job.key, describe(error).splitlines()[0])
        finally:
            connection.close()

    renewal = threading.Thread(target=renew, name="lease", daemon=True)
    renewal.start()
    try:
        return prepare(job.payload, now=work_time)
    finally:
        over.set()
        renewal.join()


def _settle(job: Job, kind: Kind, answer: Again | None, now: datetime) -> None:
    if answer is None and kind.every is not None:
        # Missed runs are not repeated. `now` is not the time of the work, which may lie ahead.
        answer = Again(due=now + kind.every)
    if answer is None:
        job.done = now
    else:
        job.due = answer.due
        job.attempts = 0
    job.lease_until = job.begun = None
    job.last_error = ""
    job.save(update_fields=["done", "due", "attempts", "lease_until", "begun", "last_error"])


def _record_failure(job_id: int, kind: Kind, error: Exception, now: datetime) -> None:
    text = describe(error)
    with transaction.atomic():
        job = Job.objects.select_for_update().claimed().filter(pk=job_id).first()
        if job is None:
            return
        log.warning("job %s failed in attempt %d of %d: %s", job.key, job.attempts, kind.max_attempts, text)
        if job.attempts >= kind.max_attempts:
            _exhaust(job, kind, error, text, now)
            return
        job.due = now + kind.retry_after(job.attempts)
        job.lease_until = job.begun = None
        job.last_error = text
        job.save(update_fields=["due", "lease_until", "begun", "last_error"])


def _exhaust(job: Job, kind: Kind, error: Exception, text: str, now: datetime) -> None:
    if kind.every is None:
        _give_up(job, kind, error, text, now)
        return
    job.due = now + kind.every
    job.attempts = 0
    job.lease_until = job.begun = None
    job.last_error = text
    job.save(update_fields=["due", "attempts", "lease_until", "begun", "last_error"])


def _give_up(job: Job, kind: Kind | None, error: Exception, text: str, now: datetime) -> None:
    job.failed = now
    job.lease_until = job.begun = None
    job.last_error = text
    GIVEN_UP.labels(job.kind).inc()
    log.error("job %s failed after %d attempts: %s", job.key, job.attempts, text.splitlines()[0])
    if kind is not None and kind.on_failed is not None:
        try:
            with transaction.atomic():
                kind.on_failed(job.payload, now=now, error=error)
        except Exception as second:
            # The job keeps its own error first; the error of the failure handler is appended.
            job.last_error += f"\n\nand the handler of the failure failed:\n{describe(second)}"
            log.error("the failure handler of job %s failed: %s", job.key, describe(second))
    job.save(update_fields=["failed", "lease_until", "begun", "last_error"])


def describe(error: BaseException) -> str:
    """The error's first line and its location. The second line of a database error contains the failing row, which
    may hold a secret.
    """
    first_line = (str(error).splitlines() or [""])[0]
    frames = "".join(traceback.format_tb(error.__traceback__)[-6:])
    return f"{type(error).__name__}: {first_line}\n{frames}".rstrip()


attempts_log = structlog.get_logger("jobs")

_LONG = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 300)
SECONDS = Histogram(
    "racecard_job_seconds", "How long an attempt at a job took", ["kind", "outcome"], buckets=_LONG
)
WAITED = Histogram(
    "racecard_job_wait_seconds", "Time between the due time of a job and its start", ["kind"], buckets=_LONG
)
GIVEN_UP = Counter("racecard_jobs_given_up", "Jobs that failed in all their attempts", ["kind"])
CLOCK_STEPS = Counter(
    "racecard_clock_steps", "How often the clock of this machine was set while a ticker ran", ["direction"]
)
for _direction in ("forwards", "backwards"):
    CLOCK_STEPS.labels(_direction)  # so that the first step is an increase from 0

_IDS = ("game", "tournament", "market", "match", "dispute")
"""Keys of payloads that are ids. Nothing else of a payload is logged."""


@dataclass(slots=True)
class Ended:
    error: Exception | None = None


@contextmanager
def carried_out(job: Job, now: datetime) -> Iterator[Ended]:
    """Measure one attempt, and add the job and its subject to every log line meanwhile."""
    about = {name: str(job.payload[name]) for name in _IDS if name in job.payload}
    ended, began = Ended(), time.perf_counter()
    WAITED.labels(job.kind).observe(max(0.0, (now - job.due).total_seconds()))
    with structlog.contextvars.bound_contextvars(job=job.key, kind=job.kind, **about):
        yield ended
        seconds, outcome = time.perf_counter() - began, "failed" if ended.error else "done"
        SECONDS.labels(job.kind, outcome).observe(seconds)
        attempts_log.debug("job_carried_out", outcome=outcome, seconds=round(seconds, 4))
