"""Server-sent events, as a plain ASGI application that stands before Django.

Inside Django each open stream would pin a thread. Here a stream costs a coroutine; only reading what its
player may see, and asking whether the player still may, takes a thread for a moment. What a viewer may see
is decided by the selectors of the games, tournaments and disputes, at every read. A read is of one page, and a
stream has been counted and has its place before the first.

    GET /api/v1/games/{id}/events/          Accept: text/event-stream; id = version; ?invite= for a private game
    GET /api/v1/tournaments/{id}/events/    likewise
    GET /api/v1/disputes/{id}/events/       likewise
    GET /api/v1/feed/?game={id}[@{after}]&tournament={id}[@{after}]&dispute={id}[@{after}]
                                            many in one; id = the set of cursors
"""

from __future__ import annotations

import asyncio
import json
import math
import random
import re
import time
from collections.abc import Awaitable, Callable, Iterator, MutableMapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from contextvars import copy_context
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib import import_module
from io import BytesIO
from typing import Any, NamedTuple, TypeVar
from urllib.parse import parse_qsl
from uuid import UUID, uuid4

import structlog
from django.conf import settings
from django.contrib.auth import get_user
from django.core.handlers.asgi import ASGIRequest
from django.db import Error as DatabaseFault
from django.db import close_old_connections
from rest_framework.views import APIView

from api.addresses import caller_at
from api.budgets import Budget
from api.errors import (
    CONTENT_TYPE,
    REFUSALS,
    Conflict,
    InvalidInput,
    MethodNotAllowed,
    NotAuthenticated,
    Problem,
    ServerError,
    TooManyRequests,
    as_problem,
    headers,
)
from api.limits import StreamPlace, take_stream_place
from api.metrics import Gauge, Histogram
from api.throttles import RequestThrottle, StreamThrottle, WindowThrottle
from api.transient import Unavailable
from eventstore import feed
from eventstore.store import PAGE

log = structlog.get_logger(__name__)
OPEN = Gauge("racecard_streams", "Event streams that are open", multiprocess_mode="livesum")
LAG = Histogram(
    "racecard_feed_lag_seconds",
    "From an event's own time until it is sent to who follows live",
    buckets=(0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15),
)

T = TypeVar("T")
Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]

HEARTBEAT = 14.0
"""Seconds between looks whether the player may still watch, at most: a revoked token closes it within 15 s."""

PATIENCE = 20.0
"""Seconds that a client may leave what was sent to it unread; then it is dropped, and resumes when it can."""

THREADS = 2
"""Threads that read for the streams of a process; more would only make requests wait for the interpreter's lock."""

SUBSCRIPTIONS_PER_STREAM = 100
LARGEST_CURSOR = 2**53 - 1

_ONE = re.compile(r"/api/v1/(game|tournament|dispute)s/([0-9a-f-]{36})/events/")
_FEED = "/api/v1/feed/"
_SUBSCRIPTION = re.compile(r"([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?:@(\d{1,16}))?")
_CURSOR = re.compile(r"(game|tournament|dispute):([0-9a-f-]{36})=(\d{1,16})")


class CursorAhead(Conflict):
    code = "cursor-ahead"
    title = "The log is shorter than what was seen of it; a backup was restored. Load everything anew"


@dataclass(frozen=True, slots=True)
class Source:
    kind: str  # "game", "tournament" or "dispute"
    id: UUID
    invite: str = ""

    def events(self, viewer: Any, after: int, limit: int = PAGE) -> list[dict[str, Any]]:
        """What the viewer may see of the next events behind `after`. Raises NotFound if not even the game."""
        selectors: Any = import_module(f"{self.kind}s.selectors")
        private = {"invite": self.invite} if self.invite else {}
        found: list[dict[str, Any]] = selectors.events_for(viewer, self.id, after, limit=limit, **private)
        return found


Cursors = dict[Source, int]
Found = dict[Source, list[dict[str, Any]]]


class Page(NamedTuple):
    """What one look has found."""

    found: Found
    rest: set[Source]
    """Sources that may have more than was read."""
    wait: int
    """Seconds until the viewer may read old events again: so much has been read that the budget is used up."""


class Opened(NamedTuple):
    """What a stream begins with."""

    player: str
    place: StreamPlace
    page: Page
    suspended: set[UUID]


class Streams:
    """The ASGI application; what is not an event stream goes on to `otherwise`."""

    def __init__(self, otherwise: Application, hub: feed.Hub) -> None:
        self._otherwise, self.hub = otherwise, hub
        self._threads = ThreadPoolExecutor(max_workers=THREADS, thread_name_prefix="streams")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and (asked := _asked(scope)):
            try:
                await self._serve(asked, scope, receive, send)
            except Problem as problem:
                await refuse(problem, send)
        else:
            await self._otherwise(scope, receive, send)

    def close(self) -> None:
        self.hub.close_subscriptions()
        self.hub.stop()
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def _serve(self, asked: Callable[[], Asked], scope: Scope, receive: Receive, send: Send) -> None:
        structlog.contextvars.bind_contextvars(request_id=str(uuid4()), request=f"GET {scope['path']}")
        await self._in_thread(_count_request, scope)
        wanted = asked()
        cursors = wanted.cursors
        # Subscribed before the first read, so that nothing falls between the two.
        with self.hub.subscribe(source.id for source in cursors) as subscription:
            opened = await self._in_thread(_open, scope, cursors)
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
        cursors, beat = stream.asked.cursors, _next_beat()
        page, suspended = opened.page, opened.suspended
        everything, behind, resume = True, page.rest, time.monotonic() + page.wait
        while not subscription.closed:
            await stream.write(page.found)
            if everything:
                await stream.tell_suspended(suspended)
            # While it catches up a stream waits for nothing but its budget.
            until = min(beat, resume) if behind else beat
            moved = await subscription.moved(timeout=max(0.0, until - time.monotonic()))
            if subscription.closed:
                break
            now = time.monotonic()
            if everything := now >= beat:
                beat = _next_beat()
                await stream.heartbeat()
            look = {
                source: at
                for source, at in cursors.items()
                if (now >= resume if source in behind else everything or source.id in moved)
            }
            try:
                if everything:
                    page, suspended = await self._in_thread(_beat, opened.place, scope, look)
                else:
                    page = await self._in_thread(_read, scope, look)
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
        told = copy_context().run  # so that what a thread logs bears the stream's ids
        return await asyncio.get_running_loop().run_in_executor(self._threads, told, function, *arguments)


def _next_beat() -> float:
    """Streams that were opened together, after a restart for instance, spread over the interval."""
    return time.monotonic() + HEARTBEAT * random.uniform(0.8, 1.0)  # noqa: S311


# --- what is asked for -----------------------------------------------------------------------------------


@dataclass(slots=True)
class Asked:
    """What one stream follows, and to which version it is read; `many` tells the two wire formats apart."""

    cursors: Cursors
    many: bool


def _asked(scope: Scope) -> Callable[[], Asked] | None:
    """How to parse the request, if it is one for an event stream."""
    path, method = scope["path"], scope["method"]
    if path == _FEED:
        return lambda: _many(scope, method)
    one = _ONE.fullmatch(path)
    if one and method == "GET" and "text/event-stream" in _header(scope, b"accept"):
        return lambda: _one(scope, one[1], one[2])
    return None


def _one(scope: Scope, kind: str, id: str) -> Asked:
    given = _query(scope, {"after", "invite"} if kind == "game" else {"after"})
    query = dict(given)
    if len(query) != len(given):
        raise InvalidInput("Each parameter once, please.")
    after = _header(scope, b"last-event-id") or query.get("after", "0")
    if not re.fullmatch(r"\d{1,16}", after, re.ASCII):
        raise InvalidInput("Last-Event-ID and after are versions: whole numbers from 0.")
    try:
        return Asked({Source(kind, UUID(id), query.get("invite", "")): _bounded(after)}, many=False)
    except ValueError:
        raise InvalidInput("The address holds no id.") from None


def _many(scope: Scope, method: str) -> Asked:
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
            "Name what to follow: ?game={id}&tournament={id}&dispute={id}, each as often as wanted."
        )
    if len(cursors) > SUBSCRIPTIONS_PER_STREAM:
        raise InvalidInput(
            f"One feed follows at most {SUBSCRIPTIONS_PER_STREAM} games, tournaments and disputes."
        )
    if seen := _header(scope, b"last-event-id"):
        cursors |= {source: at for source, at in _parse_cursors(seen).items() if source in cursors}
    return Asked(cursors, many=True)


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


def _count(throttle: WindowThrottle, who: str) -> None:
    """Count a connect. Raises TooManyRequests if it is one too many."""
    if not throttle.take(who):
        raise TooManyRequests(retry_after=max(1, math.ceil(throttle.wait())))


def _address(scope: Scope) -> str:
    client = scope.get("client")
    return caller_at(str(client[0])) if client else "unknown"


def _header(scope: Scope, name: bytes) -> str:
    return next((value.decode("latin-1") for key, value in scope["headers"] if key == name), "")


# --- reading, in a thread ----------------------------------------------------------------------------------


def _count_request(scope: Scope) -> None:
    """Raises TooManyRequests, Unavailable."""
    with _problems():
        _count(RequestThrottle(), _address(scope))


def _open(scope: Scope, cursors: Cursors) -> Opened:
    """All that a stream needs, in one visit to a thread. Raises a Problem."""
    with _problems():
        viewer = _viewer(scope)
        player = str(viewer.pk)
        _count(StreamThrottle(), player)
        _budget(scope, player).require()
        place = take_stream_place(player)
        try:
            page = _page(viewer, scope, cursors)
            # Only after it was found that the player may see what is followed.
            _refuse_what_lies_ahead(cursors)
            return Opened(player, place, page, _suspended(cursors))
        except BaseException:
            place.release()
            raise


def _budget(scope: Scope, player: str) -> Budget:
    return Budget("history", account=player, address=_address(scope))


def _read(scope: Scope, cursors: Cursors) -> Page:
    """Who asks, proven again each time, and the next page of what they may see. Raises a Problem."""
    with _problems():
        return _page(_viewer(scope), scope, cursors)


def _page(viewer: Any, scope: Scope, cursors: Cursors) -> Page:
    began, room = time.thread_time(), PAGE
    found, rest = Found(), set[Source]()
    for source, after in cursors.items():
        events = source.events(viewer, after, room) if room else []
        if room:
            found[source] = events
        room -= len(events)
        if not room:
            rest.add(source)
    if not rest:
        return Page(found, rest, 0)
    # Live events are never charged: they are few, and others made them.
    budget = _budget(scope, str(viewer.pk))
    budget.charge(time.thread_time() - began)
    return Page(found, rest, budget.wait())


def _beat(place: StreamPlace, scope: Scope, cursors: Cursors) -> tuple[Page, set[UUID]]:
    """All that a heartbeat looks at, in one visit to a thread. Raises a Problem."""
    with _problems():
        place.renew()
        return _page(_viewer(scope), scope, cursors), _suspended(cursors)


@contextmanager
def _problems() -> Iterator[None]:
    """Around what is read in a thread: every fault is raised as a Problem, and connections that ended are closed."""
    close_old_connections()
    try:
        yield
    except DatabaseFault as error:
        raise Unavailable(retry_after=1) from error
    except Exception as error:
        if problem := as_problem(error):
            raise problem from error
        log.exception("stream_failed")
        raise ServerError from error
    finally:
        close_old_connections()


def _suspended(cursors: Cursors) -> set[UUID]:
    """Of the games that are followed, those that stand still. Their viewers have been found to see them."""
    return feed.suspended(frozenset(source.id for source in cursors))


def _refuse_what_lies_ahead(cursors: Cursors) -> None:
    heads = feed.versions(frozenset(source.id for source in cursors))
    for source, after in cursors.items():
        if after > heads.get(source.id, 0):
            raise CursorAhead(f"{source.kind} {source.id} has no event {after}.")


def _viewer(scope: Scope) -> Any:
    """By the API's own authenticators: a Bearer token, or the session of the web client."""
    request = ASGIRequest(dict(scope), BytesIO())
    engine = import_module(settings.SESSION_ENGINE)
    request.session = engine.SessionStore(request.COOKIES.get(settings.SESSION_COOKIE_NAME))
    request.user = get_user(request)
    viewer = APIView().initialize_request(request).user
    if not viewer.is_authenticated:
        raise NotAuthenticated
    return viewer


# --- writing -----------------------------------------------------------------------------------------------


def _measure(found: Found) -> None:
    """How old what just moved is, as it is sent. What was only opened to the viewer is old and not late."""
    now = datetime.now(UTC)
    for events in found.values():
        if events:
            LAG.observe(max(0.0, (now - datetime.fromisoformat(events[-1]["at"])).total_seconds()))


class _Stream:
    """One answer of type text/event-stream. Raises TimeoutError when the client leaves it unread."""

    def __init__(self, asked: Asked, send: Send) -> None:
        self.asked, self._send = asked, send
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
        """Send the events and move the cursors behind them."""
        for source, events in found.items():
            for event in events:
                if event["version"] > self.asked.cursors[source]:
                    self.asked.cursors[source] = event["version"]
                    await self._body(self._frame(source, event))

    async def tell_suspended(self, suspended: set[UUID]) -> None:
        """What stands still now, or goes on again; no event of any game, and so without an id."""
        changed = sorted(suspended ^ self._suspended)
        self._suspended = suspended
        for id in changed:
            data = json.dumps({"game": str(id), "suspended": id in suspended}, separators=(",", ":"))
            await self._body(f"event: suspension\ndata: {data}\n\n".encode())

    async def heartbeat(self) -> None:
        await self._body(b": heartbeat\n\n")

    async def closed(self, problem: Problem) -> None:
        document = json.dumps(problem.document(), ensure_ascii=False)
        await self._body(f"event: closed\ndata: {document}\n\n".encode())

    async def end(self) -> None:
        await self._body(b"", more=False)

    def _frame(self, source: Source, event: dict[str, Any]) -> bytes:
        if self.asked.many:
            cursor = ",".join(f"{known.kind}:{known.id}={at}" for known, at in self.asked.cursors.items())
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
    body = json.dumps(problem.document(), ensure_ascii=False).encode()
    lines = {"Content-Type": CONTENT_TYPE, "Cache-Control": "no-store", **headers(problem)}
    await send(
        {
            "type": "http.response.start",
            "status": problem.status,
            "headers": [(name.lower().encode(), value.encode()) for name, value in lines.items()],
        }
    )
    with suppress(OSError):
        await send({"type": "http.response.body", "body": body})
