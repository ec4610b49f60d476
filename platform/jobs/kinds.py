"""The kinds of job of this installation, and the decorators that declare them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

Payload = dict[str, Any]

PLAY, MONEY, MESSAGES, MAINTENANCE = QUEUES = ("play", "money", "messages", "maintenance")
"""The queues, each with workers of its own, if wanted: games and rounds; money, checkpoints, and what is measured; what
is sent to people and other servers; and what takes long and nobody waits for.
"""


@dataclass(frozen=True, slots=True)
class Again:
    """Returned by a job that is not complete: it is due again, with all its attempts."""

    due: datetime


FORMER_QUEUE = "celery"
"""The broker's only queue in version 0.2.0, whose tickers may still run during an update."""


def broker_queue(queue: str) -> str:
    """The name of a queue in the broker."""
    return f"racecard-{queue}"


Work = Callable[..., Any]
Prepare = Callable[..., Any]
OnFailed = Callable[..., None]


@dataclass(frozen=True, slots=True)
class Kind:
    name: str
    work: Work
    max_attempts: int
    lease: timedelta
    prepare: Prepare | None = None
    on_failed: OnFailed | None = None
    every: timedelta | None = None
    at_once: int | None = None
    """How many jobs of this kind are handed out at a time; None: no limit."""
    together: int = 1
    """How many jobs of this kind one worker may carry out in one transaction."""
    shares: int = 8
    """Into how many parts the due ones are divided at least, so that all workers have some."""
    queue: str = PLAY
    """One of `QUEUES`."""

    @property
    def recurring_key(self) -> str:
        return f"every:{self.name}"

    def retry_after(self, attempts: int) -> timedelta:
        """1 s, 2 s, 4 s … at most 5 minutes."""
        return timedelta(seconds=min(2 ** max(attempts - 1, 0), 300))


class UnknownKind(LookupError):
    """The name of a kind that no `tasks` module declares: a defect, or a kind of another version."""


UNKNOWN = "no job kind "
"""How the text of UnknownKind begins, also in the rows of jobs that 0.2.0 has given up for it."""


_kinds: dict[str, Kind] = {}


def register(kind: Kind) -> None:
    if kind.queue not in QUEUES:
        raise ValueError(f"job kind {kind.name!r} has queue {kind.queue!r}; known are {', '.join(QUEUES)}")
    known = _kinds.get(kind.name)
    if known is not None and known.work.__qualname__ != kind.work.__qualname__:
        raise ValueError(f"job kind {kind.name!r} is declared twice")
    _kinds[kind.name] = kind


def get(name: str) -> Kind:
    try:
        return _kinds[name]
    except KeyError:
        raise UnknownKind(f"{UNKNOWN}{name!r} is declared; known are {', '.join(sorted(_kinds))}") from None


def names() -> list[str]:
    return list(_kinds)


def limited(queue: str) -> Iterator[tuple[str, int]]:
    """The kinds of a queue with a limit on how many jobs are handed out at a time."""
    return ((kind.name, kind.at_once) for kind in of_queue(queue) if kind.at_once is not None)


def of_queue(queue: str) -> list[Kind]:
    return [kind for kind in list(_kinds.values()) if kind.queue == queue]


def recurring() -> Iterator[Kind]:
    return (kind for kind in list(_kinds.values()) if kind.every is not None)


# --- declarations --------------------------------------------------------------------------------------


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
    queue: str = PLAY,
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
    queue      which workers do it, one of `QUEUES`.
    """
    return _declaring(
        name=name,
        max_attempts=max_attempts,
        lease=timedelta(seconds=lease),
        prepare=prepare,
        on_failed=on_failed,
        at_once=at_once,
        together=together,
        shares=shares,
        queue=queue,
    )


def every(
    name: str,
    *,
    seconds: int,
    max_attempts: int = 3,
    lease: int = 60,
    prepare: Prepare | None = None,
    queue: str = PLAY,
) -> Callable[[Work], Work]:
    """Declare a recurring job: the ticker schedules it `seconds` after each run, and it never fails for good."""
    return _declaring(
        name=name,
        max_attempts=max_attempts,
        lease=timedelta(seconds=lease),
        prepare=prepare,
        every=timedelta(seconds=seconds),
        queue=queue,
    )


def _declaring(**terms: Any) -> Callable[[Work], Work]:
    def declare(work: Work) -> Work:
        register(Kind(work=work, **terms))
        return work

    return declare
