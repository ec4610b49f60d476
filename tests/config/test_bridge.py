"""A thread of the web process works on a request and waits for no client; some addresses need no thread."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Iterable
from contextlib import nullcontext
from io import BytesIO
from types import SimpleNamespace
from typing import Any

import pytest

from config import health
from config.server import bridge
from config.server.bridge import Bridge
from config.server.connections import EXTENSION

FILE = "/static/drf_spectacular_sidecar/redoc/bundles/redoc.standalone.js"
LARGE = b"x" * (4 * bridge.IN_MEMORY)
PATIENCE = 10.0
"""Seconds after which a test has failed; none waits that long."""

Receive = Callable[[], Awaitable[dict[str, Any]]]


class Application:
    """A WSGI application that records the requested paths. `/slow` is answered when it is released."""

    def __init__(self) -> None:
        self.requested: list[str] = []
        self.works, self.released = threading.Event(), threading.Event()

    def __call__(self, environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        self.requested.append(environ["PATH_INFO"])
        if environ["PATH_INFO"] == "/slow":
            self.works.set()
            self.released.wait(PATIENCE)
        start_response("200 OK", [("Content-Type", "text/plain")])
        return BytesIO(LARGE if environ["PATH_INFO"] == "/large" else b"done")


@pytest.fixture
def application() -> Application:
    return Application()


async def nothing_more() -> dict[str, Any]:
    return {"type": "http.request", "body": b"", "more_body": False}


def scope(path: str, *, length: int = 0, is_gone: bool = False) -> dict[str, Any]:
    return {
        "type": "http",
        "method": "POST" if length else "GET",
        "path": path,
        "query_string": b"",
        "headers": [(b"content-length", str(length).encode())] if length else [],
        "scheme": "http",
        "http_version": "1.1",
        "server": ("127.0.0.1", 8000),
        "client": ("198.51.100.7", 4711),
        "extensions": {EXTENSION: SimpleNamespace(is_gone=is_gone, in_one_piece=nullcontext)},
    }


async def ask(web: Bridge, request: dict[str, Any], receive: Receive = nothing_more) -> int:
    """The status of the answer, which is read at once."""
    statuses: list[int] = []

    async def send(message: Any) -> None:
        statuses.extend([message["status"]] if "status" in message else [])

    await web(request, receive, send)
    return statuses[0]


def run(work: Awaitable[Any]) -> Any:
    async def limited() -> Any:
        return await asyncio.wait_for(work, PATIENCE)

    return asyncio.run(limited())


def test_health_readiness_and_files_are_answered_while_all_threads_work(
    application: Application, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(health, "readiness", lambda: {"ready": True, "working": True})

    async def scenario() -> list[int]:
        web = Bridge(application, 1)
        slow = asyncio.create_task(ask(web, scope("/slow")))
        try:
            await asyncio.to_thread(application.works.wait, PATIENCE)
            answers = [ask(web, scope(path)) for path in ("/healthz", "/readyz", FILE)]
            return await asyncio.wait_for(asyncio.gather(*answers), PATIENCE / 2)
        finally:
            application.released.set()
            await slow

    assert run(scenario()) == [200, 200, 200]
    assert application.requested == ["/slow"]


def test_a_body_takes_no_thread_until_it_is_whole(application: Application) -> None:
    async def scenario() -> None:
        web, arrives = Bridge(application, 1), asyncio.Event()

        async def receive() -> dict[str, Any]:
            await arrives.wait()
            return {"type": "http.request", "body": b"{", "more_body": False}

        slow = asyncio.create_task(ask(web, scope("/half", length=1), receive))
        await asyncio.sleep(0)
        assert await asyncio.wait_for(ask(web, scope("/other")), PATIENCE / 2) == 200
        arrives.set()
        assert await slow == 200

    run(scenario())
    assert application.requested == ["/other", "/half"]


def test_an_answer_that_is_not_read_takes_no_thread(application: Application) -> None:
    async def scenario() -> int:
        web, begun, reads = Bridge(application, 1), asyncio.Event(), asyncio.Event()
        size = 0

        async def send(message: Any) -> None:
            nonlocal size
            begun.set()
            await reads.wait()
            size += len(message.get("body", b""))

        slow = asyncio.create_task(web(scope("/large"), nothing_more, send))
        await begun.wait()
        assert await asyncio.wait_for(ask(web, scope("/other")), PATIENCE / 2) == 200
        reads.set()
        await slow
        return size

    assert run(scenario()) == len(LARGE)


def test_a_body_that_arrives_byte_by_byte_is_given_up(
    application: Application, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bridge, "BODY_SECONDS", 0.05)

    async def receive() -> dict[str, Any]:
        await asyncio.sleep(0.001)
        return {"type": "http.request", "body": b"x", "more_body": True}

    assert run(ask(Bridge(application, 1), scope("/", length=1000), receive)) == 408
    assert application.requested == []


def test_a_request_of_a_disconnected_client_is_not_processed(application: Application) -> None:
    async def send(message: Any) -> None:
        raise AssertionError("the client has left")

    run(Bridge(application, 1)(scope("/", is_gone=True), nothing_more, send))
    assert application.requested == []
