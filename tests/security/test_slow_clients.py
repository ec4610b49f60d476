"""Test that slow clients do not delay others."""

from __future__ import annotations

import contextlib
import json
import random
import socket
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest

from config.management.commands.serve import web_command
from tests.conftest import PLAYER_SCOPES
from tests.installation import ROOT, Installation, Process, installation, until

pytestmark = pytest.mark.processes

FILE = "/static/drf_spectacular_sidecar/redoc/bundles/redoc.standalone.js"
PASSWORD = "correct horse battery"
STREAMS_EACH = 20
DEADLINE = 1.5
IMPATIENT = f"""
import uvicorn
from config.server import bridge, connections
bridge.BODY_SECONDS = connections.HEADER_SECONDS = {DEADLINE}
uvicorn.main()
"""
"""The web process with shorter deadlines than those of ten seconds."""

LISTENING = "0A"
"""The state of a listening socket in /proc/net/tcp."""


class Player:
    """A well-behaved client on one connection. It waits after a 429: it may make 1,000 moves in 10 seconds."""

    took = 0.0
    """Seconds that its last request took."""

    def __init__(self, place: Installation, name: str) -> None:
        self.line = HTTPConnection("127.0.0.1", place.port, timeout=30)
        self.token = ""
        self.ask("POST", "players/", username=name, password=PASSWORD)
        who = {"username": name, "password": PASSWORD, "scopes": PLAYER_SCOPES}
        self.token = self.ask("POST", "tokens/", **who)["token"]

    def ask(self, method: str, path: str, **body: Any) -> Any:
        headers = {"Content-Type": "application/json", "Idempotency-Key": str(uuid.uuid4())}
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        while True:
            began = time.perf_counter()
            self.line.request(method, f"/api/v1/{path}", json.dumps(body), headers)
            answer = self.line.getresponse()
            received = answer.read()
            self.took = time.perf_counter() - began
            if answer.status != 429:
                break
            self.line.close()  # the server would, while this waits
            time.sleep(int(answer.headers["Retry-After"]))
        assert answer.status < 300, received
        return json.loads(received)

    def deal(self) -> str:
        game = self.ask("POST", "games/", rules="vegas-solitaire", config={"draw": 1, "stake": 0})["id"]
        self.ask("POST", f"games/{game}/seats/", client_seed="")
        self.ask("POST", f"games/{game}/start/")
        return str(game)

    def play(self, game: str, moves: int) -> list[float]:
        """Seconds that each move took, in ascending order."""
        self.line.close()  # the server closes an idle connection after some seconds
        took = []
        for number in range(moves):
            self.ask("POST", f"games/{game}/moves/", move={"type": "undo" if number % 2 else "draw"})
            took.append(self.took)
        return sorted(took)


class Crowd:
    def __init__(self, process: subprocess.Popen[str], log: Path) -> None:
        self.process, self.log = process, log

    def counts(self) -> dict[str, int]:
        lines = self.log.read_text().splitlines()
        return json.loads(lines[-1]) if lines else {"open": 0, "answered": 0, "closed": 0}


@contextlib.contextmanager
def crowd(place: Installation, **wanted: Any) -> Iterator[Crowd]:
    """The connections of `crowd.py`, until the block ends."""
    log = place.folder / "crowd.log"
    with log.open("w") as output:
        process = subprocess.Popen(
            [sys.executable, ROOT / "tests" / "security" / "crowd.py"],
            stdin=subprocess.PIPE,
            stdout=output,
            text=True,
        )
    assert process.stdin is not None
    try:
        process.stdin.write(json.dumps({"port": place.port, "file": FILE, **wanted}) + "\n")
        process.stdin.flush()
        found = Crowd(process, log)
        until(
            lambda: found.counts()["answered"] >= len(wanted["streams"]) and found.counts()["open"],
            "it is in",
        )
        yield found
    finally:
        process.stdin.close()
        process.wait()


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Installation]:
    with installation(Installation(tmp_path)) as place:
        place.environment["RACECARD_LOG_LEVEL"] = "WARNING"
        place.environment["FORWARDED_ALLOW_IPS"] = (
            "127.0.0.1"  # all clients come from one address, as behind a proxy
        )
        place.migrate()
        yield place


@pytest.fixture
def web(place: Installation) -> Process:
    web = place.start_web()
    until(lambda: answers(place, "/healthz"), "the web process answers")
    return web


def answers(place: Installation, path: str, timeout: float = 5.0) -> bool:
    line = HTTPConnection("127.0.0.1", place.port, timeout=timeout)
    try:
        line.request("GET", path)
        return line.getresponse().status == 200
    except OSError:
        return False
    finally:
        line.close()


def held_by(process: Process, port: int) -> int:
    """How many connections of clients and static files the process has open."""
    connections = {
        inode
        for line in Path(f"/proc/{process.pid}/net/tcp").read_text().splitlines()[1:]
        for _, local, _, state, *_, inode in [line.split()[:10]]
        if int(local.partition(":")[2], 16) == port and state != LISTENING
    }
    found = 0
    for each in Path(f"/proc/{process.pid}/fd").iterdir():
        with contextlib.suppress(OSError):
            to = str(each.readlink())
            found += to.removeprefix("socket:[").removesuffix("]") in connections
            found += to.endswith(FILE.rpartition("/")[2])
    return found


def memory(process: Process) -> int:
    """The largest resident set so far, in MiB."""
    status = Path(f"/proc/{process.pid}/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) // 1024


def streams(place: Installation, game: str, count: int) -> list[tuple[str, str]]:
    viewers = [Player(place, f"viewer-{number}") for number in range(-(-count // STREAMS_EACH))]
    followed = f"/api/v1/games/{game}/events/"
    return [(followed, viewer.token) for viewer in viewers for _ in range(STREAMS_EACH)][:count]


def test_dozens_of_slow_clients_delay_no_one(place: Installation, web: Process) -> None:
    player = Player(place, "player")
    game, idle = player.deal(), player.deal()
    player.play(game, 10)
    before = held_by(web, place.port)
    held = streams(place, idle, 20)
    with crowd(place, headers=40, bodies=40, readers=40, streams=held) as slow:
        assert slow.counts()["open"] == 140
        assert player.play(game, 20)[-1] < 5
        assert answers(place, "/healthz")
        assert answers(place, "/readyz")
        assert answers(place, FILE)
    until(lambda: held_by(web, place.port) <= before, "what the crowd held is free", patience=5)
    assert player.play(game, 20)[-1] < 5


@contextlib.contextmanager
def connected(place: Installation) -> Iterator[socket.socket]:
    with socket.create_connection(("127.0.0.1", place.port), timeout=30) as line:
        yield line


def received(line: socket.socket) -> bytes:
    """Everything until the server closes."""
    pieces = []
    while piece := line.recv(65536):
        pieces.append(piece)
    return b"".join(pieces)


def test_large_requests_end_their_connection(place: Installation, web: Process) -> None:
    began = time.monotonic()
    with connected(place) as large:
        large.sendall(b"POST /api/v1/tokens/ HTTP/1.1\r\nHost: x\r\nContent-Length: 9999999\r\n\r\n")
        answer = b""
        while b'"body-too-large"' not in answer and (piece := large.recv(65536)):
            answer += piece
    assert b" 413 " in answer
    assert b'"body-too-large"' in answer

    with connected(place) as long, contextlib.suppress(OSError):
        long.sendall(b"GET / HTTP/1.1\r\n")
        for _ in range(10):
            long.sendall(b"X-Long: " + b"x" * 100_000 + b"\r\n")
            time.sleep(0.05)
        assert received(long) == b""

    with connected(place) as eager, contextlib.suppress(OSError):
        eager.sendall(f"GET {FILE} HTTP/1.1\r\nHost: x\r\n\r\n".encode() * 50)
        assert received(eager) == b""
    assert time.monotonic() - began < 8, "before any deadline"


def test_slow_requests_end_at_their_deadline(place: Installation) -> None:
    place.start("web", "-c", IMPATIENT, *web_command("127.0.0.1", place.port, "127.0.0.1")[2:])
    until(lambda: answers(place, "/healthz"), "the web process answers")
    began = time.monotonic()
    with connected(place) as header, connected(place) as body, connected(place) as silent:
        header.sendall(b"GET / HTTP/1.1\r\nX-Slow: ")
        body.sendall(b"POST /api/v1/tokens/ HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{")
        answer = received(body)
        assert b" 408 " in answer
        assert b'"body-too-slow"' in answer
        assert received(header) == b""
        assert received(silent) == b""
    assert time.monotonic() - began > DEADLINE


def test_full_server_closes_oldest_idle_connections(place: Installation) -> None:
    place.environment |= {"RACECARD_CONNECTIONS": "20", "RACECARD_CONNECTIONS_PER_ADDRESS": "5"}
    place.environment["FORWARDED_ALLOW_IPS"] = "127.0.0.9"
    place.start_web()
    until(lambda: answers(place, "/healthz"), "the web process answers")

    lines = []
    for number in range(1, 9):
        for _ in range(5):
            line = socket.socket()
            line.bind((f"127.0.1.{number}", 0))
            line.settimeout(30)
            line.connect(("127.0.0.1", place.port))
            lines.append(line)
    assert answers(place, "/healthz")
    assert received(lines[0]) == b""

    crowded = socket.socket()
    crowded.bind(("127.0.1.8", 0))
    crowded.connect(("127.0.0.1", place.port))
    assert received(crowded).startswith(b"HTTP/1.1 429 ")
    for line in [*lines, crowded]:
        line.close()


@pytest.mark.both_databases
@pytest.mark.soak
@pytest.mark.alone
@pytest.mark.timeout(900)
def test_thousands_of_slow_clients(place: Installation, web: Process) -> None:
    player = Player(place, "player")
    game, idle = player.deal(), player.deal()
    held = streams(place, idle, 1000)
    player.play(game, 200)
    quiet = player.play(game, 500)
    before, base = held_by(web, place.port), memory(web)
    random.shuffle(held)
    with crowd(place, headers=2000, bodies=500, readers=500, streams=held) as slow:
        attacked = player.play(game, 1000)
        for path in ("/healthz", "/readyz", FILE):
            assert answers(place, path)
        counts = slow.counts()
    left = time.monotonic()
    until(lambda: held_by(web, place.port) <= before, "what the crowd held is free", patience=5)
    free = time.monotonic() - left
    after = player.play(game, 200)

    def p99(times: list[float]) -> float:
        return 1000 * times[int(len(times) * 0.99)]

    print(
        f"\n{counts}; p99 of a move {p99(quiet):.0f} ms quiet, {p99(attacked):.0f} ms attacked, "
        f"{p99(after):.0f} ms after; at most {memory(web)} MiB ({base} before); free after {free:.1f} s"
    )
    assert counts["open"] == 4000
    assert p99(attacked) <= 3 * p99(quiet)
    assert memory(web) < base + 300
