"""Reads of event streams, in threads: authentication, visible events, and suspended games.

The selectors of games, tournaments, and disputes decide at every read what a viewer may see. A read is of one page.
"""

from __future__ import annotations

import math
import secrets
import time
from collections.abc import Iterable, Iterator, Mapping, MutableMapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from io import BytesIO
from typing import Any, NamedTuple
from uuid import UUID

import structlog
from django.conf import settings
from django.contrib.auth import get_user
from django.core.cache import cache
from django.core.handlers.asgi import ASGIRequest
from django.db import Error as DatabaseFault
from django.db import close_old_connections
from rest_framework.views import APIView

from accounts.authentication import bearer_token, players_by_token
from accounts.models import Player
from core.addresses import caller_at
from core.errors import Conflict, NotAuthenticated, Problem, ServerError, TooManyRequests, Unavailable
from disputes import selectors as disputes
from eventstore import feed
from eventstore.store import PAGE
from games import selectors as games
from rest.budgets import Budget
from rest.problems import as_problem
from rest.throttles import RequestThrottle, StreamThrottle, WindowThrottle
from tournaments import selectors as tournaments

log = structlog.get_logger(__name__)

Scope = MutableMapping[str, Any]


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
        if self.kind == "tournament":
            return tournaments.events_for(viewer, self.id, after, limit=limit)
        if self.kind == "dispute":
            return disputes.events_for(viewer, self.id, after, limit=limit)
        return games.events_for(viewer, self.id, after, limit=limit, invite=self.invite)


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


class Opened(NamedTuple):
    """The first page of a stream."""

    player: str
    place: StreamPlace
    page: Page
    suspended: set[UUID]


class Follower(NamedTuple):
    """A stream whose heartbeat is due, with its cursors."""

    place: StreamPlace
    scope: Scope
    cursors: Cursors


class Beat(NamedTuple):
    """The data of a stream's heartbeat."""

    page: Page
    suspended: set[UUID]


def count_request(scope: Scope) -> None:
    """Raises TooManyRequests, Unavailable."""
    with _problems():
        _count(RequestThrottle(), _address(scope))


def open_stream(scope: Scope, cursors: Cursors) -> Opened:
    """Open a stream and read its first page. Raises a Problem.

    The stream is counted and has its place before the first event is read.
    """
    with _problems():
        viewer = _viewer(scope)
        player = str(viewer.pk)
        _count(StreamThrottle(), player)
        _budget(scope, player).require()
        place = take_stream_place(player)
        try:
            page = _page(viewer, scope, cursors)
            statuses = feed.statuses(source.id for source in cursors)
            # Only after the player's permission is checked.
            _refuse_what_lies_ahead(cursors, statuses)
            return Opened(player, place, page, _suspended(cursors, statuses))
        except BaseException:
            place.release()
            raise


def read(scope: Scope, cursors: Cursors) -> Page:
    """Authenticate the viewer again and read the next page. Raises a Problem."""
    with _problems():
        return _page(_viewer(scope), scope, cursors)


def beat(followers: Sequence[Follower]) -> list[Beat | Problem]:
    """Read the heartbeats of several streams, each with its own authorization. Raises a Problem.

    Places, bearer tokens, and the versions of the streams are looked up once for all followers.
    """
    with _problems():
        renew_stream_places([follower.place for follower in followers])
        viewers = players_by_token([_bearer(follower.scope) for follower in followers])
        statuses = feed.statuses(source.id for follower in followers for source in follower.cursors)
        return [_beat(follower, viewers.get(_bearer(follower.scope)), statuses) for follower in followers]


def _beat(follower: Follower, viewer: Player | None, statuses: Statuses) -> Beat | Problem:
    _, scope, cursors = follower
    try:
        # A session, or a token that is no longer valid.
        viewer = viewer or _viewer(scope)
        return Beat(_page(viewer, scope, cursors, statuses), _suspended(cursors, statuses))
    except Exception as error:
        return _problem(error)


def _page(viewer: Player, scope: Scope, cursors: Cursors, statuses: Statuses | None = None) -> Page:
    """The next page. A source without new events by `statuses` is authorized, not read."""
    began, room = time.thread_time(), PAGE
    found, rest = Found(), set[Source]()
    for source, after in cursors.items():
        if room:
            nothing_new = statuses is not None and _version(source, statuses) <= after
            found[source] = events = source.events(viewer, after, 0 if nothing_new else room)
            room -= len(events)
        if not room:
            rest.add(source)
    if not rest:
        return Page(found, rest, 0)
    # Live events are never charged: they are few, and were caused by others.
    budget = _budget(scope, str(viewer.pk))
    budget.charge(time.thread_time() - began)
    return Page(found, rest, budget.wait())


def _suspended(cursors: Cursors, statuses: Statuses) -> set[UUID]:
    return {source.id for source in cursors if source.id in statuses and statuses[source.id].suspended}


def _refuse_what_lies_ahead(cursors: Cursors, statuses: Statuses) -> None:
    for source, after in cursors.items():
        if after > _version(source, statuses):
            raise CursorAhead(f"{source.kind} {source.id} has no event {after}.")


def _version(source: Source, statuses: Statuses) -> int:
    return statuses[source.id].version if source.id in statuses else 0


@contextmanager
def _problems() -> Iterator[None]:
    """Wrap a read in a thread: every fault is raised as a Problem, and closed connections are discarded."""
    close_old_connections()
    try:
        yield
    except Exception as error:
        raise _problem(error) from error
    finally:
        close_old_connections()


def _problem(error: Exception) -> Problem:
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


def _viewer(scope: Scope) -> Player:
    """Authenticate as the API does: a bearer token, or the session of the web client."""
    request = ASGIRequest(dict(scope), BytesIO())
    engine = import_module(settings.SESSION_ENGINE)
    request.session = engine.SessionStore(request.COOKIES.get(settings.SESSION_COOKIE_NAME))
    request.user = get_user(request)
    viewer = APIView().initialize_request(request).user
    if not isinstance(viewer, Player):
        raise NotAuthenticated
    return viewer


def _bearer(scope: Scope) -> str:
    return bearer_token(header(scope, b"authorization"))


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
