"""Streams that resume: events of `feed/` without a gap and without an event twice, and what waits for the caller."""

from __future__ import annotations

import asyncio
import json
import time
from abc import ABC, abstractmethod
from collections.abc import (
    AsyncGenerator,
    AsyncIterator,
    Collection,
    Generator,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, Literal, TypeVar
from uuid import UUID

import httpx

from racecard_client.errors import ConnectionLost, ProblemError, TooManyRequests, Unavailable, error_of
from racecard_client.retries import AsyncSession, Retry, Session

T = TypeVar("T")
Kind = Literal["game", "tournament", "dispute"]
Subject = tuple[Kind, UUID]
KINDS: tuple[Kind, ...] = ("game", "tournament", "dispute")

SILENCE = 30.0
"""Seconds without a byte after which a connection is lost. The server sends a heartbeat every 14 seconds."""


@dataclass(frozen=True, slots=True)
class StreamEvent:
    """An event of a game, a tournament, or a dispute, as the caller may see it."""

    kind: Kind
    id: UUID
    event: Mapping[str, Any]

    @property
    def version(self) -> int:
        return int(self.event["version"])

    @property
    def type(self) -> str:
        return str(self.event["type"])

    @property
    def data(self) -> Mapping[str, Any]:
        data: Mapping[str, Any] = self.event["data"]
        return data


@dataclass(frozen=True, slots=True)
class Suspension:
    """A game was suspended or resumed. This is not an event of the game."""

    game: UUID
    suspended: bool


Item = Mapping[str, Any]
"""A game, a challenge, or a tournament that waits for the caller; docs/bot-api.md lists the members."""

WAITING = ("games", "challenges", "tournaments")


@dataclass(frozen=True, slots=True)
class Waiting:
    """What waits for the caller now."""

    games: Sequence[Item]
    challenges: Sequence[Item]
    tournaments: Sequence[Item]
    more: bool = False
    """Whether games were left out, because there are very many."""
    unread: int = 0
    """Unread notifications; 100 means so many or more."""

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> Waiting:
        games, challenges, tournaments = (document.get(kind, ()) for kind in WAITING)
        return cls(games, challenges, tournaments, document.get("more", False), document.get("unread", 0))

    def after(self, change: Mapping[str, Any]) -> Waiting:
        """Return the state after a message `changed`: the new and changed items, and the keys of those gone."""
        gone = set(change["gone"])
        games, challenges, tournaments = (
            _replaced(getattr(self, kind), change.get(kind, ()), gone) for kind in WAITING
        )
        more, unread = change.get("more", self.more), change.get("unread", self.unread)
        return Waiting(games, challenges, tournaments, more, unread)


def _replaced(items: Sequence[Item], fresh: Sequence[Item], gone: Collection[str]) -> Sequence[Item]:
    by_key = {item["key"]: item for item in (*items, *fresh)}
    return [item for key, item in by_key.items() if key not in gone]


@dataclass(frozen=True, slots=True)
class Missing:
    """Events that the stream has left out and that must be read from their list, from `after` to `until`."""

    subject: Subject
    after: int
    until: int

    @property
    def path(self) -> str:
        return f"/api/v1/{self.subject[0]}s/{self.subject[1]}/events/?after={self.after}"

    def of_page(self, page: Any) -> tuple[list[Mapping[str, Any]], Missing | None]:
        """Return the missing events of a page of the list, and what is still missing after it."""
        listed = page if isinstance(page, list) else page["events" if "events" in page else "results"]
        events = [event for event in listed if event["version"] <= self.until]
        last = events[-1]["version"] if events else self.until
        return events, Missing(self.subject, last, self.until) if last < self.until else None


class Messages:
    """Parses server-sent events.

    https://html.spec.whatwg.org/multipage/server-sent-events.html. The server ends its lines with LF. They are split as
    bytes, since text may contain other characters that end a line elsewhere, such as U+2028.
    """

    def __init__(self) -> None:
        self._rest = b""
        self._event, self._data = "message", list[str]()
        self._id = ""
        self.last_id = ""
        """The id of the newest message that is complete."""
        self.retry: float | None = None
        """The seconds to wait before reconnecting, if the server named them."""

    def read(self, chunk: bytes) -> Iterator[tuple[str, str]]:
        """Yield the name and data of each message that the chunk completes."""
        *lines, self._rest = (self._rest + chunk).split(b"\n")
        for line in lines:
            if (message := self._line(line.removesuffix(b"\r").decode())) is not None:
                yield message

    def _line(self, line: str) -> tuple[str, str] | None:
        field, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if not line:
            message = (self._event, "\n".join(self._data)) if self._data else None
            self._event, self._data, self.last_id = "message", [], self._id
            return message
        if field == "data":
            self._data.append(value)
        elif field == "event":
            self._event = value
        elif field == "id":
            self._id = value
        elif field == "retry" and value.isascii() and value.isdigit():
            self.retry = int(value) / 1000
        return None

    def forget_partial(self) -> None:
        """Drop what a lost connection has left incomplete. The message comes again."""
        self._rest, self._event, self._data, self._id = b"", "message", [], self.last_id


class Stream(ABC, Generic[T]):
    """The state of one stream over all its connections: what was received, and how long to wait after a failure."""

    url: ClassVar[str]

    def __init__(self, retry: Retry) -> None:
        self._retry = retry
        self._messages = Messages()
        self._failures = 0
        self._lost_at = time.monotonic()

    def request(self) -> dict[str, Any]:
        """The arguments of the request that connects or resumes."""
        headers = {"Accept": "text/event-stream"}
        if self._messages.last_id:
            headers["Last-Event-ID"] = self._messages.last_id
        return {"url": self.url, "headers": headers, "timeout": httpx.Timeout(SILENCE)}

    def received(self, chunk: bytes) -> Iterator[T | Missing]:
        """Yield what the chunk completes. Raises ProblemError if the server closes the stream."""
        self._failures, self._lost_at = 0, time.monotonic()
        for name, text in self._messages.read(chunk):
            document = json.loads(text)
            if name == "closed":
                raise error_of(document)
            yield from self._message(name, document)

    @abstractmethod
    def _message(self, name: str, document: Mapping[str, Any]) -> Iterator[T | Missing]: ...

    def fresh(self, subject: Subject, events: Iterable[Mapping[str, Any]]) -> Iterator[T]:
        """Yield the events that were not received before."""
        return iter(())

    def wait_after(self, error: Exception | None) -> float:
        """Return the seconds to wait before connecting again. `error`: None if the server has ended the response.

        Raises the error if connecting again is of no use.
        """
        self._messages.forget_partial()
        if error is not None and not isinstance(
            error, TooManyRequests | Unavailable | ConnectionLost | httpx.TransportError
        ):
            raise error
        if time.monotonic() - self._lost_at > self._retry.stream_patience:
            raise ConnectionLost("the event stream could not be resumed") from error
        wait = max(self._retry.wait(self._failures), getattr(error, "retry_after", None) or 0.0)
        if self._failures:
            wait = max(wait, self._messages.retry or 0.0)
        self._failures += 1
        return wait


class WaitingStream(Stream[Waiting]):
    """What waits for the caller, whole after each change."""

    url = "/api/v1/players/me/waiting/"

    def __init__(self, retry: Retry) -> None:
        super().__init__(retry)
        self._waiting = Waiting((), (), ())

    def _message(self, name: str, document: Mapping[str, Any]) -> Iterator[Waiting]:
        if name in ("waiting", "changed"):
            is_whole = name == "waiting"
            self._waiting = Waiting.of(document) if is_whole else self._waiting.after(document)
            yield self._waiting


class Feed(Stream[StreamEvent | Suspension]):
    """The events of several games, tournaments, and disputes."""

    url = "/api/v1/feed/"

    def __init__(self, subjects: Mapping[Subject, int], retry: Retry) -> None:
        if not subjects:
            raise ValueError("name at least one game, tournament, or dispute")
        super().__init__(retry)
        self._cursors = dict(subjects)

    def request(self) -> dict[str, Any]:
        given = [(kind, f"{id}@{version}") for (kind, id), version in self._cursors.items()]
        return {**super().request(), "params": given}

    def _message(
        self, name: str, document: Mapping[str, Any]
    ) -> Iterator[StreamEvent | Suspension | Missing]:
        if name == "suspension":
            yield Suspension(UUID(document["game"]), document["suspended"])
        elif name == "message":
            yield from self._event(document)

    def _event(self, document: Mapping[str, Any]) -> Iterator[StreamEvent | Missing]:
        kind = next(kind for kind in KINDS if kind in document)
        event = StreamEvent(kind, UUID(document[kind]), document["event"])
        subject: Subject = (kind, event.id)
        at = self._cursors[subject]
        if event.version > at + 1:
            yield Missing(subject, at, event.version - 1)
        yield from self.fresh(subject, [event.event])

    def fresh(self, subject: Subject, events: Iterable[Mapping[str, Any]]) -> Iterator[StreamEvent]:
        for event in events:
            if event["version"] > self._cursors[subject]:
                self._cursors[subject] = event["version"]
                yield StreamEvent(*subject, event)


LOST = (httpx.TransportError, ProblemError, ConnectionLost)


def follow(session: Session, stream: Stream[T]) -> Generator[T, None, None]:
    """Yield what the stream sends, over as many connections as it takes."""
    while True:
        error: Exception | None = None
        try:
            with session.stream("GET", **stream.request()) as response:
                for chunk in response.iter_bytes():
                    for item in stream.received(chunk):
                        if isinstance(item, Missing):
                            yield from _read_missing(session, stream, item)
                        else:
                            yield item
        except LOST as lost:
            error = lost
        time.sleep(stream.wait_after(error))


def _read_missing(session: Session, stream: Stream[T], missing: Missing) -> Iterator[T]:
    rest: Missing | None = missing
    while rest is not None:
        events, rest = rest.of_page(session.get(rest.path).json())
        yield from stream.fresh(missing.subject, events)


async def afollow(session: AsyncSession, stream: Stream[T]) -> AsyncGenerator[T, None]:
    """As `follow`, for asyncio."""
    while True:
        error: Exception | None = None
        try:
            async with session.stream("GET", **stream.request()) as response:
                async for chunk in response.aiter_bytes():
                    for item in stream.received(chunk):
                        if isinstance(item, Missing):
                            async for event in _aread_missing(session, stream, item):
                                yield event
                        else:
                            yield item
        except LOST as lost:
            error = lost
        await asyncio.sleep(stream.wait_after(error))


async def _aread_missing(session: AsyncSession, stream: Stream[T], missing: Missing) -> AsyncIterator[T]:
    rest: Missing | None = missing
    while rest is not None:
        events, rest = rest.of_page((await session.get(rest.path)).json())
        for event in stream.fresh(missing.subject, events):
            yield event
