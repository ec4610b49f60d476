"""Server-sent events with starlette: what is published is put into a queue for each open response, and nothing else."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

_queues: set[asyncio.Queue[bytes]] = set()


async def _frames() -> AsyncIterator[bytes]:
    queue: asyncio.Queue[bytes] = asyncio.Queue()
    _queues.add(queue)
    try:
        yield b"retry: 1000\n\n"
        while True:
            yield await queue.get()
    finally:
        _queues.discard(queue)


async def events(request: Request) -> Response:
    return StreamingResponse(_frames(), media_type="text/event-stream")


async def publish(request: Request) -> Response:
    frame = b"data: %b\n\n" % await request.body()
    for queue in _queues:
        queue.put_nowait(frame)
    return Response(status_code=201)


application = Starlette(
    routes=[Route("/events/", events), Route("/events/", publish, methods=["POST"])],
)
