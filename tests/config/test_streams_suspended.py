"""An event stream reports suspensions, and who comes and leaves, in addition to the events of a game."""

from __future__ import annotations

import uuid
from collections.abc import MutableMapping
from typing import Any

import pytest

from accounts.authentication import Credential
from config.server.connections import EXTENSION, chunk_of
from config.streams.application import StreamRequest, _Stream
from config.streams.reads import Present, Source
from config.streams.wire import HEARTBEAT_FRAME
from eventstore import feed, suspension
from tests.conftest import NOW
from tests.games.tables import dealt

GAME = uuid.UUID(int=7)
OTHER = uuid.UUID(int=8)


def frames(*states: set[uuid.UUID]) -> list[str]:
    """What a stream sends whose client reads as fast, and what it leaves to its own task otherwise."""
    sent, left = Sent(), Sent(reads=False)
    fast, slow = (stream_to(connection) for connection in (sent, left))
    for stream in (fast, slow):
        stream._is_waiting, stream.credential = True, Credential(OTHER)
        for state in states:
            stream.beat(state, {})
    assert [chunk_of(frame) for frame in slow._pending] == sent.chunks
    assert (fast._pending, left.chunks) == ([], [])
    return [frame.decode() for frame in slow._pending if frame != HEARTBEAT_FRAME]


class Sent:
    """A connection that takes everything at once, or nothing."""

    def __init__(self, *, reads: bool = True) -> None:
        self.chunks: list[bytes] = []
        self.reads = reads

    def push(self, chunk: bytes) -> bool:
        if self.reads:
            self.chunks.append(chunk)
        return self.reads


def stream_to(connection: Sent) -> _Stream:
    async def send(message: MutableMapping[str, Any]) -> None:
        raise AssertionError(message)

    scope = {"extensions": {EXTENSION: connection}}
    return _Stream(StreamRequest({Source("game", GAME): 3}, many=False), send, scope)


def frame(game: uuid.UUID, suspended: str) -> str:
    return f'event: suspension\ndata: {{"game":"{game}","suspended":{suspended}}}\n\n'


def test_running_games_cause_no_message() -> None:
    assert frames(set(), set()) == []


def test_each_change_is_sent_once_without_an_id() -> None:
    assert frames({GAME}, {GAME}, set(), set()) == [frame(GAME, "true"), frame(GAME, "false")]


def test_only_changed_games_are_sent() -> None:
    assert frames({GAME}, {GAME, OTHER}, {OTHER}) == [
        frame(GAME, "true"),
        frame(OTHER, "true"),
        frame(GAME, "false"),
    ]


def test_only_players_hear_who_comes_and_leaves() -> None:
    me, other = uuid.UUID(int=1), uuid.UUID(int=2)
    states: list[Present] = [
        {GAME: {me: None}},
        {GAME: {me: None, other: None}},
        {GAME: {me: None, other: None}},
        {GAME: {me: None, other: NOW}},
        {},
    ]
    sent = Sent()
    stream = stream_to(sent)
    stream._is_waiting, stream.credential = True, Credential(me)
    heard = []
    for state in states:
        before = len(sent.chunks)
        stream.beat(set(), state)
        heard.append(sent.chunks[before + 1 :])
    came = [chunk_of(f'event: presence\ndata: {{"game":"{GAME}"}}\n\n'.encode())]
    assert heard == [came, came, [], came, []]
    stream.credential = Credential(uuid.UUID(int=3))
    stream.games = {}
    before = len(sent.chunks)
    stream.beat(set(), states[3])
    assert len(sent.chunks) == before + 1


@pytest.mark.django_db
def test_the_status_of_a_stream_says_it(player: Any) -> None:
    first, second = (dealt("vegas-solitaire", [player], now=NOW) for _ in range(2))
    suspension.suspend(first.pk, at=NOW)
    statuses = feed.statuses([first.pk, second.pk, GAME])
    assert {stream: status.suspended for stream, status in statuses.items()} == {
        first.pk: True,
        second.pk: False,
    }
