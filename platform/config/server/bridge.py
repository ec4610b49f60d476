"""Django's WSGI handler behind an ASGI server, so that no client can block one of its threads.

A thread handles a request whose body has arrived completely, and is free as soon as the response is computed: the
event loop sends it as fast as the client reads. A large response waits in a file, not in memory.
"""

from __future__ import annotations

import asyncio
import json
import random
import tempfile
from collections.abc import Awaitable, Callable, Iterable, Mapping, MutableMapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext, suppress
from contextvars import copy_context
from dataclasses import dataclass
from io import BytesIO
from typing import IO, Any
from urllib.parse import parse_qsl

from a2wsgi.wsgi import build_environ
from django.conf import settings
from django.db import close_old_connections
from django.http import HttpRequest, HttpResponse
from django.middleware.security import SecurityMiddleware
from whitenoise.middleware import WhiteNoiseMiddleware

from config import health
from config.server.connections import EXTENSION
from core.errors import Problem
from rest.middleware import ContentPolicy
from rest.problems import (
    CONTENT_TYPE,
    REFUSALS,
    REQUEST_ID,
    BodyTooLarge,
    RequestTimeout,
    headers,
    problem_document,
    request_id,
    status_of,
)

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]

BODY_SECONDS = 10.0
BODY_RATE = 16 * 1024
"""A body of n bytes may take at least BODY_SECONDS + n / BODY_RATE seconds to arrive."""

IN_MEMORY = 64 * 1024
"""Bytes of a response held in memory. A longer one is read from a file in pieces of this size."""

FILE_THREADS = 2

Pool = ThreadPoolExecutor
_HEALTH_HEADERS = [
    (b"content-type", b"application/json"),
    (b"cache-control", b"no-store"),
    (b"x-content-type-options", b"nosniff"),
]


class BodyTooSlow(RequestTimeout):
    """The body is too slow: the connection is closed."""

    code = "body-too-slow"
    title = "The body of the request did not arrive in time"


@dataclass(slots=True)
class _Answer:
    """A computed response. `rest` follows `head`; its reader closes it."""

    status: int
    headers: list[tuple[bytes, bytes]]
    head: bytes
    rest: IO[bytes] | None = None


class Bridge:
    """The ASGI application.

    `threads` handle requests. Static files and `/readyz` have separate threads and `/healthz` needs none, so that
    they never wait behind other requests.
    """

    def __init__(self, application: Callable[..., Iterable[bytes]], threads: int) -> None:
        self._application = application
        self._workers = Pool(threads, thread_name_prefix="web")
        self._files = Pool(FILE_THREADS, thread_name_prefix="files")
        self._ready = Pool(1, thread_name_prefix="ready")
        self._static = _Static()
        self._checking: asyncio.Future[dict[str, bool]] | None = None
        self._largest_body = max(settings.API_BODY_LIMIT, settings.DATA_UPLOAD_MAX_MEMORY_SIZE)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1000})
            return
        if scope["path"] in ("/healthz", "/readyz") and scope["method"] in ("GET", "HEAD"):
            await _send_whole(send, await self._health(scope))
            return
        is_gone = _is_gone(scope)
        if (file := self._static.find(scope)) is not None:
            loop = asyncio.get_running_loop()
            answer = await loop.run_in_executor(self._files, self._static.open, file, scope)
            await self._send(scope, send, answer)
            return
        try:
            body = await self._read_body(scope, receive)
        except Problem as problem:
            await refuse(problem, send)
            return
        if body is None:
            return
        loop, run = asyncio.get_running_loop(), copy_context().run
        computed = await loop.run_in_executor(self._workers, run, self._compute, scope, body, is_gone)
        if computed is not None:
            await self._send(scope, send, computed)

    async def _health(self, scope: Scope) -> _Answer:
        document: Mapping[str, object] = health.ALIVE
        status = 200
        if scope["path"] == "/readyz":
            # One check answers all concurrent requests: a flood of requests cannot delay it.
            if self._checking is None or self._checking.done():
                loop = asyncio.get_running_loop()
                self._checking = loop.run_in_executor(self._ready, _readiness)
            document = found = await asyncio.shield(self._checking)
            status = health.status(found, whole=(b"whole", b"1") in parse_qsl(scope["query_string"]))
        body = json.dumps(document).encode()
        return _Answer(status, [*_HEALTH_HEADERS, (b"content-length", str(len(body)).encode())], body)

    # --- the request, in the event loop ---

    async def _read_body(self, scope: Scope, receive: Receive) -> bytes | None:
        """The body; None if the client has left. Raises BodyTooSlow or BodyTooLarge.

        Of a body without a length, one byte more than allowed is read, so that Django refuses it.
        """
        length = _length(scope)
        if length == 0:
            return b""
        most = self._largest_body + 1
        if length is not None and length >= most:
            raise BodyTooLarge(f"At most {settings.API_BODY_LIMIT} bytes.")
        # Random, so that hundreds of bodies that began together do not time out in one turn of the event loop.
        grace = BODY_SECONDS + random.uniform(0.0, BODY_SECONDS / 2)  # noqa: S311
        message = await _within(grace, receive())
        if not message.get("more_body") and message["type"] == "http.request":
            return bytes(message["body"])
        pieces, size = [], 0
        seconds = (most if length is None else length) / BODY_RATE + grace

        async def rest() -> bool:
            nonlocal message, size
            while message["type"] == "http.request":
                pieces.append(message["body"])
                size += len(message["body"])
                if not message.get("more_body") or size >= most:
                    return True
                message = await receive()
            return False

        return b"".join(pieces)[:most] if await _within(seconds, rest()) else None

    # --- Django, in a thread ---

    def _compute(self, scope: Scope, body: bytes, is_gone: Callable[[], bool]) -> _Answer | None:
        """The response; None if the client left while the request waited for a thread."""
        if is_gone():
            return None
        environ: Any = build_environ(scope, BytesIO(body))  # type: ignore[arg-type]
        started: list[Any] = []
        result: Any = self._application(environ, lambda *words: started.extend(words[:2]))
        try:
            head, rest = _spool(result, is_gone)
        finally:
            result.close()
        status, lines = started
        return _Answer(int(status[:3]), _encoded(lines), head, rest)

    # --- the answer, in the event loop ---

    async def _send(self, scope: Scope, send: Send, answer: _Answer) -> None:
        rest = answer.rest
        if rest is None:
            with _in_one_piece(scope):
                await _send_whole(send, answer)
            return
        loop, is_gone = asyncio.get_running_loop(), _is_gone(scope)
        try:
            await send({"type": "http.response.start", "status": answer.status, "headers": answer.headers})
            piece = answer.head
            while piece and not is_gone():
                await send({"type": "http.response.body", "body": piece, "more_body": True})
                piece = await loop.run_in_executor(self._files, rest.read, IN_MEMORY)
            if not is_gone():
                await send({"type": "http.response.body", "body": b""})
        finally:
            rest.close()


class _Static:
    """Static files as WhiteNoise serves them in Django, with the headers of the middlewares before it."""

    def __init__(self) -> None:
        self._prefix: str = settings.STATIC_URL
        self._files = WhiteNoiseMiddleware(None).files
        request = HttpRequest()
        request.META = {"HTTP_X_FORWARDED_PROTO": "https"}  # counts only with RACECARD_HTTPS
        respond = SecurityMiddleware(ContentPolicy(lambda request: HttpResponse(content_type="")))
        response: Any = respond(request)
        self._headers = _encoded((name, value) for name, value in response.items() if value)

    def find(self, scope: Scope) -> Any:
        """The requested file; None if Django handles the request."""
        if not scope["path"].startswith(self._prefix):
            return None
        if settings.HTTPS and scope["scheme"] != "https":
            return None
        return self._files.get(scope["path"])

    def open(self, file: Any, scope: Scope) -> _Answer:
        environ = {
            "HTTP_" + name.decode("latin-1").upper().replace("-", "_"): value.decode("latin-1")
            for name, value in scope["headers"]
        }
        found = file.get_response(scope["method"], environ)
        answer = _Answer(int(found.status), [*_encoded(found.headers), *self._headers], b"")
        if found.file is not None:
            answer.head = found.file.read(IN_MEMORY)
            if len(answer.head) == IN_MEMORY:
                answer.rest = found.file
            else:
                found.file.close()
        return answer


def _readiness() -> dict[str, bool]:
    close_old_connections()
    try:
        return health.readiness()
    finally:
        close_old_connections()


def _is_gone(scope: Scope) -> Callable[[], bool]:
    connection = scope.get("extensions", {}).get(EXTENSION)
    return (lambda: connection.is_gone) if connection is not None else lambda: False


def _in_one_piece(scope: Scope) -> AbstractContextManager[None]:
    connection = scope.get("extensions", {}).get(EXTENSION)
    return nullcontext() if connection is None else connection.in_one_piece()


def _length(scope: Scope) -> int | None:
    """The length of the body from the header; None if it is chunked."""
    for name, value in scope["headers"]:
        if name == b"content-length":
            return int(value[-20:])
        if name == b"transfer-encoding":
            return None
    return 0


async def _within(seconds: float, awaited: Awaitable[Any]) -> Any:
    try:
        async with asyncio.timeout(seconds):
            return await awaited
    except TimeoutError:
        raise BodyTooSlow(f"After {BODY_SECONDS:.0f} s, {BODY_RATE} bytes a second are expected.") from None


def _spool(pieces: Iterable[bytes], is_gone: Callable[[], bool]) -> tuple[bytes, IO[bytes] | None]:
    head: list[bytes] = []
    size = 0
    spool: IO[bytes] | None = None
    for piece in pieces:
        if spool is not None:
            spool.write(piece)
            if is_gone():
                break
            continue
        head.append(piece)
        size += len(piece)
        if size > IN_MEMORY:
            spool = tempfile.TemporaryFile(dir=settings.DATA)  # noqa: SIM115  # closed by the sender
            spool.writelines(head)
    if spool is None:
        return b"".join(head), None
    spool.seek(0)
    return spool.read(IN_MEMORY), spool


def _encoded(lines: Iterable[tuple[str, str]]) -> list[tuple[bytes, bytes]]:
    return [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in lines]


async def _send_whole(send: Send, answer: _Answer) -> None:
    await send({"type": "http.response.start", "status": answer.status, "headers": answer.headers})
    await send({"type": "http.response.body", "body": answer.head})


async def refuse(problem: Problem, send: Send) -> None:
    """Answer with the problem document."""
    REFUSALS.labels(problem.code).inc()
    body = json.dumps(problem_document(problem), ensure_ascii=False).encode()
    lines = {"Content-Type": CONTENT_TYPE, "Cache-Control": "no-store", **headers(problem)}
    if request := request_id():
        lines[REQUEST_ID] = request
    with suppress(OSError):
        await _send_whole(send, _Answer(status_of(problem), _encoded(lines.items()), body))
