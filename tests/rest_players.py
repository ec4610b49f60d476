"""Clients that play over REST while a deployment changes under them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any
from uuid import UUID, uuid4

import httpx

from tests.installation import Installation, until

TABLE = {"rules": "vegas-solitaire", "config": {"draw": 3, "stake": 0}, "seats": 1}
PASSWORD = "correct horse battery"
CLIENTS = 4


def signed_up(address: str, username: str = "ann", **options: Any) -> str:
    """The token of a new player."""
    person = {"username": username, "password": PASSWORD}
    httpx.post(f"{address}/api/v1/players/", json=person, timeout=60, **options).raise_for_status()
    body = {**person, "scopes": ["read", "play"]}
    asked = httpx.post(f"{address}/api/v1/tokens/", json=body, timeout=60, **options)
    return str(asked.json()["token"])


class Player(threading.Thread):
    """Plays solitaires over REST until it is stopped, each request over a new connection."""

    def __init__(self, address: str, token: str, stop: threading.Event, **options: Any) -> None:
        """`options` are those of httpx, such as `verify`."""
        super().__init__(daemon=True)
        self.address, self.token, self.stop = f"{address}/api/v1/games/", token, stop
        self.options = options
        self.versions: dict[str, int] = {}
        """The version of each game after its last move."""
        self.failures: list[str] = []

    def run(self) -> None:
        while not self.stop.is_set() and not self.failures:
            try:
                game = self.send("POST", "", TABLE)["id"]
                self.send("POST", f"{game}/seats/", {})
                self.send("POST", f"{game}/start/")
                self.play(game)
            except (httpx.HTTPError, LookupError, TypeError) as error:
                self.failures.append(repr(error))

    def play(self, game: str) -> None:
        """Play until only collecting ends the game, and collect."""
        while not self.stop.is_set() and (moves := self.send("GET", f"{game}/legal-moves/")):
            move = next((one for one in moves if one["type"] != "collect"), moves[0])
            self.versions[game] = self.send("POST", f"{game}/moves/", {"move": move})["version"]

    def send(self, method: str, path: str, body: Any = None) -> Any:
        headers = {"Authorization": f"Bearer {self.token}", "Idempotency-Key": uuid4().hex}
        answer = httpx.request(
            method, self.address + path, json=body, headers=headers, timeout=60, **self.options
        )
        answer.raise_for_status()
        return answer.json()


def play_during(
    site: Installation, address: str, change: Callable[[], None], *, person: str = "rita", **options: Any
) -> None:
    """Play while `change` happens. Assert that every request was answered, and that every move is stored."""
    token, stop = signed_up(address, person, **options), threading.Event()
    clients: Sequence[Player] = [Player(address, token, stop, **options) for _ in range(CLIENTS)]
    for one in clients:
        one.start()
    until(lambda: all(one.versions or one.failures for one in clients), "each client plays")
    before = sum(sum(one.versions.values()) for one in clients)
    change()
    stop.set()
    for one in clients:
        one.join()
    assert [failure for one in clients for failure in one.failures] == []
    versions = {game: version for one in clients for game, version in one.versions.items()}
    assert sum(versions.values()) > before
    stored = site.sql("SELECT stream_id, max(version) FROM eventstore_event GROUP BY stream_id")
    assert {str(UUID(str(game))): version for game, version in stored}.items() >= versions.items()
