"""Decorators that declare kinds of job."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

from jobs import kinds
from jobs.kinds import Again, OnFailed, Prepare, Work

__all__ = ["Again", "every", "job"]


def job(
    name: str,
    *,
    max_attempts: int = 10,
    lease: int = 60,
    prepare: Prepare | None = None,
    on_failed: OnFailed | None = None,
    at_once: int | None = None,
    together: int = 1,
    shares: int = 8,
) -> Callable[[Work], Work]:
    """Declare the decorated function as the work of one kind of job.

    The function gets `(payload, *, now)` and runs in one transaction with the row that says it is done; it
    returns `Again(due=…)` to be called once more. `now` is never earlier than the time the job was due.

    prepare    is called as `(payload, *, now)` before that transaction, for slow work and for what commits
               step by step; its result reaches the function as `prepared=`. It may run more than once.
    lease      seconds that it may take: a worker process that takes longer is killed, or the job is given to another.
    on_failed  is called as `(payload, *, now, error)` in the transaction that gives the job up, after
               `max_attempts`.
    at_once    how many jobs of this kind are handed out at a time, for work that waits for others and must not
               keep every worker waiting; None: as many as there are.
    together   how many jobs one call of the function may carry out, for short work. If it is more than 1, the function
               gets lists of payloads and of prepared results, and returns None or a list of results. If such a call
               fails, it is repeated for each job by itself.
    shares     into how many parts the due jobs are divided at least; 1 for jobs that wait for the same lock.
    """
    return _declare(name, max_attempts, lease, prepare, on_failed, None, at_once, together, shares)


def every(
    name: str, *, seconds: int, max_attempts: int = 3, lease: int = 60, prepare: Prepare | None = None
) -> Callable[[Work], Work]:
    """Declare a recurring job: the ticker schedules it `seconds` after each run, and it never fails for good."""
    return _declare(name, max_attempts, lease, prepare, None, period=timedelta(seconds=seconds))


def _declare(
    name: str,
    max_attempts: int,
    lease: int,
    prepare: Prepare | None,
    on_failed: OnFailed | None,
    period: timedelta | None,
    at_once: int | None = None,
    together: int = 1,
    shares: int = 8,
) -> Callable[[Work], Work]:
    def decorate(work: Work) -> Work:
        kinds.register(
            kinds.Kind(
                name=name,
                work=work,
                max_attempts=max_attempts,
                lease=timedelta(seconds=lease),
                prepare=prepare,
                on_failed=on_failed,
                every=period,
                at_once=at_once,
                together=together,
                shares=shares,
            )
        )
        return work

    return decorate
