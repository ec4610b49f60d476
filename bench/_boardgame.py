"""boardgame.io with its file storage, a peer of a move over HTTP: its installation, its server, and its clients.

`python -m bench._boardgame` installs it with npm into the environment of the benchmarks. The server
(`boardgame/server.js`) is one Node process, as boardgame.io documents it: the queue that keeps the moves of a match
apart is in the memory of one process.

A client creates a match for one player and joins it by the lobby, over HTTP. Then it opens a WebSocket and sends the
messages of boardgame.io's own client: `sync` once, and for each move `update` with the action, the credentials of the
player, and the number of the state that the player has seen. It waits until the server has sent it the new state, and
has one move under way, like a client of the platform.

For a move, the server reads metadata and state of the match from their files, compares the credentials with those in
the metadata and the number of the state, calls the move, sends state and log entry to the clients of the match, and
writes three files: the log, which is read, extended, and written as a whole, the state, and the metadata.

It does less than a move of the platform:

- The move takes a card from a list of 24. It has no rules to check, no legal moves to answer, and nothing to hide.
- Nothing is hashed or sealed, and a move that is sent twice is not recognised.
- The answer is sent before the files are written, and the files are never flushed to the disk (no `fsync`). A second
  server, `boardgame_flushed`, flushes each file, but still answers first.
- No rate is limited, and no other process can serve the match.

A move waits until the files of the move before it are written. After the last move, the client reads state and log from
the server, and fails unless both have every move that was counted. A match lasts for one slice of the measurement,
because the log, and with it the cost of a move, grows with every move.

boardgame.io 0.50.2 is developed with node-persist 3.1.0; in later versions a write may wait for a timer of one second.
With koa-compose 4.2.0 the server does not find its lobby, so 4.1.0 is installed.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

from bench._servers import Server, started
from tools.frontend import ClientError, node_folder, npm, programs
from tools.services import free_port

SOURCES = Path(__file__).parent / "boardgame"
FOLDER = Path(sys.prefix) / "boardgame"
"""Where npm has installed the packages."""
LOCK = "package-lock.json"

GAME = "cards"
PLAYER = "0"
NAMESPACE = f"/{GAME},".encode()
EVENT = b"42" + NAMESPACE
"""The beginning of a message with an event: engine.io's 4 (message), socket.io's 2 (event), and the namespace."""
PATIENCE = 30.0


def install() -> None:
    """Install the packages by hash, unless this environment has them. Raises ClientError."""
    if _is_current():
        return
    draft = FOLDER.with_name("boardgame.draft")
    shutil.rmtree(draft, ignore_errors=True)
    shutil.copytree(SOURCES, draft)
    npm("ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", folder=draft)
    shutil.rmtree(FOLDER, ignore_errors=True)
    draft.rename(FOLDER)


def installed() -> bool:
    """Whether boardgame.io can be measured. Says so if not."""
    try:
        node_folder()
    except ClientError as error:
        print(f"  boardgame.io is not measured: {error}")
        return False
    if not _is_current():
        print("  boardgame.io is not measured: python -m bench._boardgame installs it")
        return False
    return True


def _is_current() -> bool:
    lock = FOLDER / LOCK
    return lock.exists() and lock.read_bytes() == (SOURCES / LOCK).read_bytes()


@contextmanager
def serving(*, flush: bool) -> Iterator[Server]:
    """Yield a server with an empty storage, which `flush` has flush each file to the disk. It may not listen yet."""
    port = free_port()
    with tempfile.TemporaryDirectory(prefix="racecard-boardgame-") as storage:
        environment = {**os.environ, "NODE_ENV": "production", "NODE_PATH": str(FOLDER / "node_modules")}
        command = [programs() / "node", SOURCES / "server.js", str(port), storage, *["flush"] * flush]
        name = "boardgame.io, flushed" if flush else "boardgame.io"
        with started(name, port, command, environment) as server:
            yield server


class Player:
    """One client, which has a new match for every connection."""

    @contextmanager
    def connected(self, port: int) -> Iterator[Callable[[], None]]:
        """Yield a function that makes a move and returns when the server has answered it."""
        match = _ask(port, f"/games/{GAME}/create", {"numPlayers": 1})["matchID"]
        joined = _ask(port, f"/games/{GAME}/{match}/join", {"playerName": "bench", "playerID": PLAYER})
        with WebSocket(port) as line:
            seat = Seat(line, match, joined["playerCredentials"])
            if seat.stored() != (0, 0):
                raise Unstored("a new match has moves")
            yield seat.move
            seat.await_storage()


class Seat:
    """A player in a match, as boardgame.io's client has it."""

    def __init__(self, line: WebSocket, match: str, credentials: str) -> None:
        self._line, self._match, self._credentials = line, match, credentials
        self._moves = 0
        line.send(b"40" + NAMESPACE)
        self._await(b"40" + NAMESPACE)

    def move(self) -> None:
        payload = {"type": "draw", "args": [], "playerID": PLAYER, "credentials": self._credentials}
        self._emit("update", {"type": "MAKE_MOVE", "payload": payload}, self._moves, self._match, PLAYER)
        self._moves += 1
        state = self._await(EVENT + b'["update",')
        if b'"_stateID":%d,' % self._moves not in state and b'"_stateID":%d}' % self._moves not in state:
            raise Unstored(f"not the state after {self._moves} moves: {state[:2000]!r}")

    def stored(self) -> tuple[int, int]:
        """Return the number of moves in the stored state and in the stored log."""
        self._emit("sync", self._match, PLAYER, self._credentials, 1)
        _, _, found = json.loads(self._await(EVENT + b'["sync",').removeprefix(EVENT))
        return found["state"]["_stateID"], len(found.get("log", ()))

    def await_storage(self) -> None:
        """Wait until every move is in the storage. Raises Unstored."""
        until = time.monotonic() + PATIENCE
        while (found := self.stored()) != (self._moves, self._moves):
            if time.monotonic() > until:
                raise Unstored(f"{self._moves} moves were answered, {found} are stored")
            time.sleep(0.05)

    def _emit(self, *words: Any) -> None:
        self._line.send(EVENT + json.dumps(words, separators=(",", ":")).encode())

    def _await(self, beginning: bytes) -> bytes:
        while not (message := self._line.receive()).startswith(beginning):
            if message == b"2":
                self._line.send(b"3")  # engine.io's ping
        return message


class Unstored(Exception):
    """A move that must not be counted."""


class WebSocket:
    """A plain socket that sends and receives short text messages, so that it costs little."""

    def __init__(self, port: int) -> None:
        self._line = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
        self._line.sendall(
            b"GET /socket.io/?EIO=4&transport=websocket HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\n"
            b"Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
        )
        self._received = b""
        while b"\r\n\r\n" not in self._received:
            self._read()
        head, _, self._received = self._received.partition(b"\r\n\r\n")
        if not head.startswith(b"HTTP/1.1 101 "):
            raise ConnectionError(head)

    def __enter__(self) -> WebSocket:
        return self

    def __exit__(self, *_: object) -> None:
        self._line.close()

    def send(self, text: bytes) -> None:
        length = len(text)
        size = bytes([0x80 | length]) if length < 126 else b"\xfe" + length.to_bytes(2, "big")
        # A mask of zeros changes nothing.
        self._line.sendall(b"\x81" + size + bytes(4) + text)

    def receive(self) -> bytes:
        length, start = self._take(0, 2)[1], 2
        if length > 125:
            start = 4 if length == 126 else 10
            length = int.from_bytes(self._take(2, start), "big")
        text = self._take(start, start + length)
        self._received = self._received[start + length :]
        return text

    def _take(self, start: int, end: int) -> bytes:
        while len(self._received) < end:
            self._read()
        return self._received[start:end]

    def _read(self) -> None:
        received = self._line.recv(65536)
        if not received:
            raise ConnectionError("the server has closed the connection")
        self._received += received


def _ask(port: int, path: str, body: dict[str, Any]) -> dict[str, Any]:
    """POST to the lobby."""
    with closing(HTTPConnection("127.0.0.1", port, timeout=PATIENCE)) as lobby:
        lobby.request("POST", path, json.dumps(body), {"Content-Type": "application/json"})
        answer = lobby.getresponse()
        if answer.status != 200:
            raise ConnectionError(f"{path}: {answer.status}")
        return dict(json.load(answer))


if __name__ == "__main__":
    try:
        install()
    except ClientError as error:
        print(f"racecard: boardgame.io IS NOT INSTALLED and will not be measured: {error}.")
