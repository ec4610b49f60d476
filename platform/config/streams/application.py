"""Server-sent events as a plain ASGI application in front of Django.

Inside Django each open stream would block a thread. Here a stream costs a coroutine. It uses a thread only for a
moment, to read visible events and to check permissions (`config.streams.reads`).

    GET /api/v1/games/{id}/events/          Accept: text/event-stream; id = version; ?invite= for a private game
    GET /api/v1/tournaments/{id}/events/    likewise
    GET /api/v1/disputes/{id}/events/       likewise
    GET /api/v1/feed/?game={id}[@{after}]&tournament={id}[@{after}]&dispute={id}[@{after}]
                                            many in one; id = the set of cursors
"""

from __future__ import annotations

import asyncio
import json
import random
import re
import time
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from contextvars import copy_context
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, TypeVar
from urllib.parse import parse_qsl
from uuid import UUID, uuid4

import structlog

from config.streams import reads as stream_reads
from config.streams.reads import NOTHING, Beat, Cursors, Follower, Found, Opened, Scope, Source, header
from core.errors import InvalidInput, Problem, ServerError
from core.metrics import Gauge, Histogram
from eventstore import feed
from rest.problems import CONTENT_TYPE, REFUSALS, MethodNotAllowed, headers, problem_document, status_of

log = structlog.get_logger(__name__)
OPEN = Gauge("racecard_streams", "Open event streams", multiprocess_mode="livesum")
LAG = Histogram(
    "racecard_feed_lag_seconds",
    "From an event's own time until it is sent to live followers",
    buckets=(0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15),
)

T = TypeVar("T")
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]

HEARTBEAT = 14.0
"""The longest time in seconds between checks of permissions: a revoked token closes a stream within 15 s."""

BEATS_EVERY = 0.2
"""Seconds between the moments of heartbeats: those of the same moment are read together."""

GATHERING = 0.02
"""Seconds after the first heartbeat of a moment until they are read."""

READ_TOGETHER = 200
"""The largest number of streams whose heartbeats are read together: one statement finds their tokens."""

PATIENCE = 20.0
"""Seconds that a client may leave sent data unread; then it is disconnected, and can resume."""

THREADS = 2
"""Threads that read for the streams of a process. More would only make requests wait for the interpreter's lock."""

SUBSCRIPTIONS_PER_STREAM = 100
LARGEST_CURSOR = 2**53 - 1

_ONE = re.compile(r"/api/v1/(game|tournament|dispute)s/([0-9a-f-]{36})/events/")
_FEED = "/api/v1/feed/"
_SUBSCRIPTION = re.compile(r"([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?:@(\d{1,16}))?")
_CURSOR = re.compile(r"(game|tournament|dispute):([0-9a-f-]{36})=(\d{1,16})")


class Streams:
    """The ASGI application. Requests for other addresses go to `otherwise`."""

    def __init__(self, otherwise: Application, hub: feed.Hub) -> None:
        self._otherwise, self.hub = otherwise, hub
        self._threads = ThreadPoolExecutor(max_workers=THREADS, thread_name_prefix="streams")
        self._beats = _Beats(lambda followers: self._in_thread(stream_reads.beat, followers))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and (parse := _parser(scope)):
            try:
                await self._serve(parse, scope, receive, send)
            except Problem as problem:
                await refuse(problem, send)
        else:
            await self._otherwise(scope, receive, send)

    def close(self) -> None:
        self.hub.close_subscriptions()
        self.hub.stop()
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def _serve(
        self, parse: Callable[[], StreamRequest], scope: Scope, receive: Receive, send: Send
    ) -> None:
        structlog.contextvars.bind_contextvars(request_id=str(uuid4()), request=f"GET {scope['path']}")
        await self._in_thread(stream_reads.count_request, scope)
        wanted = parse()
        cursors = wanted.cursors
        # Subscribed before the first read, so that no event is missed between the two.
        with self.hub.subscribe(source.id for source in cursors) as subscription:
            opened = await self._in_thread(stream_reads.open_stream, scope, cursors)
            try:
                await self._answer(_Stream(wanted, send), opened, subscription, scope, receive)
            finally:
                self._threads.submit(opened.place.release)

    async def _answer(
        self,
        stream: _Stream,
        opened: Opened,
        subscription: feed.Subscription,
        scope: Scope,
        receive: Receive,
    ) -> None:
        watch = asyncio.create_task(_until_gone(receive, subscription))
        began = time.monotonic()
        OPEN.inc()
        try:
            await stream.begin()
            await self._follow(stream, opened, subscription, scope)
        except TimeoutError:
            log.info("stream_dropped", user_id=opened.player)
        finally:
            OPEN.dec()
            watch.cancel()
            log.info("stream_closed", user_id=opened.player, seconds=round(time.monotonic() - began, 1))

    async def _follow(
        self, stream: _Stream, opened: Opened, subscription: feed.Subscription, scope: Scope
    ) -> None:
        cursors, beat = stream.request.cursors, _next_beat()
        page, suspended = opened.page, opened.suspended
        everything, behind, resume = True, page.rest, time.monotonic() + page.wait
        while not subscription.closed:
            await stream.write(page.found)
            if everything:
                await stream.tell_suspended(suspended)
            # A stream that is catching up waits only for its budget.
            until = min(beat, resume) if behind else beat
            moved = await subscription.moved(timeout=max(0.0, until - time.monotonic()))
            if subscription.closed:
                break
            now = time.monotonic()
            if everything := now >= beat:
                beat = _next_beat()
                await stream.heartbeat()
            # A hint may name events that were already sent: those appended while the stream was opened.
            look = {
                source: at
                for source, at in cursors.items()
                if (now >= resume if source in behind else everything or moved.get(source.id, 0) > at)
            }
            if not (look or everything):
                page = NOTHING
                continue
            try:
                if everything:
                    page, suspended = await self._beats.look(Follower(opened.place, scope, look))
                else:
                    page = await self._in_thread(stream_reads.read, scope, look)
                _measure(
                    {
                        source: events
                        for source, events in page.found.items()
                        if source.id in moved and source not in behind
                    }
                )
                behind = behind - look.keys() | page.rest
                if page.rest:
                    resume = time.monotonic() + page.wait
            except Problem as problem:
                await stream.closed(problem)
                break
        await stream.end()

    async def _in_thread(self, function: Callable[..., T], *arguments: Any) -> T:
        run = copy_context().run  # so that log lines of a thread have the stream's ids
        return await asyncio.get_running_loop().run_in_executor(self._threads, run, function, *arguments)


def _next_beat() -> float:
    """Streams that were opened together, for example after a restart, are spread over the interval."""
    at = time.monotonic() + HEARTBEAT * random.uniform(0.8, 1.0)  # noqa: S311
    return at - at % BEATS_EVERY


class _Beats:
    """Collects the streams whose heartbeat is due, so that one visit to a thread reads for all of them."""

    def __init__(self, read: Callable[[list[Follower]], Awaitable[list[Beat | Problem]]]) -> None:
        self._read = read
        self._due: list[tuple[Follower, asyncio.Future[Beat | Problem]]] = []
        self._running: set[asyncio.Task[None]] = set()

    async def look(self, follower: Follower) -> Beat:
        """Read the heartbeat of a stream. Raises a Problem if the viewer may no longer follow."""
        found: asyncio.Future[Beat | Problem] = asyncio.get_running_loop().create_future()
        self._due.append((follower, found))
        if len(self._due) == 1:
            task = asyncio.create_task(self._run())
            self._running.add(task)  # the event loop holds only weak references
            task.add_done_callback(self._running.discard)
        beat = await found
        if isinstance(beat, Problem):
            raise beat
        return beat

    async def _run(self) -> None:
        await asyncio.sleep(GATHERING)
        due, self._due = self._due, []
        for start in range(0, len(due), READ_TOGETHER):
            await self._answer(due[start : start + READ_TOGETHER])

    async def _answer(self, due: list[tuple[Follower, asyncio.Future[Beat | Problem]]]) -> None:
        beats: list[Beat | Problem] = [ServerError()] * len(due)
        try:
            beats = await self._read([follower for follower, _ in due])
        except Problem as problem:
            beats = [problem] * len(due)
        finally:
            for (_, found), beat in zip(due, beats, strict=True):
                if not found.done():
                    found.set_result(beat)


# --- the request ---------------------------------------------------------------------------------------


@dataclass(slots=True)
class StreamRequest:
    """The streams of one connection and the last version sent of each; `many` selects the wire format."""

    cursors: Cursors
    many: bool


def _parser(scope: Scope) -> Callable[[], StreamRequest] | None:
    """A parser of the request, if it is for an event stream."""
    path, method = scope["path"], scope["method"]
    if path == _FEED:
        return lambda: _many(scope, method)
    one = _ONE.fullmatch(path)
    if one and method == "GET" and "text/event-stream" in header(scope, b"accept"):
        return lambda: _one(scope, one[1], one[2])
    return None


def _one(scope: Scope, kind: str, id: str) -> StreamRequest:
    given = _query(scope, {"after", "invite"} if kind == "game" else {"after"})
    query = dict(given)
    if len(query) != len(given):
        raise InvalidInput("Give each parameter once.")
    after = header(scope, b"last-event-id") or query.get("after", "0")
    if not re.fullmatch(r"\d{1,16}", after, re.ASCII):
        raise InvalidInput("Last-Event-ID and after are versions: integers from 0.")
    try:
        return StreamRequest({Source(kind, UUID(id), query.get("invite", "")): _bounded(after)}, many=False)
    except ValueError:
        raise InvalidInput("The address contains no id.") from None


def _many(scope: Scope, method: str) -> StreamRequest:
    if method != "GET":
        raise MethodNotAllowed(f"{method} is not one of: GET")
    cursors: Cursors = {}
    for kind, value in _query(scope, {"game", "tournament", "dispute"}):
        subscription = _SUBSCRIPTION.fullmatch(value)
        if not subscription:
            raise InvalidInput(f"{kind}: an id, or an id and the version seen last: …@12")
        cursors[Source(kind, UUID(subscription[1]))] = _bounded(subscription[2] or "0")
    if not cursors:
        raise InvalidInput(
            "Name the streams to follow: ?game={id}&tournament={id}&dispute={id}, each as often as needed."
        )
    if len(cursors) > SUBSCRIPTIONS_PER_STREAM:
        raise InvalidInput(
            f"One feed follows at most {SUBSCRIPTIONS_PER_STREAM} games, tournaments and disputes."
        )
    if seen := header(scope, b"last-event-id"):
        cursors |= {source: at for source, at in _parse_cursors(seen).items() if source in cursors}
    return StreamRequest(cursors, many=True)


def _parse_cursors(text: str) -> Cursors:
    cursors: Cursors = {}
    for part in text.split(","):
        cursor = _CURSOR.fullmatch(part)
        if not cursor:
            raise InvalidInput("Last-Event-ID is the id of an event of this feed.")
        try:
            cursors[Source(cursor[1], UUID(cursor[2]))] = _bounded(cursor[3])
        except ValueError:
            raise InvalidInput("Last-Event-ID is the id of an event of this feed.") from None
    return cursors


def _bounded(digits: str) -> int:
    if int(digits) > LARGEST_CURSOR:
        raise InvalidInput(f"A version is at most {LARGEST_CURSOR}.")
    return int(digits)


def _query(scope: Scope, known: set[str]) -> list[tuple[str, str]]:
    try:
        query = parse_qsl(
            scope["query_string"].decode("ascii"),
            keep_blank_values=True,
            max_num_fields=1000,
            errors="strict",
        )
    except ValueError:
        raise InvalidInput("The query is not well formed.") from None
    for name, _ in query:
        if name not in known:
            raise InvalidInput(
                f"{name[:40]}: not a parameter of this address; it knows {', '.join(sorted(known))}."
            )
    return query


# --- writing -----------------------------------------------------------------------------------------------


def _measure(found: Found) -> None:
    """Observe the delay of live events. Events that only became visible to the viewer are not counted."""
    now = datetime.now(UTC)
    for events in found.values():
        if events:
            LAG.observe(max(0.0, (now - datetime.fromisoformat(events[-1]["at"])).total_seconds()))


class _Stream:
    """One response of type text/event-stream. Raises TimeoutError when the client leaves it unread."""

    def __init__(self, request: StreamRequest, send: Send) -> None:
        self.request, self._send = request, send
        self._suspended: set[UUID] = set()

    async def begin(self) -> None:
        await self._send(
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
        await self._body(b"retry: 1000\n\n")

    async def write(self, found: Found) -> None:
        """Send the events and advance the cursors."""
        for source, events in found.items():
            for event in events:
                if event["version"] > self.request.cursors[source]:
                    self.request.cursors[source] = event["version"]
                    await self._body(self._frame(source, event))

    async def tell_suspended(self, suspended: set[UUID]) -> None:
        """Send which games were suspended or resumed. It is not an event of a game, so it has no id."""
        changed = sorted(suspended ^ self._suspended)
        self._suspended = suspended
        for id in changed:
            data = json.dumps({"game": str(id), "suspended": id in suspended}, separators=(",", ":"))
            await self._body(f"event: suspension\ndata: {data}\n\n".encode())

    async def heartbeat(self) -> None:
        await self._body(b": heartbeat\n\n")

    async def closed(self, problem: Problem) -> None:
        document = json.dumps(problem_document(problem), ensure_ascii=False)
        await self._body(f"event: closed\ndata: {document}\n\n".encode())

    async def end(self) -> None:
        await self._body(b"", more=False)

    def _frame(self, source: Source, event: Mapping[str, Any]) -> bytes:
        if self.request.many:
            cursor = ",".join(f"{known.kind}:{known.id}={at}" for known, at in self.request.cursors.items())
            event = {source.kind: str(source.id), "event": event}
        else:
            cursor = str(event["version"])
        data = json.dumps(event, ensure_ascii=False, separators=(",", ":"))
        return f"id: {cursor}\ndata: {data}\n\n".encode()

    async def _body(self, body: bytes, *, more: bool = True) -> None:
        message = {"type": "http.response.body", "body": body, "more_body": more}
        await asyncio.wait_for(self._send(message), PATIENCE)


async def _until_gone(receive: Receive, subscription: feed.Subscription) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    subscription.close()


async def refuse(problem: Problem, send: Send) -> None:
    REFUSALS.labels(problem.code).inc()
    body = json.dumps(problem_document(problem), ensure_ascii=False).encode()
    lines = {"Content-Type": CONTENT_TYPE, "Cache-Control": "no-store", **headers(problem)}
    await send(
        {
            "type": "http.response.start",
            "status": status_of(problem),
            "headers": [(name.lower().encode(), value.encode()) for name, value in lines.items()],
        }
    )
    with suppress(OSError):
        await send({"type": "http.response.body", "body": body})
