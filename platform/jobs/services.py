"""Scheduling, claiming, and carrying out jobs. A job's effect and its completion commit together."""

from __future__ import annotations

import json
import logging
import threading
import time
import traceback
from collections import Counter as Tally
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import reduce
from typing import Any

import structlog
from django.db import Error as DatabaseFault
from django.db import connection, transaction
from django.db.models import F, Q, QuerySet

from core.errors import first_line
from core.metrics import Counter, Histogram
from core.sql import among, columns, locking, select
from jobs import kinds
from jobs.kinds import Again, Kind
from jobs.models import Heartbeat, Job, JobQuerySet, Lease, Pause

log = logging.getLogger("jobs")

IN_FLIGHT = 100
"""The largest number of jobs of a queue handed out at a time. With more, leases would expire and jobs be sent again."""

TO_BEGIN = timedelta(seconds=60)
"""The lease of a job from being handed out until a worker begins it."""

IN_HAND = timedelta(seconds=5)
"""The lease of a job that a worker has begun. The worker renews it while it prepares. While it works it holds the
lock of the row, and a job whose row is locked is not handed out.
"""

LEEWAY = timedelta(seconds=5)
"""The largest difference between the clocks of several machines."""

LATER = timedelta(minutes=1)
"""When a job is due again whose kind this process does not know: a process of a later version may know it."""

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
    kind = kinds.get(planned.kind)
    if planned.due.tzinfo is None:
        raise ValueError("a job is due at an aware datetime")
    json.dumps(planned.payload, allow_nan=False)
    return Job(
        kind=planned.kind,
        queue=kind.queue,
        key=planned.key,
        payload=dict(planned.payload),
        due=planned.due,
    )


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
"""The heartbeat of the ticker, and its lease."""
CLOCK_STEP = "clock-step"
"""The heartbeat that records when a clock change was last detected."""


def take_lease(*, name: str, holder: str, now: datetime, lasting: timedelta) -> bool:
    """Take a lease, or prolong it, unless another process holds it. `now` is the time of the database's clock.

    A lease that ends later than one taken now was written with a clock that has been set back since, and is not valid.
    """
    at = connection.ops.adapt_datetimefield_value
    with connection.cursor() as cursor:
        latest = now + lasting + LEEWAY
        cursor.execute(_TAKE_LEASE, [name, holder, at(now + lasting), at(now), at(latest)])
        return bool(cursor.rowcount == 1)


_TAKE_LEASE = (
    "INSERT INTO jobs_lease (name, holder, until) VALUES (%s, %s, %s) "
    "ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, until = excluded.until "
    "WHERE jobs_lease.holder = excluded.holder OR jobs_lease.until < %s OR jobs_lease.until > %s"
)


def holder_of(*, name: str, now: datetime, lasting: timedelta) -> str | None:
    """The process that holds a lease, which is taken for `lasting`; None if it has ended or is not valid."""
    valid = Lease.objects.filter(name=name, until__range=(now, now + lasting + LEEWAY))
    return valid.values_list("holder", flat=True).first()


def give_up_lease(*, name: str, holder: str) -> None:
    """End a lease that this process may hold, so that another need not wait."""
    Lease.objects.filter(name=name, holder=holder).delete()


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
    """Schedule missing recurring jobs, and repair due times written with a wrong clock, queues, and jobs that an
    earlier version has given up because it does not know their kind.
    """
    for kind in kinds.recurring():
        schedule(kind=kind.name, key=kind.recurring_key, payload={}, due=now)
    _revive(now)
    clamp(now=now)
    for queue in kinds.QUEUES:
        # Of another version, which has another queue for this kind, or none.
        names = [kind.name for kind in kinds.of_queue(queue)]
        Job.objects.open().filter(kind__in=names).exclude(queue=queue).update(queue=queue)


def _revive(now: datetime) -> None:
    """Retry failed jobs that a process without their kind gave up, as 0.2.0 does during an update, and recurring ones.

    The other processes of this version know the kind, or postpone the job.
    """
    recurring = [kind.recurring_key for kind in kinds.recurring()]
    unknown = Q(kind__in=kinds.names(), last_error__startswith=kinds.UNKNOWN)
    failed = Job.objects.filter(Q(key__in=recurring) | unknown, failed__isnull=False)
    if revived := failed.update(failed=None, attempts=0, lease_until=None, begun=None, due=now):
        log.warning("%d jobs are retried that a process of another version gave up", revived)


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
    """Whether each recurring job is due within its interval, and none has failed or is overdue by more than
    `OVERDUE`.
    """
    keys = [kind.recurring_key for kind in kinds.recurring()]
    late = Q(done=None, failed=None, due__lt=now - OVERDUE, begun=None)
    stopped = Job.objects.filter(late | Q(failed__isnull=False), key__in=keys)
    return not stopped.exists() and not any(True for _ in _too_far_ahead(now))


@dataclass(frozen=True, slots=True)
class Claim:
    """Jobs for one worker: one job, or several of a kind that are carried out together."""

    job_ids: Sequence[int]
    kind: str
    lease: timedelta
    """The time after which the worker process is killed."""
    queue: str


def claim(*, now: datetime, limit: int = IN_FLIGHT) -> list[Claim]:
    """Lease due jobs, up to `limit` of each queue. A job whose worker was lost in every attempt fails for good."""
    # Read without a lock first: the transactions below take SQLite's only write lock.
    return [claim for queue in _due_queues(now) for claim in _claim_from(queue, now, limit)]


def _claim_from(queue: str, now: datetime, limit: int) -> list[Claim]:
    of_queue = Job.objects.filter(queue=queue)
    with transaction.atomic():
        in_flight = of_queue.claimed().filter(lease_until__gte=now).count()
        room = min(limit, IN_FLIGHT - in_flight)
        if room <= 0:
            return []
        handed_out = _within_limits(of_queue.select_for_update(skip_locked=True).claimable(now), queue, now)
        due = handed_out.order_by("due", "pk")[:room]
        leased = [job for job in due if _may_be_leased(job, now)]
        Job.objects.filter(pk__in=[job.pk for job in leased]).update(lease_until=now + TO_BEGIN, begun=None)
        return _divided(leased, in_flight)


def _due_queues(now: datetime) -> list[str]:
    """Return the queues with a job that is claimable; none while jobs are paused."""
    moment = connection.ops.adapt_datetimefield_value(now)
    with connection.cursor() as cursor:
        cursor.execute(_DUE_QUEUES, [moment, moment] * len(kinds.QUEUES))
        return [queue for (queue,) in cursor.fetchall()]


# Raw SQL, because the ticker runs it many times a second.
_DUE_QUEUES = " UNION ALL ".join(
    f"SELECT '{queue}' WHERE EXISTS (SELECT 1 FROM jobs_job WHERE queue = '{queue}' "  # noqa: S608  # own names
    "AND done IS NULL AND failed IS NULL AND due <= %s AND (lease_until IS NULL OR lease_until < %s)) "
    "AND NOT EXISTS (SELECT 1 FROM jobs_pause)"
    for queue in kinds.QUEUES
)


def _divided(leased: Sequence[Job], in_flight: int) -> list[Claim]:
    """Divide jobs among workers, which have `in_flight` others already.

    A job that has failed is alone, so that it cannot take others with it.
    """
    due = Tally(job.kind for job in leased)
    parts: list[tuple[kinds.Kind, list[int]]] = []
    growing: dict[str, list[int]] = {}
    for job in leased:
        kind = kinds.get(job.kind)
        part = growing.get(job.kind)
        if (
            part is None
            or job.attempts
            or len(part) >= min(kind.together, -(-(in_flight + due[job.kind]) // kind.shares))
        ):
            part = []
            parts.append((kind, part))
            if not job.attempts:
                growing[job.kind] = part
        part.append(job.pk)
    return [Claim(ids, kind.name, kind.lease, leased[0].queue) for kind, ids in parts]


def _within_limits(due: JobQuerySet, queue: str, now: datetime) -> JobQuerySet:
    """Exclude kinds of a queue that have as many jobs handed out as allowed."""
    limited = dict(kinds.limited(queue))
    if not limited:
        return due
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
    """Otherwise the job is postponed, or has failed for good."""
    try:
        kind = kinds.get(job.kind)
    except kinds.UnknownKind as error:
        _postpone([job.pk], error, now)
        return False
    if job.attempts >= kind.max_attempts:
        _exhaust(job, kind, WorkerLost(job.attempts), job.last_error or str(WorkerLost(job.attempts)), now)
        return False
    return True


def _postpone(job_ids: Sequence[int], error: kinds.UnknownKind, now: datetime, *, begun: int = 0) -> None:
    """Leave jobs of an unknown kind to a process of a later version. `begun` attempts are not counted."""
    log.warning("%d jobs are due again in a minute: %s", len(job_ids), error)
    Job.objects.open().filter(pk__in=job_ids).update(
        due=now + LATER, attempts=F("attempts") - begun, lease_until=None, begun=None, last_error=str(error)
    )


class WorkerLost(Exception):
    """Every attempt ended with the worker or its process killed."""

    def __init__(self, attempts: int) -> None:
        super().__init__(f"the worker was lost in each of {attempts} attempts")


def release(*, job_ids: Sequence[int]) -> None:
    """Undo a claim that reached no worker."""
    Job.objects.claimed().filter(pk__in=job_ids, begun=None).update(lease_until=None)


def on_their_way(*, now: datetime) -> QuerySet[Job]:
    """Jobs handed out a while ago and not begun: their messages are in the broker's queue, or lost."""
    return Job.objects.claimed().filter(begun=None, lease_until__lt=now + TO_BEGIN - ON_ITS_WAY)


def waits(*, now: datetime) -> dict[str, float]:
    """By queue, the seconds for which its oldest job that no worker has begun has been due; 0 without one."""
    due = Job._meta.get_field("due").get_col(Job._meta.db_table)
    converters = connection.ops.get_db_converters(due)
    found: dict[str, float] = {}
    with connection.cursor() as cursor:
        cursor.execute(_OLDEST, [connection.ops.adapt_datetimefield_value(now)] * len(kinds.QUEUES))
        for queue, stored in cursor.fetchall():
            oldest = reduce(lambda value, convert: convert(value, due, connection), converters, stored)
            found[queue] = (now - oldest).total_seconds() if oldest else 0.0
    return found


_OLDEST = " UNION ALL ".join(
    f"SELECT '{queue}', (SELECT min(due) FROM jobs_job WHERE queue = '{queue}' "  # noqa: S608  # own names
    "AND done IS NULL AND failed IS NULL AND begun IS NULL AND due <= %s)"
    for queue in kinds.QUEUES
)


def carry_out(*, job_ids: Sequence[int], now: datetime) -> Exception | None:
    """Carry out claimed jobs of one kind and mark them done, in one transaction. A second worker finds nothing to do.

    Returns the error of a failed attempt, which is stored with its job; the job is retried later.
    """
    begun = _begin(job_ids, now)
    if not begun:
        if is_paused():
            release(job_ids=job_ids)
        return None
    try:
        kind = kinds.get(begun[0].kind)
    except kinds.UnknownKind as unknown:
        _postpone([job.pk for job in begun], unknown, now, begun=1)
        return None
    with measured_attempt(begun, now) as ended:
        error = ended.error = _work(begun, kind, now)
    return error


def _work(begun: Sequence[Job], kind: Kind, now: datetime) -> Exception | None:
    # The clock may have been set back since the jobs were handed out; their time is never before the due time.
    work_time = max(now, *(job.due for job in begun))
    ready, prepared, error = begun, list[Any](), None
    if kind.prepare is not None:
        ready, prepared, error = _prepare(begun, kind, kind.prepare, work_time, now)
    try:
        _complete(ready, prepared, kind, work_time, now)
    except Exception as fault:
        if len(ready) == 1:
            _record_failure(ready[0].pk, kind, fault, now)
            return fault
        for index, job in enumerate(ready):
            try:
                _complete([job], prepared[index : index + 1], kind, work_time, now)
            except Exception as own:
                _record_failure(job.pk, kind, own, now)
                error = own
    return error


def _complete(
    jobs: Sequence[Job], prepared: Sequence[Any], kind: Kind, work_time: datetime, now: datetime
) -> None:
    """Carry out the work of jobs that are still open, and settle them, in one transaction."""
    with transaction.atomic():
        ids = [job.pk for job in jobs]
        among_ids, parameters = among("id", ids)
        claimed = Job.objects.raw(f"{_CLAIMED} AND {among_ids} ORDER BY id {locking()}", parameters)
        locked = {job.pk: job for job in claimed}
        held = [index for index, pk in enumerate(ids) if pk in locked]
        if not held:
            return
        ours = [locked[ids[index]] for index in held]
        results = {"prepared": [prepared[index] for index in held]} if kind.prepare else {}
        if kind.together > 1:
            answers = kind.work([job.payload for job in ours], now=work_time, **results)
        else:
            one = {name: each for name, [each] in results.items()}
            answers = [kind.work(ours[0].payload, now=work_time, **one)]
        _settle(ours, kind, answers or [None] * len(ours), now)


def _begin(job_ids: Sequence[int], now: datetime) -> list[Job]:
    """Begin claimed jobs and count the attempt. Those that another worker has begun, or all if paused, are left out.

    This commits before the work starts, so a job that kills its worker also runs out of attempts.
    """
    moment = connection.ops.adapt_datetimefield_value
    among_ids, parameters = among("id", job_ids)
    statement = _BEGIN.format(among_ids=among_ids)
    given = [moment(now), moment(now + IN_HAND), *parameters, moment(now)]
    return sorted(Job.objects.raw(statement, given), key=lambda job: job_ids.index(job.pk))


# Raw SQL, because every job runs it: Django builds such statements more slowly than the database runs them.
_OPEN = "done IS NULL AND failed IS NULL AND lease_until IS NOT NULL"
_BEGIN = (
    "UPDATE jobs_job SET begun = %s, lease_until = %s, attempts = attempts + 1 "  # noqa: S608
    f"WHERE {{among_ids}} AND {_OPEN} AND (begun IS NULL OR lease_until < %s) "
    f"AND NOT EXISTS (SELECT 1 FROM jobs_pause) RETURNING {columns(Job)}"
)
_CLAIMED = f"{select(Job)} WHERE {_OPEN}"


def _prepare(
    begun: Sequence[Job], kind: Kind, prepare: kinds.Prepare, work_time: datetime, now: datetime
) -> tuple[list[Job], list[Any], Exception | None]:
    """Return the jobs that are prepared, their results, and the error of another.

    The leases are renewed meanwhile, as long as the kind allows.
    """
    ready, prepared, failed = list[Job](), list[Any](), None
    with _leases_renewed(begun, kind, now):
        for job in begun:
            try:
                prepared.append(prepare(job.payload, now=work_time))
                ready.append(job)
            except Exception as error:
                _record_failure(job.pk, kind, error, now)
                failed = error
    return ready, prepared, failed


@contextmanager
def _leases_renewed(begun: Sequence[Job], kind: Kind, now: datetime) -> Iterator[None]:
    began, over = time.monotonic(), threading.Event()
    ids = [job.pk for job in begun]

    def renew() -> None:
        try:
            while not over.wait(IN_HAND.total_seconds() / 3):
                passed = timedelta(seconds=time.monotonic() - began)
                if passed > kind.lease:
                    return
                held = Job.objects.claimed().filter(pk__in=ids, begun__isnull=False)
                held.update(lease_until=now + passed + IN_HAND)
        except DatabaseFault as error:
            log.warning("cannot renew the lease of job %s: %s", begun[0].key, describe(error).splitlines()[0])
        finally:
            connection.close()

    renewal = threading.Thread(target=renew, name="lease", daemon=True)
    renewal.start()
    try:
        yield
    finally:
        over.set()
        renewal.join()


def _settle(jobs: Sequence[Job], kind: Kind, answers: Sequence[Again | None], now: datetime) -> None:
    done: list[int] = []
    again: dict[datetime, list[int]] = {}
    for job, answer in zip(jobs, answers, strict=True):
        if answer is not None:
            again.setdefault(answer.due, []).append(job.pk)
        elif kind.every is not None:
            # Missed runs are not repeated. `now` is not the time of the work, which may lie ahead.
            again.setdefault(now + kind.every, []).append(job.pk)
        else:
            done.append(job.pk)
    if done:
        Job.objects.filter(pk__in=done).update(done=now, lease_until=None, begun=None, last_error="")
    for due, ids in again.items():
        Job.objects.filter(pk__in=ids).update(
            due=due, attempts=0, lease_until=None, begun=None, last_error=""
        )


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


def _give_up(job: Job, kind: Kind, error: Exception, text: str, now: datetime) -> None:
    job.failed = now
    job.lease_until = job.begun = None
    job.last_error = text
    GIVEN_UP.labels(job.kind).inc()
    log.error("job %s failed after %d attempts: %s", job.key, job.attempts, text.splitlines()[0])
    if kind.on_failed is not None:
        try:
            with transaction.atomic():
                kind.on_failed(job.payload, now=now, error=error)
        except Exception as second:
            # The job keeps its own error first; the error of the failure handler is appended.
            job.last_error += f"\n\nand the handler of the failure failed:\n{describe(second)}"
            log.error("the failure handler of job %s failed: %s", job.key, describe(second))
    job.save(update_fields=["failed", "lease_until", "begun", "last_error"])


def describe(error: BaseException) -> str:
    """The error's first line and its location."""
    frames = "".join(traceback.format_tb(error.__traceback__)[-6:])
    return f"{type(error).__name__}: {first_line(error)}\n{frames}".rstrip()


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
    "racecard_clock_steps", "How often the clock of the database was set while a ticker ran", ["direction"]
)
for _direction in ("forwards", "backwards"):
    CLOCK_STEPS.labels(_direction)  # so that the first step is an increase from 0

_IDS = ("game", "tournament", "market", "match", "dispute")
"""Keys of payloads that are ids. Nothing else of a payload is logged."""


@dataclass(slots=True)
class Ended:
    error: Exception | None = None


@contextmanager
def measured_attempt(jobs: Sequence[Job], now: datetime) -> Iterator[Ended]:
    """Measure one attempt, and add the job and its subject to every log line meanwhile.

    Of several jobs, the first is named, with their number.
    """
    job = jobs[0]
    about = {name: str(job.payload[name]) for name in _IDS if name in job.payload}
    if len(jobs) > 1:
        about["jobs"] = str(len(jobs))
    ended, began = Ended(), time.perf_counter()
    for one in jobs:
        WAITED.labels(one.kind).observe(max(0.0, (now - one.due).total_seconds()))
    with structlog.contextvars.bound_contextvars(job=job.key, kind=job.kind, **about):
        yield ended
        seconds, outcome = time.perf_counter() - began, "failed" if ended.error else "done"
        SECONDS.labels(job.kind, outcome).observe(seconds)
        attempts_log.debug("job_carried_out", outcome=outcome, seconds=round(seconds, 4))
