"""Faults of the servers behind us that pass: done again where the database certainly rolled everything back, else 503.

PostgreSQL ends one of two transactions that wait for each other; SQLite refuses a second writer; a server restarts.
None of that is a defect of the request, and none may leave half of its effect behind. Where a connection broke nobody
knows whether the commit came before it: the caller sends the command again, and its key tells.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

import structlog
from django.db import Error, InterfaceError, OperationalError, connection
from redis.exceptions import RedisError

from api.errors import Problem, register_problem
from api.metrics import Counter

log = structlog.get_logger(__name__)
AGAIN = Counter(
    "racecard_transactions_repeated", "Transactions that the database rolled back, begun once more"
)

P = ParamSpec("P")
T = TypeVar("T")

PAUSES = (0.01, 0.05, 0.2)
"""Seconds before each further attempt."""

PATIENCE = 5.0
"""Seconds after which no further attempt begins: SQLite has waited long for the other writer by itself."""

ROLLED_BACK = frozenset({"40001", "40P01", "55P03"})
"""SQLSTATE: serialization_failure, deadlock_detected, lock_not_available."""

UNREACHABLE = ("08", "53", "57P", "58")
"""SQLSTATE, how they begin: connection lost, out of resources, shut down, trouble of the system."""

DISK_FULL = "53100"
"""SQLSTATE: disk_full."""

LITE_BUSY = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})
LITE_UNREACHABLE = frozenset({sqlite3.SQLITE_IOERR, sqlite3.SQLITE_FULL, sqlite3.SQLITE_CANTOPEN})


class Busy(Problem):
    status = 503
    code = "busy"
    title = "The database was busy with something else; nothing was changed. Send the request again"


class Unavailable(Problem):
    status = 503
    code = "unavailable"
    title = "The database, or the server of the counters, does not answer; try again in a moment"


class StorageFull(Problem):
    status = 503
    code = "storage-full"
    title = "The disk of the database is full: nothing can be stored now, reads are still answered. Nothing was changed"


def was_rolled_back(error: BaseException) -> bool:
    """Whether the database certainly undid the transaction, and might well not do so the next time."""
    cause = error.__cause__
    if isinstance(cause, sqlite3.Error):
        return _lite_code(cause) in LITE_BUSY
    return getattr(cause, "sqlstate", None) in ROLLED_BACK


def is_unreachable(error: BaseException) -> bool:
    """Whether the database could not be asked, or was lost on the way."""
    cause = error.__cause__
    if isinstance(cause, sqlite3.Error):
        return _lite_code(cause) in LITE_UNREACHABLE
    if not isinstance(error, OperationalError | InterfaceError):
        return False
    state = getattr(cause, "sqlstate", None)
    return state is None or state.startswith(UNREACHABLE)


def is_full(error: BaseException) -> bool:
    """Whether the database had no room left for what it was to store."""
    cause = error.__cause__
    if isinstance(cause, sqlite3.Error):
        return _lite_code(cause) == sqlite3.SQLITE_FULL
    return getattr(cause, "sqlstate", None) == DISK_FULL


def _lite_code(error: sqlite3.Error) -> int:
    """The primary code of SQLite's result: the lowest byte of what it says."""
    return int(getattr(error, "sqlite_errorcode", 0)) & 0xFF


def retried(work: Callable[P, T]) -> Callable[P, T]:
    """For a function that is one transaction: do it again where the database rolled that back, a few times.

    Within a transaction of the caller's it is done once, for then there is more to be done again than this.
    """

    @wraps(work)
    def persistent(*args: P.args, **kwargs: P.kwargs) -> T:
        began = time.monotonic()
        for pause in PAUSES:
            try:
                return work(*args, **kwargs)
            except Error as error:
                late = time.monotonic() - began > PATIENCE
                if late or connection.in_atomic_block or not was_rolled_back(error):
                    raise
                AGAIN.inc()
                log.info("rolled_back_and_tried_again", reason=_reason(error))
            time.sleep(pause)
        return work(*args, **kwargs)

    return persistent


def _problem(error: Error) -> Problem | None:
    if was_rolled_back(error):
        log.warning("database_busy", reason=_reason(error))
        return Busy(retry_after=1)
    if is_full(error):
        log.error("storage_full", reason=_reason(error))
        return StorageFull(retry_after=30)
    if is_unreachable(error):
        log.warning("database_unavailable", reason=_reason(error))
        return Unavailable(retry_after=1)
    return None


def _reason(error: Error) -> str:
    """The first line alone: the next ones may show a row."""
    return (str(error).splitlines() or [type(error).__name__])[0]


def _without_counters(error: RedisError) -> Problem:
    """Where nobody can count, nobody is let through."""
    log.warning("redis_unavailable", reason=type(error).__name__)
    return Unavailable(retry_after=1)


register_problem(Error, _problem)
register_problem(RedisError, _without_counters)
