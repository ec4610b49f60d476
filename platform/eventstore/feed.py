"""Live hints: which stream has moved. Never the events themselves: a reader looks into the log, which it
may miss nothing of.

`announce` is called by writers, a `Hub` runs once per process that serves event streams. A hint that is
lost (Redis restarted, a slow network) costs time, never an event: the hub also looks at the heads of the
streams it serves, now and then.
"""

from __future__ import annotations

import asyncio
import atexit
import hashlib
import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from typing import Any, Protocol
from uuid import UUID

import redis
import structlog
from django.conf import settings
from django.db import Error as DatabaseFault
from django.db import connection, transaction

from api.metrics import Counter

log = structlog.get_logger(__name__)
LOST = Counter(
    "racecard_feed_hints_lost", "Streams whose hint did not reach Redis: readers find them by looking"
)

REDIS_TIMEOUT = 0.25
"""Seconds to wait for Redis at most: a hint that comes later is worth nothing."""

GATHERING = 0.01
"""Seconds after a hint in which the next are gathered, to be sent together."""

REDIS_PAUSE = 5.0
"""Seconds without a try after Redis did not answer."""

SQLITE_INTERVAL = 0.025
POSTGRESQL_INTERVAL = 0.25
SAFETY_INTERVAL = 2.0
"""Seconds between looks at the heads while Redis brings hints."""


def announce(stream: UUID, version: int) -> None:
    """Tell the hubs, once the open transaction has committed, that `stream` has reached `version`."""
    if settings.REDIS_URL:
        transaction.on_commit(lambda: _publisher().publish(stream, version))


def channel() -> str:
    """Redis channels are shared by all databases of a server: this one belongs to the installation."""
    return f"racecard:{hashlib.sha256(settings.SECRET_KEY.encode()).hexdigest()[:16]}:events"


class _Publisher:
    """Sends hints from a thread of its own: a move is answered without waiting for Redis.

    A hint is sent at once, those that come within a moment of it together, as one message: every process that serves
    streams looks once for each.
    """

    def __init__(self) -> None:
        self._redis = redis.Redis.from_url(
            settings.REDIS_URL, socket_timeout=REDIS_TIMEOUT, socket_connect_timeout=REDIS_TIMEOUT
        )
        self._lock = threading.Lock()
        self._waiting: dict[UUID, int] = {}
        self._something = threading.Event()
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="hints", daemon=True)
        self._thread.start()
        atexit.register(self.close)

    def publish(self, stream: UUID, version: int) -> None:
        with self._lock:
            self._waiting[stream] = version
        self._something.set()

    def close(self) -> None:
        """Send what waits and end."""
        self._stopping.set()
        self._something.set()
        self._thread.join(REDIS_TIMEOUT * 2)
        atexit.unregister(self.close)

    def _run(self) -> None:
        while not self._stopping.is_set():
            self._something.wait()
            self._something.clear()
            self._stopping.wait(REDIS_PAUSE if not self._send() else GATHERING)
        self._send()

    def _send(self) -> bool:
        with self._lock:
            hints, self._waiting = self._waiting, {}
        if not hints:
            return True
        try:
            told = "\n".join(f"{stream} {version}" for stream, version in hints.items())
            self._redis.publish(channel(), told)
        except redis.RedisError as error:
            LOST.inc(len(hints))
            log.warning("feed_hints_lost", streams=len(hints), error=str(error))
            return False
        return True


@cache
def _publisher() -> _Publisher:
    return _Publisher()


# A process that forks leaves its threads behind.
os.register_at_fork(after_in_child=_publisher.cache_clear)


# --- the listening side --------------------------------------------------------------------------------


class Waker(Protocol):
    """Says when it may be worth looking at the heads."""

    def wait(self) -> None:
        """Return when something may have been appended, and now and then anyway."""

    def close(self) -> None: ...


class DataVersionWaker:
    """SQLite: on a connection that never writes, `PRAGMA data_version` changes with each commit of another."""

    def __init__(self, path: str) -> None:
        self._connection = sqlite3.connect(path, uri=path.startswith("file:"), check_same_thread=False)
        self._seen: int | None = None

    def wait(self) -> None:
        until = time.monotonic() + SAFETY_INTERVAL
        while time.monotonic() < until:
            (version,) = self._connection.execute("PRAGMA data_version").fetchone()
            if version != self._seen:
                self._seen = version
                return
            time.sleep(SQLITE_INTERVAL)

    def close(self) -> None:
        self._connection.close()


class IntervalWaker:
    """PostgreSQL without Redis: a look four times a second."""

    def wait(self) -> None:
        time.sleep(POSTGRESQL_INTERVAL)

    def close(self) -> None:
        pass


class RedisWaker:
    """A look as soon as a hint comes. While Redis is away it is the interval's turn."""

    def __init__(self, url: str) -> None:
        client: Any = redis.Redis.from_url(
            url, socket_timeout=SAFETY_INTERVAL * 2, socket_connect_timeout=REDIS_TIMEOUT
        )
        self._subscription = client.pubsub(ignore_subscribe_messages=True)
        self._listening = False

    def wait(self) -> None:
        try:
            if not self._listening:
                self._subscription.subscribe(channel())
                self._listening = True
                return  # what was announced while nobody listened is in the log
            self._subscription.get_message(timeout=SAFETY_INTERVAL)
            while self._subscription.get_message() is not None:
                pass  # one look serves them all
        except redis.RedisError as error:
            self._listening = False
            log.warning("feed_listens_to_nothing", error=str(error))
            time.sleep(POSTGRESQL_INTERVAL)

    def close(self) -> None:
        self._subscription.close()


def waker() -> Waker:
    if settings.REDIS_URL:
        return RedisWaker(settings.REDIS_URL)
    if connection.vendor == "sqlite":
        return DataVersionWaker(str(connection.settings_dict["NAME"]))
    return IntervalWaker()


class Subscription:
    """What one client waits for. Hints are merged, not queued: with a slow client this does not grow."""

    def __init__(self, streams: Iterable[UUID]) -> None:
        self.streams = frozenset(streams)
        self.closed = False
        self._moved: set[UUID] = set()
        self._wake = asyncio.Event()
        self._loop = asyncio.get_running_loop()

    async def moved(self, *, timeout: float) -> set[UUID]:
        """The streams that moved since the last call; empty when nothing did for `timeout` seconds."""
        try:
            await asyncio.wait_for(self._wake.wait(), timeout)
        except TimeoutError:
            return set()
        moved, self._moved = self._moved, set()
        self._wake.clear()
        return moved

    def hint(self, streams: set[UUID]) -> None:
        """Called from any thread."""
        self._tell(self._take, streams)

    def close(self) -> None:
        """Wake the client for the last time. Called from any thread."""
        self._tell(self._close)

    def _tell(self, what: Callable[..., None], *arguments: object) -> None:
        with suppress(RuntimeError):  # the loop has ended, and the client with it
            self._loop.call_soon_threadsafe(what, *arguments)

    def _take(self, streams: set[UUID]) -> None:
        self._moved |= streams
        self._wake.set()

    def _close(self) -> None:
        self.closed = True
        self._wake.set()


class Hub:
    """One per process: a thread that looks at the heads of all subscribed streams at once and wakes who waits."""

    def __init__(self, waker: Waker) -> None:
        self._waker = waker
        # Reentrant, because a signal handler that closes the subscriptions may interrupt whoever holds it.
        self._lock = threading.RLock()
        self._subscriptions: set[Subscription] = set()
        self._seen: dict[UUID, int] = {}
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="feed-hub", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Returns when the thread has ended; it looks up every two seconds at the latest."""
        self._stopping.set()
        if self._thread.is_alive():
            self._thread.join()

    def close_subscriptions(self) -> None:
        """Let every client go: it resumes at another process, or at this one when it is back."""
        with self._lock:
            subscriptions = list(self._subscriptions)
        for subscription in subscriptions:
            subscription.close()

    @contextmanager
    def subscribe(self, streams: Iterable[UUID]) -> Iterator[Subscription]:
        """Hints begin here: read the log after subscribing, not before."""
        subscription = Subscription(streams)
        with self._lock:
            self._subscriptions.add(subscription)
        try:
            yield subscription
        finally:
            with self._lock:
                self._subscriptions.discard(subscription)

    def _run(self) -> None:
        try:
            while not self._stopping.is_set():
                try:
                    self._waker.wait()
                    self.look()
                except (DatabaseFault, sqlite3.Error) as error:
                    log.warning("feed_cannot_look", error=str(error))
                    connection.close()
                    time.sleep(POSTGRESQL_INTERVAL)
        finally:
            connection.close()
            self._waker.close()

    def look(self) -> None:
        """Compare the heads with those last seen, and pass on which moved."""
        with self._lock:
            subscriptions = list(self._subscriptions)
        wanted = frozenset().union(*(subscription.streams for subscription in subscriptions))
        heads = versions(wanted) if wanted else {}
        moved = {stream for stream, version in heads.items() if self._seen.get(stream) != version}
        self._seen = heads
        for subscription in subscriptions:
            if hints := moved & subscription.streams:
                subscription.hint(hints)


def versions(streams: frozenset[UUID]) -> dict[UUID, int]:
    """The present versions of those of the streams that exist."""
    from eventstore.models import Stream

    found: dict[UUID, int] = {}
    ids = list(streams)
    for start in range(0, len(ids), 500):  # SQLite takes 999 parameters at most in its older builds
        found.update(Stream.objects.filter(id__in=ids[start : start + 500]).values_list("id", "version"))
    return found


def suspended(streams: frozenset[UUID]) -> set[UUID]:
    """Those of the streams to which nothing is appended at present."""
    from eventstore.models import Stream

    found: set[UUID] = set()
    ids = [stream.hex for stream in streams]
    for start in range(0, len(ids), 500):
        asked = ids[start : start + 500]
        marks = ", ".join(["%s"] * len(asked))
        # Written out: every heartbeat of every event stream asks.
        sql = f"SELECT id FROM eventstore_stream WHERE id IN ({marks}) AND suspended_at IS NOT NULL"  # noqa: S608
        found.update(stream.pk for stream in Stream.objects.raw(sql, asked))
    return found
