"""Transient faults of servers: retried a few times, and then answered with 503.

PostgreSQL ends one of two transactions in a deadlock. SQLite refuses a second writer. A server restarts. These are
not defects of the request, and none of them may leave a partial effect. If a connection breaks, the outcome of the
commit is unknown. The work is repeated with the same command id, which finds what was committed, and if the database
stays away the caller sends the command again with the same idempotency key.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

import structlog
from django.db import Error, InterfaceError, InternalError, OperationalError, connection
from redis.exceptions import RedisError

from core import replicas
from core.errors import Problem, Unavailable, first_line, register_problem
from core.metrics import Counter

log = structlog.get_logger(__name__)
AGAIN = Counter(
    "racecard_transactions_repeated",
    "Transactions that the database rolled back, or whose connection was lost, and that were retried",
)

P = ParamSpec("P")
T = TypeVar("T")

PAUSES = (0.01, 0.05, 0.2)
"""Seconds before each retry."""

PATIENCE = 5.0
"""Seconds after which no retry starts: SQLite itself has already waited long for the other writer."""

ROLLED_BACK = frozenset({"40001", "40P01", "55P03"})
"""SQLSTATE: serialization_failure, deadlock_detected, lock_not_available."""

UNREACHABLE = ("08", "53", "57P", "58")
"""SQLSTATE prefixes: connection lost, out of resources, shutdown, system error."""

LOST = ("08", "57P")
"""SQLSTATE prefixes: connection lost, shutdown."""

MOVED = frozenset({"25006", "25P03"})
"""SQLSTATE: read_only_sql_transaction, which a server answers that has become a standby, and
idle_in_transaction_session_timeout. A new connection may lead to the new primary.
"""

DISK_FULL = "53100"
"""SQLSTATE: disk_full."""

LITE_BUSY = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})
LITE_UNREACHABLE = frozenset({sqlite3.SQLITE_IOERR, sqlite3.SQLITE_FULL, sqlite3.SQLITE_CANTOPEN})


class Busy(Unavailable):
    code = "busy"
    title = "The database was busy with something else; nothing was changed. Send the request again"


class StorageFull(Unavailable):
    code = "storage-full"
    title = "The disk of the database is full: nothing can be stored now, reads are still answered. Nothing was changed"


def was_rolled_back(error: BaseException) -> bool:
    """Whether the database certainly rolled back the transaction and may accept it on retry."""
    cause = error.__cause__
    if isinstance(cause, sqlite3.Error):
        return _lite_code(cause) in LITE_BUSY
    return getattr(cause, "sqlstate", None) in ROLLED_BACK


def is_unreachable(error: BaseException) -> bool:
    """Whether the database was unreachable or the connection was lost."""
    cause = error.__cause__
    if isinstance(cause, sqlite3.Error):
        return _lite_code(cause) in LITE_UNREACHABLE
    return _has_state(error, UNREACHABLE)


def is_lost(error: BaseException) -> bool:
    """Whether the connection to PostgreSQL was lost, or leads to a server that takes no writes any more. If the work
    had been committed, that may have succeeded.
    """
    return not isinstance(error.__cause__, sqlite3.Error) and _has_state(error, LOST)


def _has_state(error: BaseException, prefixes: tuple[str, ...]) -> bool:
    state = getattr(error.__cause__, "sqlstate", None)
    if state is None:  # raised by the client: no answer, or not the one that it asked for (InternalError)
        return isinstance(error, OperationalError | InterfaceError | InternalError)
    return state in MOVED or (
        isinstance(error, OperationalError | InterfaceError) and state.startswith(prefixes)
    )


def is_full(error: BaseException) -> bool:
    """Whether the database had no space left."""
    cause = error.__cause__
    if isinstance(cause, sqlite3.Error):
        return _lite_code(cause) == sqlite3.SQLITE_FULL
    return getattr(cause, "sqlstate", None) == DISK_FULL


def _lite_code(error: sqlite3.Error) -> int:
    """The primary result code of SQLite: the lowest byte."""
    return int(getattr(error, "sqlite_errorcode", 0)) & 0xFF


def retried(work: Callable[P, T]) -> Callable[P, T]:
    """Decorate a function that is one transaction: retry it a few times where the database rolled it back, or where
    the connection was lost.

    The function must take effect once however often it runs, because it may have been committed as the connection was
    lost: it has the id of a command, or decides on the present state. Within a transaction of the caller it runs once,
    because a retry would have to repeat more than this function.
    """

    @wraps(work)
    def persistent(*args: P.args, **kwargs: P.kwargs) -> T:
        began = time.monotonic()
        for pause in PAUSES:
            try:
                return work(*args, **kwargs)
            except Error as error:
                lost = is_lost(error)
                late = time.monotonic() - began > PATIENCE or (lost and replicas.primary_is_away())
                if late or connection.in_atomic_block or not (lost or was_rolled_back(error)):
                    raise
                if lost:
                    connection.close()
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
    return first_line(error) or type(error).__name__


def _without_counters(error: RedisError) -> Problem:
    """Refuse requests whose counters cannot be reached."""
    log.warning("redis_unavailable", reason=type(error).__name__)
    return Unavailable(retry_after=1)


register_problem(Error, _problem)
register_problem(RedisError, _without_counters)
