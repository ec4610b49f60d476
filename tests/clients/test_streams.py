"""Event streams of the Python client: without a gap and without an event twice, whatever the connection does."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator
from uuid import UUID, uuid4

import httpx
import pytest

from racecard_client import (
    AsyncClient,
    Client,
    ConnectionLost,
    NotAuthenticated,
    NotFound,
    Retry,
    StreamEvent,
    Suspension,
    Waiting,
)
from racecard_client.streams import Feed, Missing, Subject, WaitingStream
from tests.browser.relay import Relay
from tests.clients.conftest import QUICK
from tests.installation import until

GAME = UUID("23d00944-bdac-4e56-bf19-c6addfe40199")
SUBJECT: Subject = ("game", GAME)


def frame(version: int) -> bytes:
    event = {"version": version, "type": "moved", "data": {}}
    return f"id: game:{GAME}={version}\ndata: {json.dumps({'game': str(GAME), 'event': event})}\n\n".encode()


# --- the state of a stream ---


def test_chunks_may_end_anywhere_and_no_event_comes_twice() -> None:
    feed, text = (
        Feed({SUBJECT: 1}, QUICK),
        b": heartbeat\n\nretry: 1000\n\n" + b"".join(map(frame, (1, 2, 3))),
    )
    found = [item for at in range(len(text)) for item in feed.received(text[at : at + 1])]
    assert [item.version for item in found if isinstance(item, StreamEvent)] == [2, 3]
    assert list(feed.received(frame(3))) == []
    assert feed.request()["params"] == [("game", f"{GAME}@3")]
    assert feed.request()["headers"]["Last-Event-ID"] == f"game:{GAME}=3"


def test_what_a_lost_connection_left_incomplete_is_dropped() -> None:
    feed = Feed({SUBJECT: 0}, QUICK)
    assert list(feed.received(frame(1)[:-1])) == []
    feed.wait_after(httpx.ReadError("lost"))
    assert "Last-Event-ID" not in feed.request()["headers"]
    assert [item.version for item in feed.received(frame(1)) if isinstance(item, StreamEvent)] == [1]


def test_a_gap_is_named_before_the_event_behind_it() -> None:
    feed = Feed({SUBJECT: 2}, QUICK)
    received = feed.received(frame(6))
    missing = next(received)
    assert missing == Missing(SUBJECT, 2, 5)
    assert isinstance(missing, Missing)
    assert missing.path == f"/api/v1/games/{GAME}/events/?after=2"
    read = [{"version": version, "type": "moved", "data": {}} for version in (2, 3, 4, 5)]
    assert [event.version for event in feed.fresh(SUBJECT, read)] == [3, 4, 5]
    assert [item.version for item in received if isinstance(item, StreamEvent)] == [6]


def test_missing_events_are_read_from_every_form_of_list() -> None:
    missing = Missing(("tournament", GAME), 1, 4)
    two, three, four, five = ({"version": version} for version in (2, 3, 4, 5))
    assert missing.of_page({"events": [two, three], "next": 3}) == (
        [two, three],
        Missing(missing.subject, 3, 4),
    )
    assert missing.of_page({"results": [two, four, five], "next": None}) == ([two, four], None)
    assert missing.of_page([two, three, four]) == ([two, three, four], None)
    assert missing.of_page([]) == ([], None)


def test_suspensions_and_the_reason_of_a_closed_stream() -> None:
    feed = Feed({SUBJECT: 0}, QUICK)
    suspended = f'event: suspension\ndata: {{"game":"{GAME}","suspended":true}}\n\n'.encode()
    assert list(feed.received(suspended)) == [Suspension(GAME, True)]
    closed = (
        b'event: closed\ndata: {"status": 401, "code": "not-authenticated", "title": "", "detail": ""}\n\n'
    )
    with pytest.raises(NotAuthenticated) as caught:
        list(feed.received(closed))
    with pytest.raises(NotAuthenticated):
        feed.wait_after(caught.value)


def test_a_stream_that_cannot_be_resumed_is_given_up() -> None:
    feed = Feed({SUBJECT: 0}, Retry(stream_patience=-1))
    with pytest.raises(ConnectionLost):
        feed.wait_after(httpx.ConnectError("refused"))


def waiting_frame(name: str, **document: object) -> bytes:
    return f"event: {name}\nid: 7\ndata: {json.dumps(document)}\n\n".encode()


def test_what_waits_is_whole_after_each_change() -> None:
    stream = WaitingStream(QUICK)
    first, second = ({"key": f"game:{number}", "version": 1} for number in (1, 2))
    moved, third = {"key": "game:2", "version": 5}, {"key": "game:3", "version": 1}
    whole = waiting_frame("waiting", games=[first, second], tournaments=[], more=False)
    changed = waiting_frame("changed", games=[moved, third], tournaments=[], gone=["game:1"], more=True)
    states = [item for item in stream.received(whole + changed) if isinstance(item, Waiting)]
    assert states == [Waiting([first, second], (), []), Waiting([moved, third], [], [], more=True)]
    assert stream.request()["headers"]["Last-Event-ID"] == "7"
    again = waiting_frame("waiting", games=[third], challenges=[{"key": "challenge:1"}], tournaments=[])
    assert list(stream.received(again)) == [Waiting([third], [{"key": "challenge:1"}], [])]


# --- a running server ---


@pytest.fixture
def game(client: Client) -> UUID:
    return client.play("idle-aces").id


@pytest.mark.both_databases
@pytest.mark.processes
def test_a_stream_resumes_after_its_connection_is_cut(
    client: Client, relayed: Client, wire: Relay, game: UUID
) -> None:
    heard: list[StreamEvent] = []
    versions: list[int] = []
    reader = threading.Thread(target=lambda: heard.extend(_each(relayed, game, versions)), daemon=True)
    reader.start()
    for _ in range(3):
        version = client.move(game, {"type": "draw"}).version
        until(lambda: version in versions, "the move is heard of")  # noqa: B023
        wire.cut()
        until(lambda: wire.feeds == 0, "the stream is cut")
        client.move(game, {"type": "draw"})
        client.move(game, {"type": "draw"})
        wire.mend()
    last = client.move(game, {"type": "resign"}).version
    reader.join(30)
    assert not reader.is_alive()
    assert [event.version for event in heard] == list(range(1, last + 1))
    stored = client.session.get(f"/api/v1/games/{game}/events/").json()["results"]
    assert [event.event["hash"] for event in heard] == [event["hash"] for event in stored]


def _each(client: Client, game: UUID, versions: list[int]) -> Iterator[StreamEvent]:
    for event in client.events(game):
        versions.append(event.version)
        yield event


@pytest.mark.processes
def test_an_async_stream_resumes_and_fills_a_gap(client: Client, wire: Relay, game: UUID) -> None:
    token = client.rest.token

    async def follow() -> list[int]:
        versions = []
        async with AsyncClient(wire.address, token, retry=QUICK) as ann:
            async for event in ann.events(game, after=2):
                versions.append(event.version)
                if len(versions) == 1:
                    await asyncio.to_thread(wire.cut)
                    await asyncio.to_thread(client.move, game, {"type": "draw"})
                    await asyncio.to_thread(client.move, game, {"type": "resign"})
                    wire.mend()
        return versions

    last_before = client.game(game).version
    versions = asyncio.run(asyncio.wait_for(follow(), 60))
    assert versions == list(range(3, versions[-1] + 1))
    assert versions[-1] > last_before


@pytest.mark.processes
def test_a_stream_of_something_unknown_is_refused(client: Client) -> None:
    with pytest.raises(NotFound):
        next(client.events(uuid4()))
