"""The web process killed between the event and the reply: the retry with the same key finds the one thing done."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
import uuid
from typing import Any

import httpx
import pytest

from tests.faults.conftest import Place
from tests.installation import Process, until

pytestmark = [pytest.mark.postgres, pytest.mark.processes]

STAKE = 520


class Client:
    def __init__(self, place: Place, token: str) -> None:
        self.place = place
        self.token = token

    def post(self, path: str, body: dict[str, Any], key: str) -> httpx.Response:
        headers = {"Authorization": f"Bearer {self.token}", "Idempotency-Key": key}
        return httpx.post(f"{self.place.address}/api/v1/{path}", json=body, headers=headers, timeout=60)

    def get(self, path: str) -> Any:
        headers = {"Authorization": f"Bearer {self.token}"}
        return httpx.get(f"{self.place.address}/api/v1/{path}", headers=headers, timeout=60).json()

    def post_and_lose_the_reply(self, path: str, body: dict[str, Any], key: str) -> None:
        def send() -> None:
            with contextlib.suppress(httpx.TransportError):
                self.post(path, body, key)

        threading.Thread(target=send, daemon=True).start()


def start_web(place: Place) -> Process:
    web = place.start_web()

    def answers() -> bool:
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", place.port)) == 0

    until(answers, "the web server answers")
    return web


def count(place: Place, table: str) -> int:
    return int(place.sql(f"SELECT count(*) FROM {table}")[0][0])


@pytest.mark.long
@pytest.mark.timeout(400)
def test_each_command_takes_effect_once_though_its_reply_was_lost(place: Place) -> None:
    """A session opened, a stake taken with its deal, a move made: after each the server is killed as soon as the
    database shows the effect, before the client can have used the reply."""
    place.stage("bank", amount=1_000_000)
    player = place.stage("person", name="unlucky")
    client = Client(place, player["token"])
    web = start_web(place)

    def lose_reply(path: str, body: dict[str, Any], table: str) -> dict[str, Any]:
        nonlocal web
        key = str(uuid.uuid4())
        before = count(place, table)
        client.post_and_lose_the_reply(path, body, key)
        until(lambda: count(place, table) > before, f"{path} takes effect")
        web.kill()
        after = count(place, table)
        web = start_web(place)
        again = client.post(path, body, key)
        assert again.status_code in (200, 201), again.text
        assert again.headers["Idempotent-Replay"] == "true"
        assert count(place, table) == after
        third = client.post(path, body, key)
        assert third.json() == again.json()
        return dict(again.json())

    session = lose_reply("play-sessions/", {"amount": 5_200}, "ledger_playsession")
    opened = {
        "rules": "vegas-solitaire",
        "config": {"draw": 1, "stake": STAKE},
        "play_session": session["id"],
        "stake_table": "vegas-classic",
    }
    game = client.post("games/", opened, str(uuid.uuid4())).json()
    client.post(f"games/{game['id']}/seats/", {"client_seed": "mine"}, str(uuid.uuid4()))
    if client.get(f"games/{game['id']}/")["status"] == "open":
        lose_reply(f"games/{game['id']}/start/", {}, "eventstore_event")
    assert place.stage("money", player=player["id"]) == {"cash": 4_800, "session": 5_200 - STAKE}

    move = {"move": client.get(f"games/{game['id']}/")["legal_moves"][0]}
    played = lose_reply(f"games/{game['id']}/moves/", move, "eventstore_event")
    assert client.get(f"games/{game['id']}/")["version"] == played["version"]

    lose_reply(f"games/{game['id']}/moves/", {"move": {"type": "collect"}}, "eventstore_event")
    assert client.get(f"games/{game['id']}/")["status"] == "finished"
    place.stage("examine_installation")


@pytest.mark.soak
@pytest.mark.timeout(400)
def test_a_move_sent_again_after_a_kill_at_any_moment_is_made_once(place: Place) -> None:
    """Kills before, during and after the commit, where the short test kills after it."""
    player = place.stage("person", name="unlucky")
    client = Client(place, player["token"])
    web = start_web(place)
    game = client.post("games/", {"rules": "racing-aces", "seats": 0}, str(uuid.uuid4())).json()["id"]
    if client.get(f"games/{game}/")["status"] == "open":
        client.post(f"games/{game}/start/", {}, str(uuid.uuid4()))
    version = client.get(f"games/{game}/")["version"]
    for delay in (0.0, 0.002, 0.004, 0.008, 0.012, 0.02):
        key = str(uuid.uuid4())
        client.post_and_lose_the_reply(f"games/{game}/moves/", {"move": {"type": "draw"}}, key)
        time.sleep(delay)
        web.kill()
        web = start_web(place)
        again = client.post(f"games/{game}/moves/", {"move": {"type": "draw"}}, key)
        assert again.status_code in (200, 201), again.text
        version += 1
        assert client.get(f"games/{game}/")["version"] == version
    place.stage("examine_installation")
