"""An event stream tells that a game stands still, and that it goes on, beside the game's events."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import MutableMapping
from typing import Any

import pytest

from config.streams import Asked, Source, _Stream, _suspended
from eventstore import suspension
from games.models import GameRecord
from tests.conftest import NOW
from tests.games.tables import dealt

GAME = uuid.UUID(int=7)
OTHER = uuid.UUID(int=8)


def told(*states: set[uuid.UUID]) -> list[str]:
    sent: list[bytes] = []

    async def send(message: MutableMapping[str, Any]) -> None:
        sent.append(message["body"])

    async def tell() -> None:
        stream = _Stream(Asked({Source("game", GAME): 3}, many=False), send)
        for state in states:
            await stream.tell_suspended(state)

    asyncio.run(tell())
    return [body.decode() for body in sent]


def frame(game: uuid.UUID, suspended: str) -> str:
    return f'event: suspension\ndata: {{"game":"{game}","suspended":{suspended}}}\n\n'


def test_nothing_is_told_of_games_that_go_on() -> None:
    assert told(set(), set()) == []


def test_each_change_is_told_once_and_has_no_id() -> None:
    assert told({GAME}, {GAME}, set(), set()) == [frame(GAME, "true"), frame(GAME, "false")]


def test_of_many_games_those_are_told_that_changed() -> None:
    assert told({GAME}, {GAME, OTHER}, {OTHER}) == [
        frame(GAME, "true"),
        frame(OTHER, "true"),
        frame(GAME, "false"),
    ]


@pytest.mark.django_db
def test_the_head_of_the_stream_says_it(player: Any) -> None:
    games: list[GameRecord] = [dealt("vegas-solitaire", [player], now=NOW) for _ in range(2)]
    followed = {Source("game", game.pk): 0 for game in games}
    assert _suspended(followed) == set()
    suspension.suspend(games[0].pk, at=NOW)
    assert _suspended(followed) == {games[0].pk}
