"""Event streams that resume: server-sent events of the address `feed/`, without a gap and without an event twice."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncGenerator, AsyncIterator, Generator, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal
from uuid import UUID

import httpx

from racecard_client.errors import ConnectionLost, ProblemError, TooManyRequests, Unavailable, error_of
from racecard_client.retries import AsyncSession, Retry, Session

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


class Feed:
    """The state of one stream over all its connections: what was received, and how long to wait after a failure."""

    def __init__(self, subjects: Mapping[Subject, int], retry: Retry) -> None:
        if not subjects:
            raise ValueError("name at least one game, tournament, or dispute")
        self._cursors = dict(subjects)
        self._retry = retry
        self._messages = Messages()
        self._failures = 0
        self._lost_at = time.monotonic()

    def request(self) -> dict[str, Any]:
        """The arguments of the request that connects or resumes."""
        given = [(kind, f"{id}@{version}") for (kind, id), version in self._cursors.items()]
        headers = {"Accept": "text/event-stream"}
        if self._messages.last_id:
            headers["Last-Event-ID"] = self._messages.last_id
        timeout = httpx.Timeout(SILENCE)
        return {"url": "/api/v1/feed/", "params": given, "headers": headers, "timeout": timeout}

    def received(self, chunk: bytes) -> Iterator[StreamEvent | Suspension | Missing]:
        """Yield what the chunk completes. Raises ProblemError if the server closes the stream."""
        self._failures, self._lost_at = 0, time.monotonic()
        for name, text in self._messages.read(chunk):
            document = json.loads(text)
            if name == "closed":
                raise error_of(document)
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
        """Yield the events that were not received before."""
        for event in events:
            if event["version"] > self._cursors[subject]:
                self._cursors[subject] = event["version"]
                yield StreamEvent(*subject, event)

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


LOST = (httpx.TransportError, ProblemError, ConnectionLost)


def follow(
    session: Session, subjects: Mapping[Subject, int], retry: Retry
) -> Generator[StreamEvent | Suspension, None, None]:
    """Yield the events of the subjects after their versions, and what happens to them from then on."""
    feed = Feed(subjects, retry)
    while True:
        error: Exception | None = None
        try:
            with session.stream("GET", **feed.request()) as response:
                for chunk in response.iter_bytes():
                    for item in feed.received(chunk):
                        if isinstance(item, Missing):
                            yield from _read_missing(session, feed, item)
                        else:
                            yield item
        except LOST as lost:
            error = lost
        time.sleep(feed.wait_after(error))


def _read_missing(session: Session, feed: Feed, missing: Missing) -> Iterator[StreamEvent]:
    rest: Missing | None = missing
    while rest is not None:
        events, rest = rest.of_page(session.get(rest.path).json())
        yield from feed.fresh(missing.subject, events)


async def afollow(
    session: AsyncSession, subjects: Mapping[Subject, int], retry: Retry
) -> AsyncGenerator[StreamEvent | Suspension, None]:
    """As `follow`, for asyncio."""
    feed = Feed(subjects, retry)
    while True:
        error: Exception | None = None
        try:
            async with session.stream("GET", **feed.request()) as response:
                async for chunk in response.aiter_bytes():
                    for item in feed.received(chunk):
                        if isinstance(item, Missing):
                            async for event in _aread_missing(session, feed, item):
                                yield event
                        else:
                            yield item
        except LOST as lost:
            error = lost
        await asyncio.sleep(feed.wait_after(error))


async def _aread_missing(session: AsyncSession, feed: Feed, missing: Missing) -> AsyncIterator[StreamEvent]:
    rest: Missing | None = missing
    while rest is not None:
        events, rest = rest.of_page((await session.get(rest.path)).json())
        for event in feed.fresh(missing.subject, events):
            yield event
