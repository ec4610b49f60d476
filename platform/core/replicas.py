"""Reads from a replica of the database, for whole requests whose answers may be a moment old.

The replica takes the place of the primary for one thread, so that everything the thread reads comes from one server.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import structlog
from django.db import DEFAULT_DB_ALIAS, Error, connections

log = structlog.get_logger(__name__)

ALIAS = "replica"
"""The replica's entry in DATABASES."""

CHECKED_EVERY = 1.0
"""Seconds for which a process relies on what it has found out about the replica."""

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
_checked_at, _lag = float("-inf"), float("inf")


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
    global _checked_at, _lag
    if ALIAS not in connections.settings:
        return float("inf")
    with _lock:
        if time.monotonic() < _checked_at + CHECKED_EVERY:
            return _lag
        _checked_at = time.monotonic()  # the others do not wait for a replica that does not answer
    _lag = _measured()
    return _lag


def _measured() -> float:
    written, replica = _written(), connections[ALIAS]
    try:
        replica.close_if_unusable_or_obsolete()
        with replica.cursor() as cursor:
            cursor.execute(_LAG, [written])
            [behind] = cursor.fetchone()
    except Error as error:
        log.warning("replica_unavailable", reason=(str(error).splitlines() or [""])[0])
        replica.close()
        return float("inf")
    return float("inf") if behind is None else float(behind)


def _written() -> str | None:
    """How far the primary has written its log; None if it does not answer: then nothing newer can be read."""
    primary = connections[DEFAULT_DB_ALIAS]
    try:
        primary.close_if_unusable_or_obsolete()
        with primary.cursor() as cursor:
            cursor.execute(_WRITTEN)
            [position] = cursor.fetchone()
    except Error:
        return None
    return str(position)
