"""`racecard run web` behind a socket as systemd passes it: a reload replaces every process and loses no request."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import httpx
import pytest

from tests.installation import Installation, Process, installation, until

pytestmark = [pytest.mark.processes, pytest.mark.long]

TABLE = {"rules": "vegas-solitaire", "config": {"draw": 3, "stake": 0}, "seats": 1}
PERSON = {"username": "ann", "password": "correct horse battery"}
CLIENTS = 4

PASS_ON = (
    "import os, sys; os.dup2(int(sys.argv[1]), 3); "
    "os.environ |= {'LISTEN_FDS': '1', 'LISTEN_PID': str(os.getpid())}; "
    "os.execv(sys.executable, [sys.executable, *sys.argv[2:]])"
)
"""Execute a program with a socket as file descriptor 3 (sd_listen_fds(3))."""


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Installation]:
    with installation(Installation(tmp_path)) as made:
        made.migrate()
        yield made


class Behind:
    """The web processes behind a listening socket."""

    def __init__(self, site: Installation) -> None:
        self.listening = socket.create_server(("127.0.0.1", site.port), backlog=512)
        os.set_inheritable(self.listening.fileno(), True)
        self.address = site.address
        web = ["-m", "config.cli.main", "run", "web", "--processes", "2"]
        command = ["-c", PASS_ON, str(self.listening.fileno()), *web]
        self.process = site.start("web", *command, kind=PassingProcess)

    def processes(self) -> set[int]:
        return set(self.process.descendants())

    def reload(self) -> None:
        """Reload, and wait until no process of before is left."""
        before = self.serving()
        os.kill(self.process.pid, signal.SIGHUP)
        until(lambda: not before & self.processes(), "the processes are replaced")

    def serving(self) -> set[int]:
        """The web processes: the children of uvicorn that have its socket, without those that Python starts."""
        return {pid for pid in self.processes() if b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes()}


class PassingProcess(Process):
    """A process that inherits file descriptors."""

    def _start(self, command: list[str], environment: dict[str, str], output: Any) -> Any:
        return subprocess.Popen(
            [sys.executable, *command],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            close_fds=False,
        )


class Client(threading.Thread):
    """Plays solitaires over REST until it is stopped, each request over a new connection."""

    def __init__(self, address: str, token: str, stop: threading.Event) -> None:
        super().__init__(daemon=True)
        self.address, self.token, self.stop = f"{address}/api/v1/games/", token, stop
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
        answer = httpx.request(method, self.address + path, json=body, headers=headers, timeout=60)
        answer.raise_for_status()
        return answer.json()


def test_a_reload_loses_no_request(site: Installation) -> None:
    web = Behind(site)
    # The socket accepts connections before a process serves.
    httpx.post(f"{web.address}/api/v1/players/", json=PERSON, timeout=60).raise_for_status()
    asked = httpx.post(
        f"{web.address}/api/v1/tokens/", json=PERSON | {"scopes": ["read", "play"]}, timeout=60
    )
    stop = threading.Event()
    clients = [Client(web.address, asked.json()["token"], stop) for _ in range(CLIENTS)]
    for one in clients:
        one.start()
    until(lambda: all(one.versions or one.failures for one in clients), "each client plays")
    before = sum(sum(one.versions.values()) for one in clients)
    web.reload()
    web.reload()
    stop.set()
    for one in clients:
        one.join()
    assert [failure for one in clients for failure in one.failures] == []
    versions = {game: version for one in clients for game, version in one.versions.items()}
    assert sum(versions.values()) > before
    stored = site.sql("SELECT stream_id, max(version) FROM eventstore_event GROUP BY stream_id")
    assert {str(UUID(str(game))): version for game, version in stored}.items() >= versions.items()
    assert web.process.stop() in (0, -signal.SIGTERM)
    assert web.processes() == set()
