"""Scheduling, claiming and carrying out jobs. A job's effect and the mark that it is done commit together."""

from __future__ import annotations

import json
import logging
import threading
import time
import traceback
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import Error as DatabaseFault
from django.db import connection, transaction
from django.db.models import F, Q, QuerySet

from jobs import counts, kinds
from jobs.kinds import Again, Kind
from jobs.models import Heartbeat, Job, JobQuerySet, Pause

log = logging.getLogger("jobs")

IN_FLIGHT = 100
"""Jobs handed out and not yet done, at most: a long queue would outlive its leases and be sent again."""

TO_BEGIN = timedelta(seconds=60)
"""The lease of a job that is handed out, until a worker begins it."""

IN_HAND = timedelta(seconds=5)
"""The lease of a job that a worker has begun. While it prepares, it renews this; while it works, it has the row locked,
and a job whose row is locked is handed to nobody."""

LEEWAY = timedelta(seconds=5)
"""By how much clocks of several machines may differ."""

OVERDUE = timedelta(minutes=5)
"""A recurring job that was due so long ago and that no worker has begun does not run."""

ON_ITS_WAY = timedelta(seconds=2)
"""How long a message may be neither in the broker's queue nor begun, before it counts as lost."""


@dataclass(frozen=True, slots=True)
class Planned:
    """What is to be arranged: a job of this kind, carried out once, at `due` or after. One key is one job."""

    kind: str
    key: str
    payload: Mapping[str, Any]
    due: datetime


def schedule(*, kind: str, key: str, payload: Mapping[str, Any], due: datetime) -> None:
    """Arrange, in the caller's transaction, that a job of this kind is carried out once, at `due` or after.

    The same key twice is one job: the first one. Raises UnknownKind if no `tasks` module declares the kind.
    """
    schedule_all([Planned(kind, key, payload, due)])


def schedule_all(planned: Iterable[Planned]) -> None:
    """The same for many, in one statement."""
    rows = []
    for one in planned:
        kinds.get(one.kind)
        if one.due.tzinfo is None:
            raise ValueError("a job is due at an aware datetime")
        json.dumps(one.payload, allow_nan=False)
        rows.append(Job(kind=one.kind, key=one.key, payload=dict(one.payload), due=one.due))
    Job.objects.bulk_create(rows, ignore_conflicts=True)


def cancel(*, key: str) -> None:
    """Take a job back, in the caller's transaction. One that is being carried out just now is left alone.

    Waiting for it could deadlock: its transaction may be about to lock what the caller has locked already.
    """
    with transaction.atomic():
        for job in Job.objects.select_for_update(skip_locked=True).open().filter(key=key):
            job.delete()


def pause(*, reason: str, now: datetime) -> None:
    """Hand out and carry out nothing until `resume`. What a worker has begun is finished."""
    Pause.objects.get_or_create(pk=1, defaults={"since": now, "reason": reason})


def resume() -> None:
    Pause.objects.filter(pk=1).delete()


def is_paused() -> bool:
    return Pause.objects.filter(pk=1).exists()


def beat(*, name: str, now: datetime) -> None:
    """Let others see that this process is at work."""
    Heartbeat.objects.update_or_create(name=name, defaults={"at": now})


def last_beat(*, name: str) -> datetime | None:
    return Heartbeat.objects.filter(name=name).values_list("at", flat=True).first()


def retry(*, job_id: int, now: datetime) -> bool:
    """Give a failed job all its attempts once more; False if it is not a failed one."""
    changed = Job.objects.filter(pk=job_id, failed__isnull=False).update(
        failed=None, attempts=0, lease_until=None, begun=None, due=now
    )
    return changed == 1


def arm_recurring(*, now: datetime) -> None:
    """Schedule the recurring jobs that have no row yet, and repair what a clock that was wrong has left behind."""
    for kind in kinds.recurring():
        schedule(kind=kind.name, key=kind.recurring_key, payload={}, due=now)
    clamp(now=now)


def clamp(*, now: datetime) -> int:
    """Bring back what lies further ahead than it ever should; says how many jobs that were.

    A recurring job is due at most one interval from now, and a lease lasts at most `TO_BEGIN`. Anything later was
    written by a clock that has been set back since.
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
    """Whether each recurring job is due within its interval, and none that waits is overdue by more than `OVERDUE`."""
    keys = [kind.recurring_key for kind in kinds.recurring()]
    late = Job.objects.open().filter(key__in=keys, due__lt=now - OVERDUE, begun=None)
    return not late.exists() and not any(True for _ in _too_far_ahead(now))


@dataclass(frozen=True, slots=True)
class Claim:
    job_id: int
    kind: str


def claim(*, now: datetime, limit: int = IN_FLIGHT) -> list[Claim]:
    """Lease what is due. A job that has lost its worker in each of its attempts is given up."""
    # Read without a lock first: on SQLite the transaction below is the one writer there can be.
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
        return [Claim(job.pk, job.kind) for job in leased]


def _within_limits(due: JobQuerySet, now: datetime) -> JobQuerySet:
    """Without those of a kind of which as many are handed out as may be at once."""
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
    """Otherwise it is given up."""
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
    """No attempt came to an end: the worker was killed, or its process died, each time."""

    def __init__(self, attempts: int) -> None:
        super().__init__(f"the worker was lost in each of {attempts} attempts")


def release(*, job_id: int) -> None:
    """Take back a claim that reached no worker."""
    Job.objects.claimed().filter(pk=job_id, begun=None).update(lease_until=None)


def on_their_way(*, now: datetime) -> QuerySet[Job]:
    """Jobs handed out a while ago that no worker has begun: their messages wait in the broker's queue, or are lost."""
    return Job.objects.claimed().filter(begun=None, lease_until__lt=now + TO_BEGIN - ON_ITS_WAY)


def carry_out(*, job_id: int, now: datetime) -> Exception | None:
    """Do a claimed job's work and mark it done, in one transaction. Whoever comes second finds nothing to do.

    Returns the error of a failed attempt, which is kept with the job and retried later.
    """
    job = Job.objects.in_nobodys_hand(now).filter(pk=job_id).first()
    if job is None:
        return None
    if is_paused():
        release(job_id=job_id)
        return None
    kind = kinds.get(job.kind)
    if not _begin(job, now):
        return None
    with counts.carried_out(job, now) as ended:
        error = ended.error = _work(job, kind, now)
    return error


def _work(job: Job, kind: Kind, now: datetime) -> Exception | None:
    # The clock may have been set back since it was handed out, but the function is promised that its time has come.
    work_time = max(now, job.due)
    try:
        prepared = {"prepared": _prepare(job, kind, kind.prepare, work_time, now)} if kind.prepare else {}
        with transaction.atomic():
            locked = Job.objects.select_for_update().claimed().filter(pk=job.pk).first()
            if locked is not None:
                _settle(locked, kind, kind.work(locked.payload, now=work_time, **prepared), now)
    except Exception as error:
        _record_failure(job.pk, kind, error, now)
        return error
    return None


def _begin(job: Job, now: datetime) -> bool:
    """Take a job in hand and count the attempt; False if somebody else was first.

    That is committed before anything is tried: a job that kills its worker runs out of attempts too.
    """
    begun = Job.objects.in_nobodys_hand(now).filter(pk=job.pk)
    return begun.update(begun=now, lease_until=now + IN_HAND, attempts=F("attempts") + 1) == 1


def _prepare(job: Job, kind: Kind, prepare: kinds.Prepare, work_time: datetime, now: datetime) -> Any:
    """Renew the lease meanwhile, as long as the kind allows. The function is given `work_time` as its `now`."""
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
            log.warning("job %s is not kept in hand: %s", job.key, describe(error).splitlines()[0])
        finally:
            connection.close()

    keeper = threading.Thread(target=renew, name="lease", daemon=True)
    keeper.start()
    try:
        return prepare(job.payload, now=work_time)
    finally:
        over.set()
        keeper.join()


def _settle(job: Job, kind: Kind, answer: Again | None, now: datetime) -> None:
    if answer is None and kind.every is not None:
        # Runs that were missed are not made up for. `now` is not that of the work, which may lie ahead.
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
    counts.GIVEN_UP.labels(job.kind).inc()
    log.error("job %s is given up after %d attempts: %s", job.key, job.attempts, text.splitlines()[0])
    if kind is not None and kind.on_failed is not None:
        try:
            with transaction.atomic():
                kind.on_failed(job.payload, now=now, error=error)
        except Exception as second:
            # The job stays given up: its own error is the one to look at, this one comes below it.
            job.last_error += f"\n\nand the handler of the failure failed:\n{describe(second)}"
            log.error("the failure handler of job %s failed: %s", job.key, describe(second))
    job.save(update_fields=["failed", "lease_until", "begun", "last_error"])


def describe(error: BaseException) -> str:
    """The error's first line and where it arose. Never more: a database says the whole failing row in its
    second line, and that row may hold a secret."""
    first_line = (str(error).splitlines() or [""])[0]
    frames = "".join(traceback.format_tb(error.__traceback__)[-6:])
    return f"{type(error).__name__}: {first_line}\n{frames}".rstrip()
