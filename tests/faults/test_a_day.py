"""A day of a busy site in minutes: no process grows, none keeps files open, no job is late, and the audit is clean.

The clock of the installation (`ahead.py`) is set forward by a minute at a time, each time when all jobs that were due
are done.
"""

from __future__ import annotations

import itertools
import json
import logging
import math
import socket
import struct
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from statistics import linear_regression, median
from typing import Any

import httpx
import pytest

from tests.faults.conftest import Place
from tests.faults.fire import EVENTS
from tests.faults.test_events_under_fire import FORMATS
from tests.installation import ROOT, Process, installation, until
from tests.rest_players import TABLE, Player

pytestmark = [pytest.mark.postgres, pytest.mark.processes]

STAKED = TABLE | {"config": {"draw": 3, "stake": 520}, "stake_table": "vegas-classic"}
BOTS = {"rules": "ace-race", "seats": 2, "bots": [1]}
BANK = 10_000_000
"""Pence from which the games of a day are paid."""

MOVES = 20
"""Moves of a game before it is collected or left."""

PAUSE = 0.1
"""Seconds between two moves."""

ENDING = {"collect", "undo"}

LATEST = 180.0
"""Seconds in which all that has become due is done."""

STREAMS = 20
"""Event streams that are open at a time."""

EVENT_EVERY = 4
"""Hours between two tournaments of bots."""

EVENT = {**FORMATS["swiss fours"], "rounds": 2, "bots": 8}

GROWTH = 0.01
"""The part of its memory by which a process may grow in an hour, after the first one."""

Sizes = dict[str, tuple[int, int]]
"""The memory of each process with its children that is not of files, in kB, and its file descriptors."""


class Site(Place):
    """An installation whose clock can be set forward."""

    def __init__(self, folder: Path) -> None:
        clock = folder / "clock"
        clock.write_bytes(struct.pack("d", 0))
        super().__init__(
            folder,
            DJANGO_SETTINGS_MODULE="tests.faults.ahead",
            RACECARD_TEST_CLOCK=str(clock),
            RACECARD_LOG_LEVEL="WARNING",
        )
        self._clock = clock.open("r+b", buffering=0)
        self.ahead = 0.0

    def set_forward(self, seconds: float) -> datetime:
        """The time on the clock after that."""
        self.ahead += seconds
        self._clock.seek(0)
        self._clock.write(struct.pack("d", self.ahead))
        return datetime.now(UTC) + timedelta(seconds=self.ahead)

    def staged(self, script: Path, function: str, environment: dict[str, str], **arguments: Any) -> Any:
        """In a process that is started from nothing: a forked one has its settings already."""
        done = subprocess.run(
            [sys.executable, str(script), function, json.dumps(arguments)],
            cwd=ROOT,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return json.loads(done.stdout.splitlines()[-1])

    def start(self, name: str, *command: str, kind: type[Process] = Process) -> Process:
        return super().start(name, *command, kind=Process)

    def all_done(self, due: datetime) -> bool:
        """Whether all jobs that were due then are done."""
        return not self.sql("SELECT 1 FROM jobs_job WHERE done IS NULL AND due <= %s LIMIT 1", due)


@pytest.fixture
def site(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> Iterator[Site]:
    caplog.set_level(logging.WARNING, "httpx")  # its lines on each request would be kept for the report
    with installation(Site(tmp_path)) as site:
        site.migrate()
        yield site


@pytest.mark.nightly
@pytest.mark.long
@pytest.mark.timeout(300)
def test_two_minutes_of_a_day(site: Site) -> None:
    live(site, minutes=2)


@pytest.mark.soak
@pytest.mark.timeout(7200)
def test_a_day_leaves_every_process_as_large_as_after_its_first_hour(site: Site) -> None:
    sizes = live(site, minutes=24 * 60)
    for name in sizes[0]:
        memory = [one[name][0] for one in sizes[1:]]
        files = [one[name][1] for one in sizes[1:]]
        slope = linear_regression(range(len(memory)), memory).slope / memory[0]
        print(f"{name}: {memory[0]} kB, {slope:+.2%} an hour; {files[0]} to {files[-1]} files")
        assert slope <= GROWTH, memory
        assert median(files[-6:]) <= median(files[:6]) + 1, files


class Visitor(Player):
    """Plays staked solitaires, and leaves tables with bots alone. The last games are watched over event streams."""

    def __init__(self, site: Site, token: str) -> None:
        super().__init__(site.address, token, threading.Event())
        self.port = site.port
        self.watched: deque[socket.socket] = deque()

    def run(self) -> None:
        tables = itertools.cycle([STAKED, STAKED, BOTS])
        try:
            while not self.stop.is_set():
                self.visit(next(tables))
        except (httpx.HTTPError, LookupError, AssertionError, OSError) as error:
            self.failures.append(repr(error))
        for stream in self.watched:
            stream.close()

    def visit(self, table: dict[str, Any]) -> None:
        game = self.send("POST", "", table)["id"]
        self.send("POST", f"{game}/seats/", {})
        if self.send("GET", f"{game}/")["status"] == "open":
            self.send("POST", f"{game}/start/")
        self.watch(game)
        for _ in range(MOVES):
            moves = [one for one in self.send("GET", f"{game}/legal-moves/") if one["type"] not in ENDING]
            if moves:
                self.send("POST", f"{game}/moves/", {"move": moves[0]})
            self.stop.wait(PAUSE)
        if table is STAKED:
            self.send("POST", f"{game}/moves/", {"move": {"type": "collect"}})

    def watch(self, game: str) -> None:
        stream = socket.create_connection(("127.0.0.1", self.port))
        self.watched.append(stream)
        request = (
            f"GET /api/v1/feed/?game={game} HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n"
        )
        stream.sendall(f"{request}Authorization: Bearer {self.token}\r\n\r\n".encode())
        answer = stream.recv(1000)
        assert b" 200 " in answer, answer
        if len(self.watched) > STREAMS:
            self.watched.popleft().close()


@contextmanager
def visitor(site: Site, name: str) -> Iterator[None]:
    """A new person plays meanwhile."""
    person = Visitor(site, site.stage("person", name=name)["token"])
    person.start()
    try:
        yield
    finally:
        person.stop.set()
        person.join()
    assert person.failures == []


def live(site: Site, minutes: int) -> list[Sizes]:
    """So many minutes of play. Answers with the sizes at the start and after each hour."""
    site.stage("bank", amount=BANK)
    processes = {
        "web": site.serve_web(),
        "worker": site.start_worker(concurrency=1),
        "ticker": site.start_ticker(),
    }
    sizes, event = [], ""
    for hour in range(math.ceil(minutes / 60)):
        sizes.append({name: size(one) for name, one in processes.items()})
        if hour % EVENT_EVERY == 0:
            event = site.staged(EVENTS, "begin", site.environment, **EVENT, seed=f"hour {hour}")
        with visitor(site, f"person{hour}"):
            for _ in range(min(60, minutes - 60 * hour)):
                due = site.set_forward(60)
                until(partial(site.all_done, due), "the jobs that were due are done", LATEST)
    # The ticker has to report once at the time that it was set to.
    whole = f"{site.address}/readyz?whole=1"
    until(lambda: httpx.get(whole, timeout=30).status_code == 200, "every part works", LATEST)
    site.staged(EVENTS, "examine", site.environment, id=event)
    return [*sizes, {name: size(one) for name, one in processes.items()}]


def size(process: Process) -> tuple[int, int]:
    memory = files = 0
    for pid in (process.pid, *process.descendants()):
        status = Path(f"/proc/{pid}/status").read_text()
        memory += int(status.partition("RssAnon:")[2].split()[0])
        files += len(list(Path(f"/proc/{pid}/fd").iterdir()))
    return memory, files
