"""What all event streams send: the start of the response, heartbeats, and the reason of an end."""

from __future__ import annotations

import asyncio
import json
import random
import time
from collections.abc import Awaitable, Callable, Collection
from typing import NoReturn, Protocol, TypeVar

from config.server.bridge import Receive, Send
from core.errors import Problem
from rest.problems import problem_document

HEARTBEAT = 14.0
"""The longest time in seconds between checks of permissions: a revoked token closes a stream within 15 s."""

BEATS_EVERY = 1.0
"""Seconds between the moments of heartbeats: those of the same moment are checked together."""

CHECKED_TOGETHER = 500
"""The largest number of streams that are checked together, so that the thread is free for events in between."""

PATIENCE = 20.0
"""Seconds that a client may leave sent data unread; then it is disconnected, and can resume."""

HEARTBEAT_FRAME = b": heartbeat\n\n"

AGAIN_AFTER = 1.0
"""Seconds until a read is repeated while the database or Redis is away. The streams stay open meanwhile: thousands that
return together would keep a new primary busy.
"""


def next_beat() -> float:
    """Streams that were opened together, for example after a restart, are spread over the interval."""
    return time.monotonic() + (HEARTBEAT - BEATS_EVERY) * random.uniform(0.8, 1.0)  # noqa: S311


class Beating(Protocol):
    beats_at: float


Beats = TypeVar("Beats", bound=Beating)


async def heartbeats(streams: Collection[Beats], check: Callable[[list[Beats]], Awaitable[None]]) -> NoReturn:
    """Check the streams whose heartbeat is due, together, as long as they are served. `streams` changes meanwhile."""
    while True:
        await asyncio.sleep(BEATS_EVERY)
        now = time.monotonic()
        due = [stream for stream in streams if stream.beats_at <= now]
        for start in range(0, len(due), CHECKED_TOGETHER):
            together = due[start : start + CHECKED_TOGETHER]
            for stream in together:
                stream.beats_at = next_beat()
            await check(together)


async def begin(send: Send) -> None:
    await send(
        {
            "type": "http.response.start",
            "status": 200,
            "headers": [
                (b"content-type", b"text/event-stream; charset=utf-8"),
                (b"cache-control", b"no-store"),
                (b"x-accel-buffering", b"no"),
                (b"x-content-type-options", b"nosniff"),
            ],
        }
    )
    await body(send, b"retry: 1000\n\n")


async def body(send: Send, frame: bytes, *, more: bool = True) -> None:
    """Raises TimeoutError if the client leaves too much unread."""
    async with asyncio.timeout(PATIENCE):
        await send({"type": "http.response.body", "body": frame, "more_body": more})


def closed_frame(problem: Problem) -> bytes:
    document = json.dumps(problem_document(problem), ensure_ascii=False)
    return f"event: closed\ndata: {document}\n\n".encode()


async def until_gone(receive: Receive, gone: Callable[[], None]) -> None:
    """Call `gone` when the client disconnects."""
    while (await receive())["type"] != "http.disconnect":
        pass
    gone()
