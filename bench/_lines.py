"""Connections of a load generator: requests on kept connections, and event streams.

They use asyncio's streams directly, because the generator shares the processors with what it measures.
"""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any, NamedTuple

import orjson

from racecard_client.streams import Messages

HOST = "127.0.0.1"
PATIENCE = 30.0
"""Seconds for an answer, after which a person gives up."""


class Answer(NamedTuple):
    status: int
    body: Any

    @property
    def ok(self) -> bool:
        return self.status < 300


class Line:
    """One kept connection. Requests of a line follow each other; each gives up after PATIENCE."""

    def __init__(self, port: int, headers: Mapping[str, str]) -> None:
        self._port = port
        self._head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        self._open: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None
        self._turn = asyncio.Lock()

    async def send(self, method: str, path: str, body: object = None) -> Answer:
        """Return the answer. A connection that the server has closed is opened again, once."""
        content = b"" if body is None else orjson.dumps(body)
        message = _request(method, path, self._head, content)
        async with self._turn, asyncio.timeout(PATIENCE):
            try:
                return await self._sent(message)
            except (OSError, asyncio.IncompleteReadError):
                self.close()
                return await self._sent(message)

    async def _sent(self, message: bytes) -> Answer:
        if self._open is None:
            self._open = await asyncio.open_connection(HOST, self._port, limit=2**20)
        reader, writer = self._open
        writer.write(message)
        try:
            status, fields = await _head(reader)
            content = await reader.readexactly(int(fields.get("content-length", 0)))
        except BaseException:
            self.close()
            raise
        return Answer(status, orjson.loads(content) if content else None)

    def close(self) -> None:
        if self._open is not None:
            self._open[1].close()
            self._open = None


def _request(method: str, path: str, head: str, content: bytes) -> bytes:
    lines = f"{method} /api/v1/{path} HTTP/1.1\r\nHost: localhost\r\n{head}"
    if method != "GET":
        lines += f"Idempotency-Key: {uuid.uuid4()}\r\nContent-Type: application/json\r\n"
        lines += f"Content-Length: {len(content)}\r\n"
    return f"{lines}\r\n".encode() + content


async def _head(reader: asyncio.StreamReader) -> tuple[int, dict[str, str]]:
    first, *lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    fields = (line.partition(":") for line in lines if line)
    return int(first.split(" ", 2)[1]), {name.lower(): value.strip() for name, _, value in fields}


class StreamRefused(Exception):
    """An event stream was not opened; the argument is the status."""


@asynccontextmanager
async def streamed(
    port: int, path: str, headers: Mapping[str, str], last_id: str = ""
) -> AsyncIterator[tuple[AsyncIterator[tuple[str, str]], Messages]]:
    """Open an event stream, and yield its messages (name and data) and the parser, which knows the last id.

    Raises StreamRefused, OSError.
    """
    resume = f"Last-Event-ID: {last_id}\r\n" if last_id else ""
    head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    reader, writer = await asyncio.open_connection(HOST, port, limit=2**20)
    try:
        writer.write(_request("GET", path, f"Accept: text/event-stream\r\n{head}{resume}", b""))
        status, _ = await _head(reader)
        if status != 200:
            raise StreamRefused(status)
        messages = Messages()
        yield _messages(reader, messages), messages
    finally:
        writer.close()


async def _messages(reader: asyncio.StreamReader, parser: Messages) -> AsyncIterator[tuple[str, str]]:
    """Yield the messages of a chunked response, until it ends."""
    while size := int((await reader.readuntil(b"\r\n")).strip() or b"0", 16):
        chunk = await reader.readexactly(size + 2)
        for message in parser.read(chunk[:-2]):
            yield message
