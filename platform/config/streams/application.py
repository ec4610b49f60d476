"""Server-sent events as a plain ASGI application in front of Django.

Inside Django each open stream would block a thread. Here a stream costs a coroutine. It uses a thread only for a
moment, to read visible events and to check permissions (`config.streams.reads`).

    GET /api/v1/games/{id}/events/          Accept: text/event-stream; id = version; ?invite= for a private game
    GET /api/v1/tournaments/{id}/events/    likewise
    GET /api/v1/disputes/{id}/events/       likewise
    GET /api/v1/feed/?game={id}[@{after}]&tournament={id}[@{after}]&dispute={id}[@{after}]
                                            many in one; id = the set of cursors
    GET /api/v1/players/me/waiting/         what waits for the caller and its changes (`config.streams.waiting`)
"""

from __future__ import annotations

import asyncio
import json
import math
import re
import time
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from contextvars import copy_context
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, TypeVar
from urllib.parse import parse_qsl
from uuid import UUID, uuid4

import structlog

from config.server.bridge import Receive, Scope, Send, refuse
from config.server.connections import EXTENSION, chunk_of
from config.streams import reads as stream_reads
from config.streams import waiting, wire
from config.streams.reads import (
    REFUSED,
    Cursors,
    Follower,
    Found,
    Opened,
    Page,
    Present,
    SharedEvent,
    Source,
    Watcher,
    encoded,
    header,
)
from core.errors import InvalidInput, Problem, Unavailable
from core.metrics import Gauge, Histogram
from eventstore import feed
from rest.problems import MethodNotAllowed

log = structlog.get_logger(__name__)
OPEN = Gauge("racecard_streams", "Open event streams", multiprocess_mode="livesum")
LAG = Histogram(
    "racecard_feed_lag_seconds",
    "From an event's own time until it is sent to live followers",
    buckets=(0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15),
)

T = TypeVar("T")
Application = Callable[[Scope, Receive, Send], Awaitable[None]]

SHARED_VERSIONS = 50
"""A stream that is further behind a live event reads for itself, so that it does not make the shared read larger."""

THREADS = 2
"""Threads that read for the streams of a process. More would only make requests wait for the interpreter's lock."""

HEARTBEAT_CHUNK = chunk_of(wire.HEARTBEAT_FRAME)

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
        self._fan: _Fan | None = None
        self._waiting = waiting.Waiters(hub, self._in_thread)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        parse = _parser(scope) if scope["type"] == "http" else None
        if parse is not None or waiting.is_for(scope):
            structlog.contextvars.bind_contextvars(request_id=str(uuid4()), request=f"GET {scope['path']}")
            try:
                await self._in_thread(stream_reads.count_request, scope)
                if parse is not None:
                    await self._serve(parse, scope, receive, send)
                else:
                    _query(scope, set())
                    await self._waiting.serve(scope, receive, send)
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
        stream = _Stream(parse(), send, scope)
        # Followed before the first read, so that no event is missed between the two.
        with self._followed(stream) as fan:
            stream.have_opened(await self._in_thread(stream_reads.open_stream, scope, stream.request.cursors))
            fan.check_soon(stream.games, but=stream)
            try:
                await self._answer(stream, fan, receive)
            finally:
                self._closed(stream, fan)

    def _closed(self, stream: _Stream, fan: _Fan) -> None:
        """Record that a stream has ended, and let the other players of its games hear of it soon."""
        loop, left = asyncio.get_running_loop(), fan.only_here(stream)

        def tell(_: object) -> None:
            with suppress(RuntimeError):  # the loop has ended, and with it the streams
                loop.call_soon_threadsafe(fan.check_soon, left)

        closed = self._threads.submit(stream_reads.close_stream, stream.place, stream.credential.player, left)
        closed.add_done_callback(tell)

    @contextmanager
    def _followed(self, stream: _Stream) -> Iterator[_Fan]:
        if self._fan is None:
            self._fan = _Fan(self.hub, self._in_thread)
        fan = self._fan
        fan.add(stream)
        try:
            yield fan
        finally:
            fan.discard(stream)
            if not fan.streams:
                fan.close()
                self._fan = None

    async def _answer(self, stream: _Stream, fan: _Fan, receive: Receive) -> None:
        watch = asyncio.create_task(wire.until_gone(receive, stream.close))
        began = time.monotonic()
        OPEN.inc()
        try:
            await self._follow(stream, fan)
        except TimeoutError:
            log.info("stream_dropped", user_id=stream.player)
        finally:
            OPEN.dec()
            watch.cancel()
            log.info("stream_closed", user_id=stream.player, seconds=round(time.monotonic() - began, 1))

    async def _follow(self, stream: _Stream, fan: _Fan) -> None:
        await stream.begin()
        while True:
            await stream.send_pending()
            # Hints that arrived while the stream was sending: it now takes part in a shared read again.
            for source, version in stream.take_missed():
                fan.look(source.id, version)
            await stream.wait()
            if stream.closed:
                break
            if stream.problem is None and stream.must_read():
                try:
                    stream.have_read(await self._in_thread(stream_reads.read, stream.scope, stream.rest()))
                except Unavailable:
                    await asyncio.sleep(wire.AGAIN_AFTER)
                except Problem as problem:
                    stream.problem = problem
            if stream.problem is not None:
                await stream.tell_closed(stream.problem)
                break
        await stream.end()

    async def _in_thread(self, function: Callable[..., T], *arguments: Any) -> T:
        run = copy_context().run  # so that log lines of a thread have the stream's ids
        return await asyncio.get_running_loop().run_in_executor(self._threads, run, function, *arguments)


InThread = Callable[..., Awaitable[Any]]


class _Fan:
    """The open streams of a process: shared reads of live events, and heartbeats. It ends with the last stream.

    A stream takes part in a shared read only while it waits. One that is still sending gets no bytes; it is marked and
    reads later what it has missed. So a slow client holds no events in memory but those that it is being sent.
    """

    def __init__(self, hub: feed.Hub, in_thread: InThread) -> None:
        self.streams: set[_Stream] = set()
        self._in_thread = in_thread
        self._by_source: dict[UUID, set[_Stream]] = {}
        self._reading: set[UUID] = set()
        self._again: dict[UUID, int] = {}
        self._exit = ExitStack()
        self._subscription = self._exit.enter_context(hub.subscribe([]))
        self._tasks = {
            asyncio.create_task(self._listen()),
            asyncio.create_task(wire.heartbeats(self.streams, self._check)),
        }

    def add(self, stream: _Stream) -> None:
        self.streams.add(stream)
        for id in stream.sources:
            self._by_source.setdefault(id, set()).add(stream)
        self._subscription.follow(stream.sources)
        if self._subscription.closed:
            stream.close()

    def discard(self, stream: _Stream) -> None:
        self._subscription.leave(stream.sources)
        self.streams.discard(stream)
        for id in stream.sources:
            self._by_source[id].discard(stream)
            if not self._by_source[id]:
                del self._by_source[id]

    def close(self) -> None:
        self._exit.close()
        for task in self._tasks:
            task.cancel()

    def look(self, id: UUID, version: int) -> None:
        """Send the events of a source up to `version` to its streams, once for all of them."""
        if id in self._reading:
            self._again[id] = max(version, self._again.get(id, 0))
            return
        self._reading.add(id)
        task = asyncio.create_task(self._send(id, version))
        self._tasks.add(task)  # the event loop holds only weak references
        task.add_done_callback(self._tasks.discard)

    def only_here(self, stream: _Stream) -> set[UUID]:
        """Return the games of a stream's player that no other stream of theirs in this process follows.

        No game when the process stops: the streams are opened again elsewhere.
        """
        if self._subscription.closed:
            return set()
        return {
            game
            for game in stream.games
            if all(each is stream or each.player != stream.player for each in self._by_source[game])
        }

    def check_soon(self, games: Iterable[UUID], but: _Stream | None = None) -> None:
        """Let the players of these games hear soon who has come or left."""
        for game in games:
            for each in self._by_source.get(game, ()):
                if each is not but and game in each.games:
                    each.beats_at = -math.inf

    async def _listen(self) -> None:
        while not self._subscription.closed:
            for id, version in (await self._subscription.moved()).items():
                self.look(id, version)
        for stream in self.streams:
            stream.close()

    async def _send(self, id: UUID, version: int) -> None:
        try:
            await self._fan_out(
                id, [each for each in self._by_source.get(id, ()) if each.is_due(id, version)]
            )
        except Unavailable:
            await asyncio.sleep(wire.AGAIN_AFTER)
            self._again[id] = max(version, self._again.get(id, 0))
        finally:
            self._reading.discard(id)
            if id in self._again:
                self.look(id, self._again.pop(id))

    async def _fan_out(self, id: UUID, streams: list[_Stream]) -> None:
        """Raises Unavailable: the streams stay open, and nothing was sent."""
        if not streams:
            return
        watchers = [stream.watcher(id) for stream in streams]
        try:
            found = await self._in_thread(stream_reads.fan_out, streams[0].sources[id].kind, watchers)
        except Unavailable:
            raise
        except Problem as problem:
            for stream in streams:
                stream.refuse(problem)
            return
        for stream, watcher, audience in zip(streams, watchers, found.audiences, strict=True):
            if audience is REFUSED:
                stream.read_again()
            else:
                stream.share(id, watcher.after, found.events[audience])
        if found.at is not None:
            LAG.observe(max(0.0, (datetime.now(UTC) - found.at).total_seconds()))

    async def _check(self, streams: list[_Stream]) -> None:
        try:
            problems, statuses, present = await self._in_thread(
                stream_reads.beat, [each.follower() for each in streams]
            )
        except Unavailable:  # the streams stay open; every read checks their permissions too
            for stream in streams:
                stream.beat()
            return
        except Problem as problem:
            for stream in streams:
                stream.refuse(problem)
            return
        behind: dict[UUID, int] = {}
        for stream, refused in zip(streams, problems, strict=True):
            if isinstance(refused, Unavailable):
                stream.beat()
                continue
            if refused is not None:
                stream.refuse(refused)
                continue
            known = stream.games.keys()
            stream.beat(stream_reads.suspended(stream.request.cursors, statuses), present)
            self.check_soon(stream.games.keys() - known, but=stream)
            for source, at in stream.request.cursors.items():
                if source.id in statuses and statuses[source.id].version > at:
                    behind[source.id] = statuses[source.id].version
        for id, version in behind.items():  # a hint was lost
            self.look(id, version)


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
                f"{name[:40]}: not a parameter of this address; it knows {', '.join(sorted(known)) or 'none'}."
            )
    return query


# --- writing -----------------------------------------------------------------------------------------------


class _Stream:
    """One response of type text/event-stream. Raises TimeoutError when the client leaves it unread.

    While the stream waits, the fan sends shared bytes at once if the client reads as fast. Everything else is sent by
    the stream's own task. Meanwhile the fan only marks what the stream has missed.
    """

    def __init__(self, request: StreamRequest, send: Send, scope: Scope) -> None:
        self.request, self._send, self.scope = request, send, scope
        self._connection = scope.get("extensions", {}).get(EXTENSION)
        """None: another server than ours, through which only the stream's own task can send."""
        self.sources = {source.id: source for source in request.cursors}
        self.beats_at = math.inf
        self.closed = False
        self.problem: Problem | None = None
        """Why the stream ends."""
        self._is_waiting = False
        self.player = ""
        self.games: dict[UUID, Mapping[UUID, datetime | None]] = {}
        """The games that the viewer plays in, with the presence that the stream has sent."""
        self._suspended: set[UUID] = set()
        self._pending: list[bytes] = []
        self._missed: dict[Source, int] = {}
        self._behind: set[Source] = set()
        """Sources that the stream reads page by page for itself."""
        self._resume = 0.0
        self._reads_again = False
        self._wake: asyncio.Future[None] | None = None

    def have_opened(self, opened: Opened) -> None:
        self.place, self.credential = opened.place, opened.credential
        self.player = str(opened.credential.player)
        self.games = self._own(opened.present)
        self._readers = {source: source.reader(opened.credential) for source in self.request.cursors}
        self.beats_at = wire.next_beat()
        self.have_read(opened.page)
        self._pending += self._suspensions(opened.suspended)

    # --- what the fan does ---

    def is_due(self, id: UUID, version: int) -> bool:
        """Return whether the stream takes part in a shared read of the source up to `version`."""
        source = self.sources[id]
        at = self.request.cursors[source]
        if version <= at or source in self._behind:
            return False
        if not self._is_waiting:
            self._missed[source] = version
            return False
        if version - at > SHARED_VERSIONS:
            self._behind.add(source)
            self._resume = time.monotonic()
            self._wake_up()
            return False
        return True

    def watcher(self, id: UUID) -> Watcher:
        source = self.sources[id]
        return Watcher(self.credential, self._readers[source], self.request.cursors[source])

    def follower(self) -> Follower:
        return Follower(self.place, self.credential, self.scope, self._readers)

    def share(self, id: UUID, after: int, events: list[SharedEvent]) -> None:
        """Send events that were read and encoded for the stream's audience when it had those up to `after`."""
        if not events:
            return
        source = self.sources[id]
        if not self._is_waiting or self.request.cursors[source] != after:
            self._missed[source] = events[-1].version
            return
        for event in events:
            if event.version > after:
                self.request.cursors[source] = event.version
                if self.request.many:
                    self._send_soon(self._frame(source, event.json))
                else:
                    self._send_soon(event.frame, event.chunk)

    def _send_soon(self, frame: bytes, chunk: bytes = b"") -> None:
        """Send a frame at once, or leave it to the stream's own task if the client must read first."""
        if self._pending or self._connection is None or not self._connection.push(chunk or chunk_of(frame)):
            self._pending.append(frame)
            self._wake_up()

    def read_again(self) -> None:
        """Make the stream read for itself, because a shared read has refused it. Its own read says why."""
        self._reads_again = True
        self._wake_up()

    def refuse(self, problem: Problem) -> None:
        self.problem = problem
        self._wake_up()

    def beat(self, suspended: set[UUID] | None = None, present: Present | None = None) -> None:
        """Send a heartbeat, unless the client still has to read the last one, with which games are suspended and who
        is here, if that is known.
        """
        if self._is_waiting:
            self._send_soon(wire.HEARTBEAT_FRAME, HEARTBEAT_CHUNK)
            suspensions = () if suspended is None else self._suspensions(suspended)
            for frame in (*suspensions, *self._presences(present or {})):
                self._send_soon(frame)

    def _own(self, present: Present) -> dict[UUID, Mapping[UUID, datetime | None]]:
        """Return who is here in the games that the viewer plays in. Nobody else hears of it."""
        player = self.credential.player
        return {id: present[id] for id in self.sources if player in present.get(id, ())}

    def close(self) -> None:
        self.closed = True
        self._wake_up()

    def _wake_up(self) -> None:
        if self._wake is not None and not self._wake.done():
            self._wake.set_result(None)

    # --- what its own task does ---

    def take_missed(self) -> list[tuple[Source, int]]:
        missed, self._missed = self._missed, {}
        return [(source, version) for source, version in missed.items() if source not in self._behind]

    async def wait(self) -> None:
        """Return when there is something to do."""
        if self.closed or self.problem or self._reads_again:
            return
        self._wake, self._is_waiting = asyncio.get_running_loop().create_future(), True
        try:
            if not self._behind:
                await self._wake
            elif (left := self._resume - time.monotonic()) > 0:
                with suppress(TimeoutError):
                    async with asyncio.timeout(left):
                        await self._wake
        finally:
            self._is_waiting, self._wake = False, None

    def must_read(self) -> bool:
        return self._reads_again or (bool(self._behind) and time.monotonic() >= self._resume)

    def rest(self) -> Cursors:
        """The cursors of the sources that the stream reads for itself."""
        sources = self.sources.values() if self._reads_again else self._behind
        return {source: self.request.cursors[source] for source in sources}

    def have_read(self, page: Page) -> None:
        self._reads_again = False
        self._behind -= page.found.keys()
        self._behind |= page.rest
        self._resume = time.monotonic() + page.wait
        self._pending += self._frames(page.found)

    async def send_pending(self) -> None:
        pending, self._pending = self._pending, []
        for frame in pending:
            await wire.body(self._send, frame)

    async def begin(self) -> None:
        await wire.begin(self._send)

    async def tell_closed(self, problem: Problem) -> None:
        await wire.body(self._send, wire.closed_frame(problem))

    async def end(self) -> None:
        await wire.body(self._send, b"", more=False)

    # --- frames ---

    def _frames(self, found: Found) -> Iterator[bytes]:
        for source, events in found.items():
            for event in events:
                if event["version"] > self.request.cursors[source]:
                    self.request.cursors[source] = event["version"]
                    yield self._frame(source, encoded(event))

    def _frame(self, source: Source, event: bytes) -> bytes:
        if not self.request.many:
            return b"id: %d\ndata: %b\n\n" % (self.request.cursors[source], event)
        cursors = ",".join(f"{known.kind}:{known.id}={at}" for known, at in self.request.cursors.items())
        named = f'{{"{source.kind}":"{source.id}","event":'
        return b"id: %b\ndata: %b%b}\n\n" % (cursors.encode(), named.encode(), event)

    def _suspensions(self, suspended: set[UUID]) -> Iterator[bytes]:
        """Frames for the games that were suspended or resumed. They are not events of a game, so they have no id."""
        changed = sorted(suspended ^ self._suspended)
        self._suspended = suspended
        for id in changed:
            data = json.dumps({"game": str(id), "suspended": id in suspended}, separators=(",", ":"))
            yield f"event: suspension\ndata: {data}\n\n".encode()

    def _presences(self, present: Present) -> Iterator[bytes]:
        """Frames for the games of which a player has come or left."""
        before, self.games = self.games, self.games | self._own(present)
        for id, players in self.games.items():
            if players != before.get(id):
                yield f'event: presence\ndata: {{"game":"{id}"}}\n\n'.encode()
