"""An event stream reports suspension and resumption of a game in addition to its events."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import MutableMapping
from typing import Any

import pytest

from config.streams.application import StreamRequest, _Stream
from config.streams.reads import Source
from eventstore import feed, suspension
from tests.conftest import NOW
from tests.games.tables import dealt

GAME = uuid.UUID(int=7)
OTHER = uuid.UUID(int=8)


def frames(*states: set[uuid.UUID]) -> list[str]:
    sent: list[bytes] = []

    async def send(message: MutableMapping[str, Any]) -> None:
        sent.append(message["body"])

    async def tell() -> None:
        stream = _Stream(StreamRequest({Source("game", GAME): 3}, many=False), send)
        for state in states:
            await stream.tell_suspended(state)

    asyncio.run(tell())
    return [body.decode() for body in sent]


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


@pytest.mark.django_db
def test_the_status_of_a_stream_says_it(player: Any) -> None:
    first, second = (dealt("vegas-solitaire", [player], now=NOW) for _ in range(2))
    suspension.suspend(first.pk, at=NOW)
    statuses = feed.statuses([first.pk, second.pk, GAME])
    assert {stream: status.suspended for stream, status in statuses.items()} == {
        first.pk: True,
        second.pk: False,
    }
