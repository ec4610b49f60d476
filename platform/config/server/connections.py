"""Limits for connections: uvicorn's HTTP protocol with deadlines, a bounded number, and bounded memory.

A connection uses a place and some memory, never a thread. It is closed when it

- has not sent a complete header HEADER_SECONDS after it was opened or last answered,
- sends a header of more than HEADER_BYTES, or more than PIPELINED requests ahead of their responses,
- reads nothing of a response for WRITE_SECONDS, or confirms no data for that time (on Linux),
- has sent more than OWN_BYTES of unanswered requests while all connections together hold SHARED_BYTES.

When all places are used, a new connection replaces that of the client that has kept the server waiting longest. The
bridge (`config.server.bridge`), which can respond, limits the time of a body.
"""

from __future__ import annotations

import asyncio
import functools
import resource
import socket
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice, takewhile
from typing import Any

import structlog
from django.conf import settings
from uvicorn.middleware.proxy_headers import _TrustedHosts
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from core.addresses import caller_at

log = structlog.get_logger(__name__)

HEADER_SECONDS = 10.0
WRITE_SECONDS = 20.0
"""Seconds in which a client must read 36 KiB: the write buffer from its high mark to its low one."""

FIRST_REQUEST_SECONDS = 1.0
"""Seconds in which a server that stops awaits the first request of a connection that it has accepted."""

HEADER_BYTES = 64 * 1024
OWN_BYTES = 16 * 1024
SHARED_BYTES = 64 * 1024 * 1024
WRITE_BUFFER = 48 * 1024
SEND_BUFFER = 128 * 1024
"""The operating system's buffer, which would otherwise take some MiB of an unread response."""
PIPELINED = 8

EXTENSION = "racecard.connection"
"""The key in an ASGI scope's `extensions` that holds the connection of a request."""

SPARE_FILES = 512
"""File descriptors for other uses: databases, logs, static files, spooled responses."""

SWEEP = 5
"""The largest number of connections that one sweep closes, so a hundred per second: an attacker reopens them at once,
which costs more than leaving them open. A new connection gets a place even if all are used.
"""

_TOO_MANY = (
    b"HTTP/1.1 %d %s\r\ncontent-type: text/plain; charset=utf-8\r\nretry-after: 10\r\n"
    b"content-length: %d\r\nconnection: close\r\n\r\n%s"
)


class Connections:
    """The open connections of this process.

    `waiting` and `stalled` are in the order of their times, so that the oldest is found at once.
    """

    def __init__(self, trusted: _TrustedHosts) -> None:
        self.trusted = trusted
        self.most = _affordable(settings.RACECARD_CONNECTIONS)
        self.most_per_address: int = settings.RACECARD_CONNECTIONS_PER_ADDRESS
        self.open: set[Connection] = set()
        self.by_address: Counter[str] = Counter()
        self.waiting: dict[Connection, float] = {}
        """Connections with an incomplete request, and since when."""
        self.stalled: dict[Connection, float] = {}
        """Connections that do not read their response, and since when."""
        self.held = 0
        """Bytes of unanswered requests."""
        self._sweeper: asyncio.TimerHandle | None = None

    def admit(self, connection: Connection, address: str) -> str:
        """Give the connection a place. Return the address under which it is counted, or ""."""
        counted = "" if address in self.trusted else caller_at(address)
        if counted and self.by_address[counted] >= self.most_per_address:
            connection.refuse(429, b"Too Many Requests", b"Too many connections from this address.")
            return ""
        if len(self.open) >= self.most and not self._make_room():
            connection.refuse(503, b"Service Unavailable", b"All connections are taken.")
            return ""
        self.open.add(connection)
        if counted:
            self.by_address[counted] += 1
        if self._sweeper is None:
            self._sweeper = connection.loop.call_later(1.0, self._sweep, connection.loop)
        return counted

    def leave(self, connection: Connection, counted: str) -> None:
        self.open.discard(connection)
        self.waiting.pop(connection, None)
        self.stalled.pop(connection, None)
        if counted:
            self.by_address[counted] -= 1
            if not self.by_address[counted]:
                del self.by_address[counted]

    def _make_room(self) -> bool:
        for kept_waiting in (self.waiting, self.stalled):
            for connection in kept_waiting:
                connection.drop("no place left")
                return True
        return False

    def _sweep(self, loop: asyncio.AbstractEventLoop) -> None:
        due = list(islice(self._overdue(loop.time()), SWEEP))
        for connection, why in due:
            connection.drop(why)
        self._sweeper = None
        if self.open:
            self._sweeper = loop.call_later(0.05 if len(due) == SWEEP else 1.0, self._sweep, loop)

    def _overdue(self, now: float) -> Iterator[tuple[Connection, str]]:
        for connection, _ in takewhile(lambda each: now - each[1] > WRITE_SECONDS, self.stalled.items()):
            yield connection, "response not read"
        for connection, since in takewhile(lambda each: now - each[1] > HEADER_SECONDS, self.waiting.items()):
            # The end of a response may still be in the buffer of a slow client.
            patience = WRITE_SECONDS if connection.transport.get_write_buffer_size() else HEADER_SECONDS
            if connection.owes_header and now - since > patience:
                yield connection, "no request"


def _close_unconfirmed(own: socket.socket) -> None:
    """Let the system close a connection whose client confirms nothing, such as one that has lost its network."""
    if own.family in (socket.AF_INET, socket.AF_INET6) and hasattr(socket, "TCP_USER_TIMEOUT"):
        own.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, int(WRITE_SECONDS * 1000))


def _affordable(wanted: int) -> int:
    """`wanted` connections, or as many as the system's limit of open files allows. Raises the soft limit."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = wanted + SPARE_FILES
    if soft != resource.RLIM_INFINITY and soft < needed:
        soft = needed if hard == resource.RLIM_INFINITY else min(needed, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        if soft < needed:
            log.warning("fewer_connections", wanted=wanted, allowed=soft - SPARE_FILES)
            return max(soft - SPARE_FILES, soft // 2)
    return wanted


@functools.cache
def _connections(trusted: str | tuple[str, ...]) -> Connections:
    return Connections(_TrustedHosts(trusted if isinstance(trusted, str) else list(trusted)))


def chunk_of(body: bytes) -> bytes:
    """Return a part of a response without a length, as HTTP/1.1 sends it."""
    return b"%x\r\n%b\r\n" % (len(body), body)


class _Gathered:
    """What uvicorn writes of a response, until it is sent as one piece. Has what its cycle uses of a transport."""

    def __init__(self, transport: Any) -> None:
        self._transport = transport
        self._pieces: list[bytes] = []
        self.is_closing = transport.is_closing

    def write(self, data: bytes) -> None:
        self._pieces.append(data)

    def flush(self) -> None:
        if self._pieces:
            self._transport.write(b"".join(self._pieces))
            self._pieces.clear()

    def close(self) -> None:
        self.flush()
        self._transport.close()


class Connection(HttpToolsProtocol):
    """One connection, from `uvicorn --http config.server.connections:Connection`."""

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        trusted = self.config.forwarded_allow_ips
        self._all = _connections(trusted if isinstance(trusted, str) else tuple(trusted))
        self._running: Any = None
        self._in_header = self._discards = self._closes_after_answer = False
        self._header_bytes = self._request_bytes = 0
        self._counted = ""
        self.is_gone = False
        transport.set_write_buffer_limits(high=WRITE_BUFFER)
        if (own := transport.get_extra_info("socket")) is not None:
            own.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER)
            _close_unconfirmed(own)
        self._counted = self._all.admit(self, str(self.client[0]) if self.client else "")
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        self._leave()
        super().connection_lost(exc)

    def _leave(self) -> None:
        """Free everything of the connection."""
        self.is_gone = True
        self._all.leave(self, self._counted)
        self._counted = ""
        self._answered()
        # uvicorn informs only the newest request that the client has left.
        cycles = [self._running, *(cycle for cycle, _ in self.pipeline)]
        self.pipeline.clear()
        for cycle in cycles:
            if cycle is not None and not cycle.response_complete:
                cycle.disconnected = True
                cycle.message_event.set()
        self.flow.resume_writing()

    def shutdown(self) -> None:
        """As uvicorn's, which closes idle connections. A new one may have a request on its way, which is awaited."""
        if self.cycle is None and not self.transport.is_closing():
            self._closes_after_answer = True
            self.loop.call_later(FIRST_REQUEST_SECONDS, self._shut_down_idle)
        else:
            super().shutdown()

    def _shut_down_idle(self) -> None:
        if not self.is_gone:
            super().shutdown()

    @property
    def owes_header(self) -> bool:
        """Whether no request is in progress: neither in a handler, nor with an incomplete body."""
        return self.cycle is None or bool(self.cycle.response_complete)

    def refuse(self, status: int, phrase: bytes, why: bytes) -> None:
        self.transport.write(_TOO_MANY % (status, phrase, len(why), why))
        self.transport.close()

    def drop(self, why: str) -> None:
        log.debug("connection_dropped", why=why)
        self._leave()
        self.transport.abort()

    def push(self, chunk: bytes) -> bool:
        """Send a chunk of the response in progress, or return False because the client must read first."""
        if self.flow.write_paused or self.is_gone:
            return False
        self.transport.write(chunk)
        return True

    # --- what arrives ---

    def data_received(self, data: bytes) -> None:
        if self.transport.is_closing():
            return
        if not self._discards:
            self._request_bytes += len(data)
            self._all.held += len(data)
            if self._request_bytes > OWN_BYTES and self._all.held > SHARED_BYTES:
                self.drop("too many bytes of unanswered requests")
                return
        was_in_header = self._in_header
        super().data_received(data)
        self._header_bytes = self._header_bytes + len(data) if was_in_header and self._in_header else 0
        if self._header_bytes > HEADER_BYTES:
            self.drop("header too long")

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._in_header = True
        extensions: Any = {EXTENSION: self}
        self.scope["extensions"] = extensions

    def on_headers_complete(self) -> None:
        self._in_header = False
        if len(self.pipeline) >= PIPELINED:
            self.drop("too many pipelined requests")
        else:
            super().on_headers_complete()
            if self._closes_after_answer:
                self.cycle.keep_alive = False

    def on_message_complete(self) -> None:
        super().on_message_complete()
        self._discards = False
        if not self.owes_header:
            self._all.waiting.pop(self, None)

    # --- what is answered ---

    @contextmanager
    def in_one_piece(self) -> Iterator[None]:
        """Send what is answered within by one write.

        uvicorn writes header and body separately. Each write wakes the client, and no other thread of the process can
        run during it.
        """
        cycle = self._running
        cycle.transport = gathered = _Gathered(self.transport)
        try:
            yield
        finally:
            cycle.transport = self.transport
            gathered.flush()

    def _start_asgi_task(self, cycle: Any, app: Any) -> None:
        self._running = cycle
        if cycle.more_body:
            self._wait()
        super()._start_asgi_task(cycle, app)

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self.owes_header:
            self._answered()
            # uvicorn reads and drops the rest of a body that was answered early.
            self._discards = self.cycle.more_body
            self._all.waiting.pop(self, None)
            self._wait()

    def pause_writing(self) -> None:
        super().pause_writing()
        if self in self._all.open:
            self._all.stalled[self] = self.loop.time()

    def resume_writing(self) -> None:
        super().resume_writing()
        self._all.stalled.pop(self, None)

    def _wait(self) -> None:
        if self in self._all.open:
            self._all.waiting.setdefault(self, self.loop.time())

    def _answered(self) -> None:
        self._all.held -= self._request_bytes
        self._request_bytes = 0
