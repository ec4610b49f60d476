"""Reads from a replica of the database, for whole requests whose answers may be a moment old.

The replica takes the place of the primary for one thread, so that everything the thread reads comes from one server.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Any, TypeVar

import structlog
from django.db import DEFAULT_DB_ALIAS, Error, connections

from core.errors import first_line

log = structlog.get_logger(__name__)
T = TypeVar("T")

ALIAS = "replica"
"""The replica's entry in DATABASES."""

CHECKED_EVERY = 1.0
"""Seconds for which a process relies on what it has found out about the replica."""
ANSWERED_WITHIN = 0.5
"""Seconds for which a measurement waits for the primary."""
AWAY_AFTER = 2.0
"""Seconds without an answer after which the primary counts as away."""
LONGEST_PAUSE = 30.0
"""Seconds after which a process looks for a replica again that does not answer; at first it is `CHECKED_EVERY`."""

_WRITTEN = "SELECT pg_current_wal_flush_lsn()::text"
_LAG = """
SELECT CASE WHEN NOT pg_is_in_recovery() OR pg_last_wal_replay_lsn() >= coalesce(%s::pg_lsn, pg_last_wal_receive_lsn())
THEN 0 ELSE EXTRACT(EPOCH FROM clock_timestamp() - pg_last_xact_replay_timestamp()) END
"""
"""Seconds by which the replica is behind what the primary has written; while the primary is away, behind what the
replica has received. A replica that is not connected to the primary has replayed all that it has received.
"""


class _State(threading.local):
    primary: Any = None
    """The connection that the replica's has replaced in this thread; None: it reads from the primary."""


_state = _State()
_lock = threading.Lock()


@dataclass(slots=True)
class _Known:
    """What this process knows about the replica. Times are of the monotonic clock."""

    lag: float = float("inf")
    check_at: float = float("-inf")
    pause: float = CHECKED_EVERY
    measuring: bool = False


_known = _Known()


def is_reading() -> bool:
    """Whether this thread reads from the replica."""
    return _state.primary is not None


@contextmanager
def reading() -> Iterator[None]:
    """Have this thread read from the replica. Whatever it writes is refused by the replica."""
    primary = connections[DEFAULT_DB_ALIAS]
    connections[DEFAULT_DB_ALIAS] = connections[ALIAS]
    _state.primary = primary
    try:
        yield
    finally:
        connections[DEFAULT_DB_ALIAS], _state.primary = primary, None


@contextmanager
def on_primary() -> Iterator[None]:
    """Use the primary for a write that belongs to a read, such as the time at which a token was last used."""
    primary, replica = _state.primary, connections[DEFAULT_DB_ALIAS]
    if primary is None:
        yield
        return
    connections[DEFAULT_DB_ALIAS], _state.primary = primary, None
    try:
        yield
    finally:
        connections[DEFAULT_DB_ALIAS], _state.primary = replica, primary


def lag() -> float:
    """Seconds by which the replica is behind; infinity if there is none, or if it does not answer."""
    if ALIAS not in connections.settings:
        return float("inf")
    with _lock:
        late = time.monotonic() - _known.check_at
        if late < 0 or _known.measuring:
            # The others do not wait for a measurement, and do not read from a replica that takes long to answer.
            return _known.lag if late < CHECKED_EVERY else float("inf")
        _known.measuring = True
    found = None
    try:
        found = _measured()
    finally:
        with _lock:
            _note(found)
    return _known.lag


def failed() -> None:
    """Note that a request to the replica failed: nothing is read from it until it is measured again."""
    with _lock:
        _known.lag = float("inf")
        if _known.pause == CHECKED_EVERY:
            _known.check_at = float("-inf")


def _note(found: float | None) -> None:
    """Note a measurement that has ended; None: the replica did not answer."""
    _known.measuring = False
    _known.pause = CHECKED_EVERY if found is not None else min(2 * _known.pause, LONGEST_PAUSE)
    _known.lag = float("inf") if found is None else found
    _known.check_at = time.monotonic() + _known.pause


def _measured() -> float | None:
    """Seconds; None if the replica does not answer."""
    written, replica = _primary.written(), connections[ALIAS]
    try:
        replica.close_if_unusable_or_obsolete()
        with replica.cursor() as cursor:
            cursor.execute(_LAG, [written])
            [behind] = cursor.fetchone()
    except Error as error:
        log.warning("replica_unavailable", reason=first_line(error))
        replica.close()
        return None
    return float("inf") if behind is None else float(behind)


class _Primary:
    """Asks the primary how far it has written its log.

    A separate thread waits for the answer, since a connection pooler keeps a query for many seconds while there is
    no primary. A process that ends does not wait for it.
    """

    def __init__(self) -> None:
        self._work: SimpleQueue[tuple[Future[Any], Callable[[], Any]]] = SimpleQueue()
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()
        self._answer: Future[str | None] | None = None
        self._asked_at = self._ended_at = float("-inf")
        self._silent_since: float | None = None
        """When the first of the queries was sent that have not been answered; of the monotonic clock."""

    def written(self) -> str | None:
        """The position; None without an answer in time: then nothing newer can be read."""
        try:
            return self._ask().result(ANSWERED_WITHIN)
        except Exception:  # the thread has logged it, unless it is the time
            return None

    def is_away(self) -> bool:
        """Whether the primary has not answered for `AWAY_AFTER`. Asks it once in `CHECKED_EVERY`, without waiting."""
        if time.monotonic() - self._asked_at > CHECKED_EVERY:
            self._ask()
        since = self._silent_since
        return since is not None and time.monotonic() - since > AWAY_AFTER

    def _ask(self) -> Future[str | None]:
        """The query that is not answered yet, or a new one."""
        with self._lock:
            if self._answer is None or self._answer.done():
                now = time.monotonic()
                if self._silent_since is None or now - self._ended_at > AWAY_AFTER:
                    self._silent_since = now  # since the last query ended no one has asked
                self._asked_at = now
                self._answer = self._submit(self._position)
            return self._answer

    def _submit(self, work: Callable[[], T]) -> Future[T]:
        """Have the thread do it. Unlike an executor's, the thread is a daemon."""
        result: Future[T] = Future()
        self._work.put((result, work))
        if self._thread is None:
            self._thread = threading.Thread(target=self._do_all, name="primary", daemon=True)
            self._thread.start()
        return result

    def _do_all(self) -> None:
        while True:
            result, work = self._work.get()
            try:
                result.set_result(work())
            except Exception as error:
                log.exception("primary_not_asked")
                result.set_exception(error)

    def _position(self) -> str | None:
        primary = connections[DEFAULT_DB_ALIAS]
        try:
            primary.close_if_unusable_or_obsolete()
            with primary.cursor() as cursor:
                cursor.execute(_WRITTEN)
                [position] = cursor.fetchone()
        except Error:
            primary.close()
            return None
        finally:
            self._ended_at = time.monotonic()
        self._silent_since = None
        return str(position)


_primary = _Primary()


def primary_is_away() -> bool:
    """Whether the primary has not answered this process for `AWAY_AFTER` seconds; False without a replica."""
    return ALIAS in connections.settings and _primary.is_away()
