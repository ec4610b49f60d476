"""The stream of what waits for a player: the document of `config.waiting`, then its changes.

    event: waiting, id: …   the whole document; the first message, unless Last-Event-ID is the id of the present one
    event: changed, id: …   items that are new or differ, by `key`, the keys of those that are gone, and the numbers

The id is a digest of the document, so a stream that resumes misses nothing: what waits is a state, not a history. All
streams of a process are looked up together, several times a second and when a game that waits has moved. A document is
built only for players of whom something has changed. A slow client gets the newest state, not every one.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import time
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any, NamedTuple, cast
from uuid import UUID

import structlog
from django.utils import timezone

from accounts.authentication import Credential, ended
from config.server.bridge import Receive, Scope, Send
from config.streams import reads, wire
from config.streams.reads import StreamPlace
from config.waiting import Waiting, WaitingOutput, waiting
from core.errors import Problem, Unavailable
from core.metrics import Gauge
from eventstore import feed

log = structlog.get_logger(__name__)
OPEN = Gauge(
    "racecard_waiting_streams", "Open streams of what waits for a player", multiprocess_mode="livesum"
)

PATH = "/api/v1/players/me/waiting/"
LOOKS_EVERY = 0.5
"""The longest time in seconds until anything but a move in a known game is sent. Such moves are sent at once."""

LISTS = ("games", "challenges", "tournaments")
"""The members of the document whose items have a `key`."""

REST = ("more", "unread")
"""The other members, which every message has."""


def is_for(scope: Scope) -> bool:
    """Whether the request is for this stream."""
    return (
        scope["type"] == "http"
        and scope["path"] == PATH
        and scope["method"] == "GET"
        and "text/event-stream" in reads.header(scope, b"accept")
    )


class State(NamedTuple):
    """What waits for a player, with the items by key."""

    mark: object
    id: str
    document: WaitingOutput
    items: Mapping[str, tuple[str, object, object]]
    """List, item as it is compared, and item, by key."""
    games: frozenset[UUID]
    """The running games, whose moves may change it."""


def state_of(found: Waiting) -> State:
    document = found.document()
    items = {
        item["key"]: (name, _compared(item), item)
        for name in LISTS
        for item in cast("Mapping[str, Any]", document).get(name, ())
    }
    compared = [(key, kept[1]) for key, kept in items.items()]
    text = json.dumps([compared, _rest(document)], sort_keys=True, default=str)
    id = hashlib.sha256(text.encode()).hexdigest()[:24]
    return State(found.mark(), id, document, items, frozenset(one.game for one in found.running))


def _rest(document: WaitingOutput) -> dict[str, Any]:
    return {name: cast("Mapping[str, Any]", document)[name] for name in REST}


def _compared(item: Mapping[str, Any]) -> dict[str, Any]:
    """The item without the version of a game in which all seats play at once: every seat's move raises it."""
    return {name: value for name, value in item.items() if name != "version" or item["kind"] != "play"}


def whole(state: State) -> bytes:
    return _frame("waiting", state.id, state.document)


def change(before: State, after: State) -> bytes:
    """The message that turns one state into another."""
    shown: dict[str, Any] = {name: [] for name in LISTS if name in after.document}
    for key, (name, compared, item) in after.items.items():
        known = before.items.get(key)
        if known is None or known[1] != compared:
            shown[name].append(item)
    shown["gone"] = [key for key in before.items if key not in after.items]
    return _frame("changed", after.id, shown | _rest(after.document))


def _frame(event: str, id: str, data: Any) -> bytes:
    return f"event: {event}\nid: {id}\n".encode() + b"data: " + reads.encoded(data) + b"\n\n"


# --- reads, in threads -----------------------------------------------------------------------------------


class Opened(NamedTuple):
    credential: Credential
    place: StreamPlace
    state: State


def open_waiting(scope: Scope) -> Opened:
    """Raises a Problem."""
    with reads.problems(), reads.admitted(scope) as (viewer, credential, place):
        return Opened(credential, place, state_of(waiting([viewer.pk], now=timezone.now())[viewer.pk]))


@dataclass(frozen=True, slots=True)
class Looked:
    states: Mapping[UUID, State]
    """Of the players of whom something has changed."""
    ended: set[Credential]
    """Those of their credentials that no longer authenticate them."""


def look(marks: Mapping[UUID, list[object]], credentials: Mapping[UUID, list[Credential]]) -> Looked:
    """Read what waits for the players whose mark has changed. Raises a Problem."""
    with reads.problems():
        found = waiting(marks.keys(), now=timezone.now())
        changed = [
            player for player, one in found.items() if any(one.mark() != mark for mark in marks[player])
        ]
        states = {player: state_of(found[player]) for player in changed}
        # After the reads: what a player may not see any more is not sent.
        return Looked(states, ended([one for player in changed for one in credentials[player]]))


def check(waiters: Collection[tuple[StreamPlace, Credential, Scope]]) -> list[Problem | None]:
    """Renew the places of streams, and return why each must be closed. Raises a Problem."""
    with reads.problems():
        reads.renew_stream_places([place for place, _, _ in waiters])
        gone = ended([credential for _, credential, _ in waiters])
        return [reads.refusal(scope) if credential in gone else None for _, credential, scope in waiters]


# --- streams ---------------------------------------------------------------------------------------------

InThread = Callable[..., Any]


class Waiters:
    """The open streams of a process, which are looked up together while there are any."""

    def __init__(self, hub: feed.Hub, in_thread: InThread) -> None:
        self._hub, self._in_thread = hub, in_thread
        self._streams: set[_Waiter] = set()
        self._exit = ExitStack()
        self._tasks: list[asyncio.Task[None]] = []

    async def serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        opened = await self._in_thread(open_waiting, scope)
        waiter = _Waiter(opened, scope, send)
        watch = asyncio.create_task(wire.until_gone(receive, waiter.close))
        began = time.monotonic()
        OPEN.inc()
        self._add(waiter)
        try:
            await waiter.run(reads.header(scope, b"last-event-id"))
        except TimeoutError:
            log.info("stream_dropped", user_id=str(waiter.player))
        finally:
            OPEN.dec()
            watch.cancel()
            self._discard(waiter)
            await self._in_thread(opened.place.release)
            log.info("stream_closed", user_id=str(waiter.player), seconds=round(time.monotonic() - began, 1))

    def _add(self, waiter: _Waiter) -> None:
        if not self._streams:
            self._subscription = self._exit.enter_context(self._hub.subscribe([]))
            self._tasks = [
                asyncio.create_task(self._follow()),
                asyncio.create_task(wire.heartbeats(self._streams, self._check)),
            ]
        self._streams.add(waiter)
        self._subscription.follow(waiter.state.games)
        waiter.followed = waiter.state.games
        if self._subscription.closed:
            waiter.close()

    def _discard(self, waiter: _Waiter) -> None:
        self._streams.discard(waiter)
        self._subscription.leave(waiter.followed)
        if not self._streams:
            for task in self._tasks:
                task.cancel()
            self._exit.close()

    async def _follow(self) -> None:
        looks_at = time.monotonic() + LOOKS_EVERY
        while not self._subscription.closed:
            moved = await self._subscription.moved(timeout=max(0.0, looks_at - time.monotonic()))
            if time.monotonic() >= looks_at:
                await self._look(list(self._streams))
                looks_at = time.monotonic() + LOOKS_EVERY
            elif moved:
                await self._look([one for one in self._streams if not moved.keys().isdisjoint(one.followed)])
        for stream in self._streams:
            stream.close()

    async def _look(self, streams: Iterable[_Waiter]) -> None:
        of_player: dict[UUID, list[_Waiter]] = {}
        for stream in streams:
            of_player.setdefault(stream.player, []).append(stream)
        if not of_player:
            return
        marks = {player: [one.state.mark for one in some] for player, some in of_player.items()}
        credentials = {player: [one.credential for one in some] for player, some in of_player.items()}
        try:
            looked = await self._in_thread(look, marks, credentials)
        except Unavailable:  # the next look, at the latest that of all players, finds the same
            return
        except Problem as problem:
            for some in of_player.values():
                for stream in some:
                    stream.refuse(problem)
            return
        for player, state in looked.states.items():
            for stream in of_player[player]:
                if stream.credential in looked.ended:
                    stream.beats_at = 0.0  # the next check says why
                elif stream in self._streams:
                    self._subscription.follow(state.games)
                    self._subscription.leave(stream.followed)
                    stream.followed = state.games
                    stream.show(state)

    async def _check(self, streams: list[_Waiter]) -> None:
        try:
            problems = await self._in_thread(
                check, [(one.place, one.credential, one.scope) for one in streams]
            )
        except Problem as problem:
            problems = [problem] * len(streams)
        for stream, refused in zip(streams, problems, strict=True):
            if refused is None or isinstance(refused, Unavailable):
                stream.beat()
            else:
                stream.refuse(refused)


class _Waiter:
    """One stream. Its own task sends; others set what is to be sent."""

    def __init__(self, opened: Opened, scope: Scope, send: Send) -> None:
        self.credential, self.place, self.state = opened
        self.player = self.credential.player
        self.scope = scope
        self.followed: frozenset[UUID] = frozenset()
        self.beats_at = wire.next_beat()
        self._send = send
        self._wake = asyncio.Event()
        self._beats = self._closed = False
        self._problem: Problem | None = None

    def show(self, state: State) -> None:
        self.state = state
        self._wake.set()

    def beat(self) -> None:
        self._beats = True
        self._wake.set()

    def refuse(self, problem: Problem) -> None:
        self._problem = problem
        self._wake.set()

    def close(self) -> None:
        self._closed = True
        self._wake.set()

    async def run(self, seen: str) -> None:
        """Send until the client or the server ends the stream. `seen` is the id of the last message received."""
        await wire.begin(self._send)
        sent = self.state
        if seen != sent.id:
            await wire.body(self._send, whole(sent))
        while not self._closed:
            await self._wake.wait()
            self._wake.clear()
            if self._closed:
                break
            if self._problem is not None:
                await wire.body(self._send, wire.closed_frame(self._problem))
                break
            if (state := self.state).id != sent.id:
                await wire.body(self._send, change(sent, state))
            sent = state
            if self._beats:
                self._beats = False
                await wire.body(self._send, wire.HEARTBEAT_FRAME)
        await wire.body(self._send, b"", more=False)
