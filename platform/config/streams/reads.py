"""Reads of event streams, in threads: authentication, visible events, and suspended games.

The selectors of games, tournaments, and disputes decide at every read who may see what. A stream that is behind reads
page by page for itself. Live events are read once for all streams of a source (`fan_out`).
"""

from __future__ import annotations

import json
import math
import secrets
import time
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from importlib import import_module
from io import BytesIO
from typing import Any, NamedTuple, Protocol
from uuid import UUID

import structlog
from django.conf import settings
from django.contrib.auth import get_user
from django.core.cache import cache
from django.core.handlers.asgi import ASGIRequest
from django.db import Error as DatabaseFault
from django.db import close_old_connections
from django.utils import timezone
from rest_framework.views import APIView

from accounts.authentication import Credential, ended
from accounts.models import Player, Token
from config.server.bridge import Scope
from config.server.connections import chunk_of
from core.addresses import caller_at
from core.errors import (
    Conflict,
    NotAuthenticated,
    Problem,
    ServerError,
    TooManyRequests,
    Unavailable,
    first_line,
)
from disputes import selectors as disputes
from eventstore import feed
from eventstore.store import PAGE
from games import selectors as games
from rest.budgets import Budget
from rest.problems import as_problem
from rest.scopes import Scope as TokenScope
from rest.throttles import RequestThrottle, StreamThrottle, WindowThrottle
from tournaments import selectors as tournaments

log = structlog.get_logger(__name__)


class CursorAhead(Conflict):
    code = "cursor-ahead"
    title = "The log is shorter than the version seen; a backup was restored. Load everything again"


class TooManyStreams(TooManyRequests):
    code = "too-many-streams"
    title = "This player has as many event streams open as allowed"


@dataclass(frozen=True, slots=True)
class Source:
    kind: str  # "game", "tournament" or "dispute"
    id: UUID
    invite: str = ""

    def events(self, viewer: Any, after: int, limit: int = PAGE) -> Sequence[Mapping[str, Any]]:
        """The viewer's view of the next events after `after`. Raises NotFound if the game is not visible."""
        if self.invite:
            return games.events_for(viewer, self.id, after, limit=limit, invite=self.invite)
        return KINDS[self.kind].events_for(viewer, self.id, after, limit=limit)

    def reader(self, credential: Credential) -> feed.Reader:
        return feed.Reader(credential.player, self.id, self.invite, credential.acting_as)


class Kind(Protocol):
    """What a package offers for the event streams of its kind."""

    def events_for(
        self, viewer: Any, id: UUID, /, after: int = 0, *, limit: int = PAGE
    ) -> Sequence[Mapping[str, Any]]: ...

    def followable(self, readers: Collection[feed.Reader]) -> Collection[feed.Reader]: ...

    def shared_events(
        self, id: UUID, /, readers: Collection[feed.Reader], after: int, *, limit: int = PAGE
    ) -> feed.Shared: ...


KINDS: Mapping[str, Kind] = {"game": games, "tournament": tournaments, "dispute": disputes}


class Refused(Enum):
    REFUSED = "refused"


REFUSED = Refused.REFUSED
"""Marks a stream that may not follow. None is the audience of spectators."""

Cursors = dict[Source, int]
Found = dict[Source, Sequence[Mapping[str, Any]]]
Statuses = Mapping[UUID, feed.StreamStatus]


class Page(NamedTuple):
    """One page of a stream's events."""

    found: Found
    rest: set[Source]
    """Sources that may have more events."""
    wait: int
    """Seconds until the viewer may read old events again, because the budget is used up."""


NOTHING = Page({}, set(), 0)


Present = Mapping[UUID, Mapping[UUID, datetime | None]]
"""The players of games, with the time since which they are away; None: they are here."""


class Opened(NamedTuple):
    """The first page of a stream."""

    credential: Credential
    place: StreamPlace
    page: Page
    suspended: set[UUID]
    present: Present


class Follower(NamedTuple):
    """An open stream whose permissions are checked again."""

    place: StreamPlace
    credential: Credential
    scope: Scope
    readers: Mapping[Source, feed.Reader]


class Watcher(NamedTuple):
    """A stream that is sent the next events of one source."""

    credential: Credential
    reader: feed.Reader
    after: int


class SharedEvent(NamedTuple):
    """An event as one audience sees it, encoded once for all of its streams."""

    version: int
    json: bytes
    frame: bytes
    """As a stream of one source sends it."""
    chunk: bytes
    """The frame as a chunk of its response."""


class Fanned(NamedTuple):
    """The next events of one source for several streams."""

    audiences: list[Hashable | Refused]
    """The audience of each stream, or REFUSED if the stream may no longer follow."""
    events: dict[Hashable, list[SharedEvent]]
    at: datetime | None
    """The time of the last event."""


def count_request(scope: Scope) -> None:
    """Raises TooManyRequests, Unavailable."""
    with problems():
        _count(RequestThrottle(), _address(scope))


def open_stream(scope: Scope, cursors: Cursors) -> Opened:
    """Open a stream and read its first page. Raises a Problem.

    The stream is counted and has its place before the first event is read.
    """
    with problems(), admitted(scope) as (viewer, credential, place):
        _budget(scope, str(viewer.pk)).require()
        page = _page(viewer, scope, cursors)
        statuses = feed.statuses(source.id for source in cursors)
        readers = [source.reader(credential) for source in cursors if source.kind == "game"]
        present = _observe(readers, statuses)
        # Only after the player's permission is checked.
        _refuse_what_lies_ahead(cursors, statuses)
        return Opened(credential, place, page, suspended(cursors, statuses), present)


def close_stream(place: StreamPlace, player: UUID, games_left: Collection[UUID]) -> None:
    """Release the place of a stream, and record which of the player's games they do not follow any more."""
    place.release()
    if games_left:
        with suppress(Problem), problems():
            games.record_absence(player, games_left, now=timezone.now())


@contextmanager
def admitted(scope: Scope) -> Iterator[tuple[Player, Credential, StreamPlace]]:
    """Authenticate the viewer of a new stream, count it, and take its place, which a fault releases.

    Raises NotAuthenticated, TooManyRequests, TooManyStreams, and what the scopes of a token raise.
    """
    viewer, credential = authenticated(scope)
    _count(StreamThrottle(), str(viewer.pk))
    place = take_stream_place(str(viewer.pk))
    try:
        yield viewer, credential, place
    except BaseException:
        place.release()
        raise


def read(scope: Scope, cursors: Cursors) -> Page:
    """Authenticate the viewer again and read the next page. Raises a Problem."""
    with problems():
        return _page(authenticated(scope)[0], scope, cursors)


class Beat(NamedTuple):
    problems: list[Problem | None]
    """Why each stream must be closed; None: it stays open."""
    statuses: Statuses
    present: Present


def beat(followers: Sequence[Follower]) -> Beat:
    """Check the permissions of several streams together, and read the heads of their sources and who is here.

    Raises a Problem.

    The number of statements and of round trips to the cache does not depend on the number of streams.
    """
    with problems():
        renew_stream_places([follower.place for follower in followers])
        gone = ended([follower.credential for follower in followers])
        readers: dict[str, list[feed.Reader]] = {}
        for each in followers:
            for source, reader in each.readers.items():
                readers.setdefault(source.kind, []).append(reader)
        visible = {reader for kind, asking in readers.items() for reader in KINDS[kind].followable(asking)}
        statuses = feed.statuses(reader.stream for asking in readers.values() for reader in asking)
        present = _observe([reader for reader in readers.get("game", ()) if reader in visible], statuses)
        return Beat([_checked(follower, gone, visible) for follower in followers], statuses, present)


def _observe(readers: Sequence[feed.Reader], statuses: Statuses) -> Present:
    """Record who watches the games that they play, and return who else is here. A fault closes no stream."""
    if not readers:
        return {}
    versions = {stream: status.version for stream, status in statuses.items()}
    try:
        return games.record_presence(readers, versions, now=timezone.now())
    except DatabaseFault as error:
        log.warning("watchers_not_recorded", error=first_line(error))
        return {}


def _checked(
    follower: Follower, gone: Collection[Credential], visible: Collection[feed.Reader]
) -> Problem | None:
    """Return why the stream must be closed, as a separate read would refuse it."""
    if follower.credential not in gone and all(reader in visible for reader in follower.readers.values()):
        return None
    return refusal(follower.scope, follower.readers)


def refusal(scope: Scope, sources: Iterable[Source] = ()) -> Problem | None:
    """Return why the caller of a stream is no longer authenticated, or may no longer read a source."""
    try:
        viewer = authenticated(scope)[0]
        for source in sources:
            source.events(viewer, 0, 0)
    except Exception as error:
        return problem_of(error)
    return None


def fan_out(kind: str, watchers: Sequence[Watcher]) -> Fanned:
    """Read the next events of one source once for all of its streams. Raises a Problem.

    Authorization, redaction, and encoding are done here for every event that is sent. The number of statements does not
    depend on the number of streams, and an event is encoded once for each audience.
    """
    with problems():
        readers = [watcher.reader for watcher in watchers]
        after = min(watcher.after for watcher in watchers)
        found = KINDS[kind].shared_events(readers[0].stream, readers, after)
        gone = ended([watcher.credential for watcher in watchers])  # after the events; see `shared_events`
        audiences = [
            REFUSED if watcher.credential in gone else found.audiences.get(watcher.reader, REFUSED)
            for watcher in watchers
        ]
        last = next((events[-1]["at"] for events in found.events.values() if events), None)
        return Fanned(
            audiences,
            {audience: [_encoded(event) for event in events] for audience, events in found.events.items()},
            None if last is None else datetime.fromisoformat(last),
        )


def _encoded(event: Mapping[str, Any]) -> SharedEvent:
    data = encoded(event)
    frame = b"id: %d\ndata: %b\n\n" % (event["version"], data)
    return SharedEvent(event["version"], data, frame, chunk_of(frame))


def encoded(event: Mapping[str, Any]) -> bytes:
    return json.dumps(event, ensure_ascii=False, separators=(",", ":")).encode()


def _page(viewer: Player, scope: Scope, cursors: Cursors) -> Page:
    """The next page."""
    began, room = time.thread_time(), PAGE
    found, rest = Found(), set[Source]()
    for source, after in cursors.items():
        if room:
            found[source] = events = source.events(viewer, after, room)
            room -= len(events)
        if not room:
            rest.add(source)
    if not rest:
        return Page(found, rest, 0)
    # Live events are never charged: they are few, and were caused by others.
    budget = _budget(scope, str(viewer.pk))
    budget.charge(time.thread_time() - began)
    return Page(found, rest, budget.wait())


def suspended(sources: Iterable[Source], statuses: Statuses) -> set[UUID]:
    return {source.id for source in sources if source.id in statuses and statuses[source.id].suspended}


def _refuse_what_lies_ahead(cursors: Cursors, statuses: Statuses) -> None:
    for source, after in cursors.items():
        if after > _version(source, statuses):
            raise CursorAhead(f"{source.kind} {source.id} has no event {after}.")


def _version(source: Source, statuses: Statuses) -> int:
    return statuses[source.id].version if source.id in statuses else 0


@contextmanager
def problems() -> Iterator[None]:
    """Wrap a read in a thread: every fault is raised as a Problem, and closed connections are discarded."""
    close_old_connections()
    try:
        yield
    except Exception as error:
        raise problem_of(error) from error
    finally:
        close_old_connections()


def problem_of(error: Exception) -> Problem:
    if isinstance(error, DatabaseFault):
        return Unavailable(retry_after=1)
    if problem := as_problem(error):
        return problem
    log.error("stream_failed", exc_info=error)
    return ServerError()


# --- how many streams a caller may have open -------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class StreamPlace:
    """One place of a player for an open stream: a lease that the stream renews.

    The places of a process that dies become free when their leases expire.
    """

    key: str
    holder: str

    def release(self) -> None:
        if cache.get(self.key) == self.holder:
            cache.delete(self.key)


def take_stream_place(who: str) -> StreamPlace:
    """Acquire a place for one more open stream of `who` (a player's id, or an address). Raises TooManyStreams.

    Renew it more often than every STREAM_LEASE_SECONDS.
    """
    holder = secrets.token_hex(8)
    most: int = settings.STREAMS_PER_PLAYER
    for number in range(most):
        key = f"stream:{who}:{number}"
        if cache.add(key, holder, timeout=settings.STREAM_LEASE_SECONDS):
            return StreamPlace(key, holder)
    raise TooManyStreams(f"At most {most} at once.", most=most)


def renew_stream_places(places: Iterable[StreamPlace]) -> None:
    cache.set_many({place.key: place.holder for place in places}, timeout=settings.STREAM_LEASE_SECONDS)


# --- the caller -------------------------------------------------------------------------------------------


def authenticated(scope: Scope) -> tuple[Player, Credential]:
    """Authenticate as the API does: a bearer token, or the session of the web client."""
    request = ASGIRequest(dict(scope), BytesIO())
    engine = import_module(settings.SESSION_ENGINE)
    request.session = engine.SessionStore(request.COOKIES.get(settings.SESSION_COOKIE_NAME))
    request.user = get_user(request)
    request.scopes = (TokenScope.READ,)  # type: ignore[attr-defined]
    authenticated = APIView().initialize_request(request)
    viewer, token = authenticated.user, authenticated.auth
    if not isinstance(viewer, Player):
        raise NotAuthenticated
    if isinstance(token, Token):
        return viewer, Credential(viewer.pk, digest=token.digest, acting_as=viewer.acting_as)
    return viewer, Credential(viewer.pk, session=request.session.session_key or "")


def _budget(scope: Scope, player: str) -> Budget:
    return Budget("history", account=player, address=_address(scope))


def _count(throttle: WindowThrottle, who: str) -> None:
    """Count a connection. Raises TooManyRequests above the rate."""
    if not throttle.take(who):
        raise TooManyRequests(retry_after=max(1, math.ceil(throttle.wait())))


def _address(scope: Scope) -> str:
    client = scope.get("client")
    return caller_at(str(client[0])) if client else "unknown"


def header(scope: Scope, name: bytes) -> str:
    return next((value.decode("latin-1") for key, value in scope["headers"] if key == name), "")
