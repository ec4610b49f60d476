"""What uvicorn serves: event streams as coroutines, the rest through Django's WSGI side on threads.

That side answers twice as many requests as Django's own ASGI handler, and its database connections can be kept. Serve
it with `uvicorn config.asgi:application --http config.connections:Connection --ws none`: without that protocol, nothing
limits connections.
"""

import asyncio
import gc
import os
import signal
import sys
import threading
from types import FrameType
from typing import Any

from django.db import connection

from config import wsgi  # sets Django up, which what follows needs
from config.bridge import Bridge
from config.streams import Receive, Scope, Send, Streams
from eventstore import feed, triggers

THREADS = int(os.environ.get("RACECARD_THREADS", "16"))
"""Requests that one process works on at the same time; each thread keeps a database connection."""

# A request gives the interpreter's lock away at each query. With Python's default of 5 ms it would wait that long for
# it each time another thread computes, which many event streams make likely.
sys.setswitchinterval(0.001)

# By default the garbage collector looks at everything that was loaded again and again, and often at what thousands of
# connections hold: all threads wait for it for up to 0.2 s.
gc.collect()
gc.freeze()
gc.set_threshold(5_000, 10, 10)

_web = Bridge(wsgi.application, THREADS)
_streams: Streams | None = None


async def application(scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "lifespan":
        await _live(receive, send)
    else:
        await _serving()(scope, receive, send)


def _serving() -> Streams:
    """Made by the first request where a server knows no lifespan."""
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
    except Exception as error:  # whatever it is, the server says it and ends
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
    """A server that is told to end waits for its answers to end, and an event stream never does by itself."""
    if threading.current_thread() is not threading.main_thread():
        return
    for number in (signal.SIGTERM, signal.SIGINT):
        before = signal.getsignal(number)

        def close(received: int, frame: FrameType | None, before: Any = before) -> None:
            streams.hub.close_subscriptions()
            if callable(before):
                before(received, frame)

        signal.signal(number, close)
