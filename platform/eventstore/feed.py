"""Hints for event streams: which stream has new events. They do not contain events; readers read the log, which is
complete.

Writers call `announce`. One `Hub` runs in each process that serves event streams. A lost hint (Redis restarted, a
slow network) costs time but no event, because the hub also reads the heads of its streams at intervals.
"""

from __future__ import annotations

import asyncio
import atexit
import hashlib
import os
import sqlite3
import threading
import time
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple, Protocol
from uuid import UUID

import redis
import structlog
from django.conf import settings
from django.db import Error as DatabaseFault
from django.db import connection, transaction

from core import redis_clients
from core.metrics import Counter
from core.sql import among, as_uuid, stored

log = structlog.get_logger(__name__)
LOST = Counter(
    "racecard_feed_hints_lost",
    "Streams whose hint did not reach Redis; readers find their events at the next interval",
)

REDIS_TIMEOUT = 0.25
"""The longest wait for Redis in seconds: a late hint is useless."""

GATHERING = 0.01
"""Seconds after a hint during which further ones are gathered and sent together."""

REDIS_PAUSE = 5.0
"""Seconds without an attempt after Redis did not respond."""

SQLITE_INTERVAL = 0.025
POSTGRESQL_INTERVAL = 0.25
SAFETY_INTERVAL = 2.0
"""Seconds between reads of the heads while Redis delivers hints."""


_hubs: set[Hub] = set()
"""The hubs of this process, which need no detour for its own events."""


def announce(stream: UUID, version: int) -> None:
    """Send a hint that `stream` has reached `version`, once the open transaction has committed."""
    if _hubs or settings.REDIS_URL:
        transaction.on_commit(lambda: _announce(stream, version))


def _announce(stream: UUID, version: int) -> None:
    for hub in list(_hubs):
        hub.hint({stream: version})
    if settings.REDIS_URL:
        _publisher().publish(stream, version)


def channel() -> str:
    """The name of the installation's channel. Redis channels are shared by all databases of a server."""
    return f"racecard:{hashlib.sha256(settings.SECRET_KEY.encode()).hexdigest()[:16]}:events"


class _Publisher:
    """Sends hints from its own thread, so that a move does not wait for Redis.

    A hint is sent immediately. Those that follow within a moment are sent together as one message, because every
    process that serves streams wakes once per message.
    """

    def __init__(self) -> None:
        self._redis = redis_clients.client(
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
        """Send the waiting hints and end the thread."""
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
            message = "\n".join(f"{stream} {version}" for stream, version in hints.items())
            self._redis.publish(channel(), message)
        except redis.RedisError as error:
            LOST.inc(len(hints))
            log.warning("feed_hints_lost", streams=len(hints), error=str(error))
            return False
        return True


_creating = threading.Lock()


def _publisher() -> _Publisher:
    """Return the only publisher of the process. Two would each have a thread and a connection."""
    with _creating:
        return _started()


@cache
def _started() -> _Publisher:
    return _Publisher()


def _reset() -> None:
    """Forget the publisher and the hubs in a forked process, which inherits no threads and perhaps a held lock."""
    global _creating
    _creating = threading.Lock()
    _hubs.clear()
    _started.cache_clear()


os.register_at_fork(after_in_child=_reset)


# --- the listening side --------------------------------------------------------------------------------


class Waker(Protocol):
    """Signals that events may have been appended."""

    def wait(self) -> Mapping[UUID, int] | None:
        """Return the versions of streams that are known to have moved; None if the heads are to be read."""

    def close(self) -> None: ...


class DataVersionWaker:
    """SQLite: on a connection that never writes, `PRAGMA data_version` changes with each commit of another
    connection.
    """

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
    """PostgreSQL without Redis: read four times a second."""

    def wait(self) -> None:
        time.sleep(POSTGRESQL_INTERVAL)

    def close(self) -> None:
        pass


class RedisWaker:
    """Hints of all processes, which name the versions. The heads are read at the interval, for hints that are lost."""

    def __init__(self, url: str) -> None:
        client: Any = redis_clients.client(
            url, socket_timeout=SAFETY_INTERVAL * 2, socket_connect_timeout=REDIS_TIMEOUT
        )
        self._subscription = client.pubsub(ignore_subscribe_messages=True)
        self._listening = False
        self._reads_at = 0.0

    def wait(self) -> Mapping[UUID, int] | None:
        try:
            if not self._listening:
                self._subscription.subscribe(channel())
                self._listening = True
                return None  # hints sent while nobody was subscribed are in the log
            if (left := self._reads_at - time.monotonic()) > 0:
                message = self._subscription.get_message(timeout=left)
                hints: dict[UUID, int] = {}
                while message is not None:  # one call of the hub serves all of them
                    hints |= _hints(message["data"])
                    message = self._subscription.get_message()
                if hints:
                    return hints
        except redis.RedisError as error:
            self._listening = False
            log.warning("feed_listens_to_nothing", error=str(error))
            time.sleep(POSTGRESQL_INTERVAL)
        self._reads_at = time.monotonic() + SAFETY_INTERVAL
        return None

    def close(self) -> None:
        self._subscription.close()


def _hints(message: bytes) -> dict[UUID, int]:
    pairs = (line.split() for line in message.decode().splitlines())
    return {UUID(stream): int(version) for stream, version in pairs}


def waker() -> Waker:
    if settings.REDIS_URL:
        return RedisWaker(settings.REDIS_URL)
    if connection.vendor == "sqlite":
        return DataVersionWaker(str(connection.settings_dict["NAME"]))
    return IntervalWaker()


class Subscription:
    """The streams that one listener follows. Hints are merged, not queued, so a slow listener uses no more memory."""

    def __init__(self, streams: Iterable[UUID] = ()) -> None:
        self.closed = False
        self._followed: dict[UUID, int] = {}
        self._lock = threading.Lock()
        self._moved: dict[UUID, int] = {}
        self._wake = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        self.follow(streams)

    @property
    def streams(self) -> frozenset[UUID]:
        with self._lock:
            return frozenset(self._followed)

    def follow(self, streams: Iterable[UUID]) -> None:
        """Follow more streams. Hints start here: read the log afterwards, not before."""
        with self._lock:
            for stream in streams:
                self._followed[stream] = self._followed.get(stream, 0) + 1

    def leave(self, streams: Iterable[UUID]) -> None:
        """Take back one `follow`. A stream is followed until each of them was taken back."""
        with self._lock:
            for stream in streams:
                self._followed[stream] -= 1
                if not self._followed[stream]:
                    del self._followed[stream]

    async def moved(self, *, timeout: float | None = None) -> dict[UUID, int]:
        """The versions of the streams that moved since the last call; empty after `timeout` seconds without one."""
        try:
            await asyncio.wait_for(self._wake.wait(), timeout)
        except TimeoutError:
            return {}
        moved, self._moved = self._moved, {}
        self._wake.clear()
        return moved

    def hint(self, versions: Mapping[UUID, int]) -> None:
        """Take the versions of the streams that are followed. May be called from any thread."""
        if moved := {stream: at for stream, at in versions.items() if stream in self._followed}:
            self._tell(self._take, moved)

    def close(self) -> None:
        """Wake the listener for the last time. May be called from any thread."""
        self._tell(self._close)

    def _tell(self, what: Callable[..., None], *arguments: object) -> None:
        with suppress(RuntimeError):  # the loop has ended, and with it the listener
            self._loop.call_soon_threadsafe(what, *arguments)

    def _take(self, versions: Mapping[UUID, int]) -> None:
        for stream, version in versions.items():
            self._moved[stream] = max(version, self._moved.get(stream, 0))
        self._wake.set()

    def _close(self) -> None:
        self.closed = True
        self._wake.set()


@dataclass(eq=False, slots=True)
class Reader:
    """A player who follows a stream. Two readers are never equal: comparing ids would cost more than checking twice."""

    player: UUID
    stream: UUID
    invite: str = ""
    acting_as: frozenset[str] | None = None
    """The staff roles in which the reader may act; None: every role of the player."""

    def may_act_as(self, role: str) -> bool:
        return self.acting_as is None or role in self.acting_as


class Shared(NamedTuple):
    """Events of one stream, read once for several readers."""

    audiences: Mapping[Reader, Hashable]
    """The audience of each reader who may follow. All readers of an audience see the same."""
    events: Mapping[Hashable, Sequence[Mapping[str, Any]]]
    """The events as each audience sees them."""


class StreamStatus(NamedTuple):
    version: int
    suspended: bool
    """Whether the stream is suspended."""


class Hub:
    """One per process: a thread that takes hints, or reads the heads of all subscribed streams together, and wakes the
    waiting clients.
    """

    def __init__(self, waker: Waker) -> None:
        self._waker = waker
        # Reentrant, because a signal handler that closes the subscriptions may interrupt the holder.
        self._lock = threading.RLock()
        self._subscriptions: set[Subscription] = set()
        self._seen: dict[UUID, int] = {}
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="feed-hub", daemon=True)

    def start(self) -> None:
        self._thread.start()
        _hubs.add(self)

    def stop(self) -> None:
        """Return when the thread has ended, after two seconds at the latest."""
        _hubs.discard(self)
        self._stopping.set()
        if self._thread.is_alive():
            self._thread.join()

    def close_subscriptions(self) -> None:
        """Close every subscription. The clients resume at another process, or at this one after its restart."""
        for subscription in self._all():
            subscription.close()

    def _all(self) -> list[Subscription]:
        with self._lock:
            return list(self._subscriptions)

    @contextmanager
    def subscribe(self, streams: Iterable[UUID]) -> Iterator[Subscription]:
        """Hints start here: read the log after subscribing, not before."""
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
                    hints = self._waker.wait()
                    if hints is None:
                        self.look()
                    else:
                        self.hint(hints)
                except (DatabaseFault, sqlite3.Error) as error:
                    log.warning("feed_cannot_look", error=str(error))
                    connection.close()
                    time.sleep(POSTGRESQL_INTERVAL)
        finally:
            connection.close()
            self._waker.close()

    def look(self) -> None:
        """Compare the heads with the last ones and publish the differences."""
        wanted = frozenset().union(*(subscription.streams for subscription in self._all()))
        versions = {stream: status.version for stream, status in statuses(wanted).items()}
        self._seen = {stream: version for stream, version in self._seen.items() if stream in versions}
        self.hint(versions)

    def hint(self, versions: Mapping[UUID, int]) -> None:
        """Wake the clients that follow streams with new versions. May be called from any thread."""
        moved = {stream: version for stream, version in versions.items() if self._seen.get(stream) != version}
        self._seen |= moved
        for subscription in self._all():
            subscription.hint(moved)


def statuses(streams: Iterable[UUID]) -> dict[UUID, StreamStatus]:
    """The current status of the existing streams, in one statement."""
    ids = [stored(stream) for stream in frozenset(streams)]
    if not ids:
        return {}
    condition, parameters = among("id", ids)
    sql = f"SELECT id, version, suspended_at IS NOT NULL FROM eventstore_stream WHERE {condition}"  # noqa: S608
    with connection.cursor() as cursor:
        cursor.execute(sql, parameters)
        return {
            as_uuid(id): StreamStatus(version, bool(suspended))
            for id, version, suspended in cursor.fetchall()
        }
