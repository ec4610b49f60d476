"""The ASGI application of uvicorn: event streams as coroutines, other requests through Django's WSGI handler on
threads.

The WSGI handler serves twice as many requests as Django's own ASGI handler, and its database connections persist.
Serve it with `uvicorn config.asgi:application --http config.server.connections:Connection --ws none`. Without that
protocol, nothing limits connections.
"""

import asyncio
import gc
import os
import signal
import sys
import threading
from types import FrameType
from typing import Any

from django.conf import settings
from django.db import connection

from config import wsgi  # sets up Django, which the imports below need
from config.server.bridge import Bridge, Receive, Scope, Send
from config.server.cors import Cors
from config.streams.application import Streams
from core import triggers
from eventstore import feed

THREADS = int(os.environ.get("RACECARD_THREADS", "16"))
"""Concurrent requests of one process. Each thread has a database connection."""

# A request releases the interpreter's lock at each query. With Python's default of 5 ms it would wait that long for
# the lock whenever another thread computes, which is likely with many event streams.
sys.setswitchinterval(0.001)

# By default the garbage collector repeatedly traverses all loaded modules, and often the objects of thousands of
# connections, which blocks all threads for up to 0.2 s.
gc.collect()
gc.freeze()
gc.set_threshold(5_000, 10, 10)

_web = Bridge(wsgi.application, THREADS)
_streams: Streams | None = None


async def application(scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "lifespan":
        await _live(receive, send)
    else:
        await _http(scope, receive, send)


async def _serve(scope: Scope, receive: Receive, send: Send) -> None:
    await _serving()(scope, receive, send)


_http = Cors(_serve) if settings.RACECARD_CORS_ORIGINS else _serve


def _serving() -> Streams:
    """Created by the first request if the server does not support lifespan."""
    global _streams
    if _streams is None:
        hub = feed.Hub(feed.waker())
        hub.start()
        _streams = Streams(_web, hub)
    return _streams


async def _live(receive: Receive, send: Send) -> None:
    await receive()
    try:
        await asyncio.to_thread(_require_triggers)
    except Exception as error:  # for any error, the server reports it and ends
        await send({"type": "lifespan.startup.failed", "message": str(error)})
        return
    _close_streams_on_signal(_serving())
    await send({"type": "lifespan.startup.complete"})
    await receive()
    _serving().close()
    await send({"type": "lifespan.shutdown.complete"})


def _require_triggers() -> None:
    try:
        triggers.require_installed()
    finally:
        connection.close()


def _close_streams_on_signal(streams: Streams) -> None:
    """A terminating server waits for its responses to end, and an event stream never ends by itself."""
    if threading.current_thread() is not threading.main_thread():
        return
    for number in (signal.SIGTERM, signal.SIGINT):
        before = signal.getsignal(number)

        def close(received: int, frame: FrameType | None, before: Any = before) -> None:
            streams.hub.close_subscriptions()
            if callable(before):
                before(received, frame)

        signal.signal(number, close)
