"""Limits for connections: each holds a place and a bounded amount of memory, and loses both in time.

`tests/security/test_slow_clients.py` tries the limits on a running server.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from typing import Any

import pytest
from uvicorn.config import Config
from uvicorn.server import ServerState

from config.server import connections
from config.server.connections import EXTENSION, OWN_BYTES, WRITE_SECONDS, Connection

GET = b"GET %s HTTP/1.1\r\nHost: x\r\n\r\n"
POST = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n"


class Wire(asyncio.Transport):
    """A transport without a network."""

    def __init__(self) -> None:
        super().__init__({"peername": ("198.51.100.7", 4711), "sockname": ("127.0.0.1", 8000)})
        self.closed = False
        self.written: list[bytes] = []

    def write(self, data: Any) -> None:
        assert not self.closed
        self.written.append(data)

    def is_closing(self) -> bool:
        return self.closed

    def close(self) -> None:
        self.closed = True

    def abort(self) -> None:
        self.closed = True

    def get_write_buffer_size(self) -> int:
        return 0

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        pass

    def pause_reading(self) -> None:
        pass

    def resume_reading(self) -> None:
        pass


class Later:
    """The event loop after so many seconds."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds

    def time(self) -> float:
        return asyncio.get_running_loop().time() + self._seconds

    def call_later(self, *_: Any) -> None:
        pass


class Application:
    """An ASGI application that never answers. Records the paths of requests, and of those whose client has left."""

    def __init__(self) -> None:
        self.began: list[str] = []
        self.left: list[str] = []
        self._connections: list[Connection] = []

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        self.began.append(scope["path"])
        while (await receive())["type"] != "http.disconnect":
            pass
        self.left.append(scope["path"])

    def connection(self) -> Connection:
        config = Config(self, ws="none", lifespan="off", forwarded_allow_ips="", log_config=None)
        config.load()
        made = Connection(config, ServerState(), {})
        made.connection_made(Wire())
        self._connections.append(made)
        return made

    def run(self, scenario: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Run the scenario, then close its connections."""

        async def whole() -> None:
            try:
                await scenario()
            finally:
                for one in self._connections:
                    one.connection_lost(None)
                await settle()

        asyncio.run(whole())


@pytest.fixture(autouse=True)
def none_are_open(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(connections, "_affordable", lambda wanted: wanted)
    connections._connections.cache_clear()
    yield
    connections._connections.cache_clear()


@pytest.fixture
def application() -> Application:
    return Application()


class Answering(Application):
    """An ASGI application that answers every request with its path."""

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        body = scope["path"].encode()
        headers = [(b"content-length", str(len(body)).encode())]
        with scope["extensions"][EXTENSION].in_one_piece():
            await send({"type": "http.response.start", "status": 200, "headers": headers})
            await send({"type": "http.response.body", "body": body})


async def settle() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


def sweep(one: Connection, *, after: float) -> bool:
    """Whether the connection is still open when deadlines are checked that many seconds from now."""
    one._all._sweep(Later(after))  # type: ignore[arg-type]
    return one in one._all.open


def test_every_request_of_a_client_that_leaves_ends_and_none_begins(application: Application) -> None:
    """uvicorn marks only the newest pipelined request as disconnected; an event stream before it would never end."""

    async def scenario() -> None:
        one = application.connection()
        one.data_received(GET % b"/first" + GET % b"/second" + GET % b"/third")
        await settle()
        one.connection_lost(None)
        await settle()

    application.run(scenario)
    assert (application.began, application.left) == (["/first"], ["/first"])


def test_header_and_body_of_each_pipelined_response_are_one_write() -> None:
    application = Answering()
    closing = b"GET /last HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
    wires: list[Wire] = []

    async def scenario() -> None:
        one = application.connection()
        wires.append(one.transport)  # type: ignore[arg-type]
        one.data_received(GET % b"/first" + GET % b"/second" + closing)
        await settle()

    application.run(scenario)
    [wire] = wires
    assert [written.rpartition(b"\r\n\r\n")[2] for written in wire.written] == [
        b"/first",
        b"/second",
        b"/last",
    ]
    assert all(written.startswith(b"HTTP/1.1 200 OK\r\n") for written in wire.written)
    assert wire.closed


def test_a_client_that_does_not_read_is_disconnected(application: Application) -> None:
    async def scenario() -> None:
        one = application.connection()
        one.data_received(GET % b"/")
        await settle()
        one.pause_writing()
        assert sweep(one, after=WRITE_SECONDS - 1)
        assert not sweep(one, after=WRITE_SECONDS + 1)
        assert one.transport.is_closing()
        await settle()

    application.run(scenario)
    assert application.left == ["/"]


def test_a_client_that_reads_slowly_stays_connected(application: Application) -> None:
    async def scenario() -> None:
        one = application.connection()
        one.data_received(GET % b"/")
        one.pause_writing()
        one.resume_writing()
        assert sweep(one, after=WRITE_SECONDS + 1)

    application.run(scenario)


def test_unanswered_requests_hold_a_bounded_amount_of_memory(
    application: Application, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "SHARED_BYTES", 3 * OWN_BYTES)

    async def scenario() -> None:
        large, small, last = application.connection(), application.connection(), application.connection()
        large.data_received(POST + b"x" * 2 * OWN_BYTES)
        small.data_received(POST + b"x" * (OWN_BYTES - 2 * len(POST)))
        assert {large, small} < large._all.open, "there is room for both"
        last.data_received(POST + b"x" * 2 * OWN_BYTES)
        assert last not in large._all.open
        assert last.transport.is_closing()
        small.data_received(b"x")
        assert {large, small} == large._all.open, "the share of each is kept for it"
        assert large._all.held == large._request_bytes + small._request_bytes

    application.run(scenario)


def test_a_server_that_stops_awaits_the_first_request_of_a_new_connection() -> None:
    application = Answering()

    async def scenario() -> None:
        used, late, silent = (application.connection() for _ in range(3))
        used.data_received(GET % b"/before")
        await settle()
        for one in (used, late, silent):
            one.shutdown()
        assert used.transport.is_closing()
        assert not late.transport.is_closing()
        late.data_received(GET % b"/late")
        await settle()
        assert late.transport.written[-1].endswith(b"/late")  # type: ignore[attr-defined]
        assert late.transport.is_closing()  # no second request is awaited
        assert not silent.transport.is_closing()
        silent._shut_down_idle()
        assert silent.transport.is_closing()

    application.run(scenario)
