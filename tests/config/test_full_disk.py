"""A full disk: reads are answered, commands are refused, no process dies; with room again commands succeed.

The data folder is a small tmpfs where the test may mount one. Elsewhere the web process gets a limit of 0 bytes on the
files it writes (RLIMIT_FSIZE), which any process may set for its own children: there SQLite reports an input/output
error, so the code of the refusal is `unavailable`.
"""

from __future__ import annotations

import json
import resource
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen
from uuid import uuid4

import pytest

from tests.installation import Installation, installation, until

pytestmark = [pytest.mark.sqlite, pytest.mark.processes]

TABLE = {"rules": "vegas-solitaire", "config": {"draw": 3, "stake": 0}, "seats": 1}
PERSON = {"username": "ann", "password": "correct horse battery"}


@contextmanager
def small_disk(folder: Path, size: str = "24m") -> Iterator[bool]:
    """A tmpfs of that size; False where none may be mounted."""
    folder.mkdir(exist_ok=True)
    mount = ["mount", "-t", "tmpfs", "-o", f"size={size}", "racecard-test", str(folder)]
    mounted = subprocess.run(mount, check=False, capture_output=True).returncode == 0
    try:
        yield mounted
    finally:
        if mounted:
            subprocess.run(["umount", "--lazy", str(folder)], check=True)


class Client:
    def __init__(self, address: str) -> None:
        self._address, self.token = address, ""

    def __call__(self, path: str, body: Any = None) -> tuple[int, Any]:
        headers = {"Content-Type": "application/json", "Idempotency-Key": uuid4().hex}
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        data = None if body is None else json.dumps(body).encode()
        try:
            with urlopen(Request(self._address + path, data, headers), timeout=30) as answer:
                return answer.status, json.loads(answer.read())
        except HTTPError as refused:
            return refused.code, json.loads(refused.read())


def fill(disk: Path) -> list[Path]:
    files = []
    for size in (1 << 16, 1 << 10, 1):
        path = disk / f"fill-{size}"
        files.append(path)
        try:
            with path.open("wb", buffering=0) as file:
                while file.write(b"x" * size):
                    pass
        except OSError:
            continue
    return files


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Installation]:
    with installation(Installation(tmp_path)) as made:
        yield made


def test_reads_work_writes_are_refused_and_no_process_ends(tmp_path: Path, site: Installation) -> None:
    data = Path(site.environment["RACECARD_DATA"])
    with small_disk(data) as mounted:
        site.migrate()
        web, client = site.start_web(), Client(site.address)
        until(lambda: is_ready(client), "the web process serves")
        client("/api/v1/players/", PERSON)
        client.token = client("/api/v1/tokens/", PERSON | {"scopes": ["read", "play"]})[1]["token"]
        status, game = client("/api/v1/games/", TABLE)
        assert status == 201

        filled = fill(data) if mounted else []
        if not mounted:
            unlimited = resource.prlimit(web.pid, resource.RLIMIT_FSIZE)
            resource.prlimit(web.pid, resource.RLIMIT_FSIZE, (0, unlimited[1]))
        until(lambda: client("/api/v1/games/", TABLE)[0] == 503, "the disk is full")
        for _ in range(20):
            status, refused = client("/api/v1/games/", TABLE)
            assert (status, refused["code"]) == (503, "storage-full" if mounted else "unavailable")
            assert client(f"/api/v1/games/{game['id']}/")[0] == 200
            assert client("/healthz")[0] == 200
        with urlopen(f"{site.address}/metrics", timeout=30) as scraped:
            assert b"racecard_database_up 1.0" in scraped.read()
        assert web.is_alive(), web.said()

        for path in filled:
            path.unlink()
        if not mounted:
            resource.prlimit(web.pid, resource.RLIMIT_FSIZE, unlimited)
        until(lambda: client("/api/v1/games/", TABLE)[0] == 201, "there is room again")
        assert web.is_alive()
        web.stop()


def is_ready(client: Client) -> bool:
    try:
        return client("/readyz")[0] == 200
    except OSError:
        return False
