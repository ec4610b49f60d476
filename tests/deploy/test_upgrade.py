"""An installation with a history is upgraded while people read and play, set back by a backup, and upgraded again.

`RACECARD_UPGRADE_FROM` names the revision of the earlier version: `v0.2.0`, or by default the commit before this one.
"""

from __future__ import annotations

import logging
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import pytest

from tests.deploy.test_reload import Behind
from tests.installation import ROOT, Installation, Process, installation, until
from tests.rest_players import TABLE, signed_up

pytestmark = [
    pytest.mark.both_databases,
    pytest.mark.processes,
    pytest.mark.soak,
    pytest.mark.alone,
    pytest.mark.timeout(3600),
]

REVISION = os.environ.get("RACECARD_UPGRADE_FROM", "HEAD^")
GAMES = int(os.environ.get("RACECARD_UPGRADE_GAMES", "20000"))
GROW = f"""
import django
django.setup()
from datetime import timedelta
from django.utils import timezone
from bench import _bulk, growth
now = timezone.now()
first = now - timedelta(days=60)
owners = _bulk.owners(16, first)
_bulk.load(_bulk.played(owners[0], first), growth.shares(owners), first=first, last=now, games={GAMES})
"""
"""Loads so many true copies of games with their stakes, in the earlier version."""

LONGEST_WRITE = 5.0
"""Seconds for which no move may be made during the upgrade."""

LONGEST_READ = 2.0
"""Of a read, which waits for nothing but the processor."""

PERIOD = 0.05
"""Seconds between two requests of a client."""

PERIOD_OF_TABLES = 1.0
"""Seconds between two tables that a client opens."""

OPENERS = 20
"""Players who open tables by turns. Each may have 50, so a slow machine has 1000 s."""

ASIDE = "CREATE SCHEMA before_restore; ALTER TABLE eventstore_event SET SCHEMA before_restore"
BACK = "ALTER TABLE before_restore.eventstore_event SET SCHEMA public; DROP SCHEMA before_restore"
AFTERWARDS = "DROP SCHEMA before_restore CASCADE"
"""The statements of docs/operations.md for PostgreSQL: `restore` of 0.2.0 replaces ordinary tables only."""


class Upgraded(Installation):
    """`current` leads to the sources of the version that is installed."""

    def __init__(self, folder: Path, earlier: Path) -> None:
        super().__init__(folder, RACECARD_LOG_LEVEL="WARNING")
        self.current = folder / "current"
        self.environment["PYTHONPATH"] = f"{self.current}{os.pathsep}{self.current / 'platform'}"
        self.environment["DJANGO_SETTINGS_MODULE"] = "config.settings"
        self.install(earlier)

    def install(self, sources: Path) -> None:
        new = self.folder / "new"
        new.symlink_to(sources)
        new.rename(self.current)

    def command(self, *words: str) -> str:
        """Run `python WORDS` of the installed version."""
        done = subprocess.run(
            [sys.executable, *words],
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def racecard(self, *words: str) -> str:
        return self.command("-m", "config.cli.main", *words)

    def manage(self, *words: str) -> str:
        return self.command(str(self.current / "manage.py"), *words)

    def change(self, statements: str) -> None:
        """Run statements of the documentation on PostgreSQL, and end the connection, as a restore requires."""
        assert f"'{statements}'" in (ROOT / "docs" / "operations.md").read_text()
        if self.database:
            self.sql(statements)
            self.disconnect()

    def start(self, name: str, *command: str, kind: type[Process] = Process) -> Process:
        return super().start(name, *command, kind=kind)


class Client(threading.Thread):
    """Sends one request after another, each again until it succeeds, and keeps how long that took."""

    def __init__(self, request: Callable[[str], httpx.Response], period: float = PERIOD) -> None:
        """`request` sends the next one under a key."""
        super().__init__(daemon=True)
        self.request, self.period, self.over = request, period, threading.Event()
        self.longest = 0.0
        """Seconds from the first try of a request to its success."""
        self.refused: dict[Any, int] = {}
        """The failed tries, by status or error."""
        self.done = 0

    def run(self) -> None:
        while not self.over.is_set():
            began, key = time.monotonic(), uuid4().hex
            while (failure := self.failure(key)) is not None:
                self.refused[failure] = self.refused.get(failure, 0) + 1
                if self.over.wait(self.period):
                    return
            self.longest = max(self.longest, time.monotonic() - began)
            self.done += 1
            self.over.wait(self.period)

    def failure(self, key: str) -> Any:
        try:
            answer = self.request(key)
        except httpx.TransportError as error:
            return type(error).__name__
        return None if answer.is_success else (answer.status_code, answer.json()["code"])

    def said(self) -> str:
        return f"{self.done} requests, at most {self.longest:.2f} s each, refused {self.refused or 'never'}"


@pytest.fixture
def site(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> Iterator[Upgraded]:
    """A grown installation of the earlier version."""
    caplog.set_level(logging.WARNING, "httpx")  # its lines on each request would be kept for the report
    earlier = tmp_path / "earlier"
    earlier.mkdir()
    archive = subprocess.run(["git", "archive", REVISION], cwd=ROOT, check=True, capture_output=True).stdout
    subprocess.run(["tar", "--extract", "--directory", str(earlier)], input=archive, check=True)
    folder = tmp_path / "site"
    folder.mkdir()
    with installation(Upgraded(folder, earlier)) as made:
        made.manage("migrate", "--verbosity", "0")
        made.command("-c", GROW)
        yield made


def test_people_read_and_play_while_the_version_changes(site: Upgraded, tmp_path: Path) -> None:
    web = Behind(site)
    token = signed_up(site.address, "rita")
    openers = [signed_up(site.address, f"opener{number}") for number in range(OPENERS)]

    def send(path: str, body: Any = None, key: str = "", token: str = token) -> httpx.Response:
        head = {"Authorization": f"Bearer {token}"}
        method, headers = ("GET", head) if body is None else ("POST", {**head, "Idempotency-Key": key})
        return httpx.request(method, f"{site.address}/api/v1/{path}", json=body, headers=headers, timeout=60)

    game = send("games/", TABLE, uuid4().hex).json()["id"]
    send(f"games/{game}/seats/", {}, uuid4().hex)
    send(f"games/{game}/start/", {}, uuid4().hex)

    def move(key: str) -> httpx.Response:
        """Draw and take it back by turns."""
        type = "undo" if writer.done % 2 else "draw"
        return send(f"games/{game}/moves/", {"move": {"type": type}}, key)

    def open_table(key: str) -> httpx.Response:
        return send("games/", TABLE, key, openers[opener.done % OPENERS])

    writer = Client(move)
    readers = [
        Client(lambda key, path=path: send(path)) for path in ("games/", f"games/{game}/", "tournaments/")
    ]
    for one in (writer, *readers):
        one.start()
    until(lambda: all(one.done for one in (writer, *readers)), "everybody reads and plays")

    site.racecard("backup", str(tmp_path / "before"))
    for one in (writer, *readers):
        one.longest = 0.0  # a backup may delay a request
    opener = Client(open_table, PERIOD_OF_TABLES)
    opener.start()
    site.install(ROOT)
    site.manage("migrate", "--verbosity", "0")
    ready = httpx.get(f"{site.address}/readyz", timeout=60).status_code  # 503 by 0.2.0
    opened = opener.done
    until(lambda: opener.done > opened + 1, f"the earlier version opens tables: {opener.refused}", 20)
    web.reload()
    made, opened = writer.done, opener.done
    until(lambda: writer.done > made + 5, f"moves are made with the new version: {writer.refused}", 20)
    until(lambda: opener.done > opened + 1, f"the new version opens tables: {opener.refused}", 20)
    for one in (writer, opener, *readers):
        one.over.set()
    for one in (writer, opener, *readers):
        one.join()
    reads = "; ".join(one.said() for one in readers)
    print(f"from {REVISION}: /readyz before the reload: {ready}")
    print(f"moves: {writer.said()}; tables: {opener.said()}; reads: {reads}")
    assert "no faults" in site.manage("checkpoints", "verify")
    assert writer.longest <= LONGEST_WRITE
    assert opener.longest <= LONGEST_WRITE
    for one in readers:
        assert one.refused == {}
        assert one.longest <= LONGEST_READ

    assert web.process.stop() in (0, -signal.SIGTERM)
    web.listening.close()
    refuse_a_damaged_backup(site, tmp_path)
    began = time.monotonic()
    site.change(ASIDE)
    site.install(tmp_path / "earlier")
    site.racecard("restore", "--replace", str(tmp_path / "before"))
    site.racecard("resume")
    site.change(AFTERWARDS)
    again = Behind(site)
    until(lambda: send(f"games/{game}/").is_success, "the earlier version answers")
    print(f"back: {time.monotonic() - began:.1f} s without the site")
    site.manage("migrate", "--check")
    [legal, *_] = send(f"games/{game}/").json()["legal_moves"]
    assert send(f"games/{game}/moves/", {"move": legal}, uuid4().hex).is_success
    assert again.process.stop() in (0, -signal.SIGTERM)

    site.install(ROOT)
    site.manage("migrate", "--verbosity", "0")  # again, although functions of this version were left
    assert "no faults" in site.manage("checkpoints", "verify")


def refuse_a_damaged_backup(site: Upgraded, folder: Path) -> None:
    """Nothing is lost when the earlier version refuses the backup."""
    shutil.copytree(folder / "before", folder / "damaged")
    with next(path for path in sorted((folder / "damaged").rglob("*")) if path.is_file()).open("ab") as file:
        file.write(b"x")
    site.change(ASIDE)
    site.install(folder / "earlier")
    with pytest.raises(AssertionError, match=r"is it a backup|as the backup wrote"):
        site.racecard("restore", "--replace", str(folder / "damaged"))
    site.change(BACK)
    site.install(ROOT)
    assert "no faults" in site.manage("checkpoints", "verify")
