"""Idle Aces over REST: from the table to the loss that the server detects, and to the verified bundle."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from accounts.models import Player
from games import bots
from games.bots import Observation
from games.play import clocks
from games.rules.bundles.verification import verify
from tests.due_jobs import run_due

pytestmark = pytest.mark.django_db
Api = Callable[[Player | None], Any]

GAMES = "/api/v1/games/"


@pytest.fixture
def client(api: Api, player: Player) -> Any:
    return api(player)


@pytest.fixture
def game(client: Any) -> str:
    """Return a dealt game without redeals."""
    opened = client.post(GAMES, {"rules": "idle-aces", "config": {"redeals": 0}})
    assert opened.status_code == 201, opened.json()
    address = str(opened["Location"])
    assert client.post(f"{address}seats/", {"client_seed": "mine"}).status_code == 201
    assert client.post(f"{address}start/", {}).status_code == 200
    return address


def proved(client: Any, game: str) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(client.get(f"{game}bundle/").content)
    assert verify(document).ok
    return document


def test_the_server_ends_a_lost_game(client: Any, game: str) -> None:
    steady = bots.get("idle-aces")
    now = client.get(game).json()
    while True:
        move = steady.choose(Observation(now["view"], now["legal_moves"]), random.Random(0))
        answer = client.post(f"{game}moves/", {"move": move})
        assert answer.status_code == 201, answer.json()
        now = answer.json()
        if now["events"][-1]["type"] == "finished":
            break
    assert [event["type"] for event in now["events"]] in (["draw", "finished"], ["play", "finished"])
    assert now["legal_moves"] == []
    assert client.get(game).json()["outcome"]["result"] == "lost"
    assert proved(client, game)["outcome"] == now["events"][-1]["data"]["outcome"]


def test_resigning_loses_immediately(client: Any, game: str) -> None:
    resigned = client.post(f"{game}moves/", {"move": {"type": "resign"}}).json()
    assert [event["type"] for event in resigned["events"]] == ["resign", "finished"]
    assert proved(client, game)["outcome"] == {"result": "lost", "cards": 8, "plays": 0}


def test_an_absent_player_resigns(client: Any, game: str) -> None:
    run_due(datetime.now(UTC) + clocks.idle("idle-aces") + timedelta(hours=1))
    *_, expired, finished = client.get(f"{game}events/").json()["results"]
    assert (expired["type"], finished["type"]) == ("expired", "finished")
    assert expired["data"] == {"seat": 0, "move": {"type": "resign"}, "facts": {}}
    assert proved(client, game)["outcome"]["result"] == "lost"
