"""A whole installation for as long as a command runs: web server, worker and ticker in a folder that goes away."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

MANAGE = Path(__file__).resolve().parents[3] / "manage.py"
START = 90.0
STOP = 20.0


class NotStarted(RuntimeError):
    """The server did not come up; the text is the end of what it wrote."""


@dataclass(frozen=True, slots=True)
class Installation:
    url: str
    passwords: Path


@contextmanager
def installation() -> Iterator[Installation]:
    """Serve an empty one, with its demo data, on a free port. Raises NotStarted."""
    with tempfile.TemporaryDirectory(prefix="racecard-demo-") as folder:
        data = Path(folder)
        log = data / "server.log"
        url = f"http://127.0.0.1:{_free_port()}"
        with log.open("wb") as output:
            server = subprocess.Popen(  # noqa: S603 - our own program
                [sys.executable, str(MANAGE), "serve", "--port", url.rpartition(":")[2]],
                env=_environment(data),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        try:
            _await(server, url, log)
            yield Installation(url, data / "demo-passwords.txt")
        finally:
            _stop(server)


def _environment(data: Path) -> dict[str, str]:
    """Ours, but on SQLite in that folder, whatever database our caller uses."""
    kept = {
        name: value for name, value in os.environ.items() if name not in ("DATABASE_URL", "REDIS_URL", "PORT")
    }
    return {**kept, "RACECARD_DATA": str(data)}


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _await(server: subprocess.Popen[bytes], url: str, log: Path) -> None:
    deadline = time.monotonic() + START
    while time.monotonic() < deadline and server.poll() is None:
        try:
            if httpx.get(f"{url}/api/v1/rules/", timeout=2).is_success:
                return
        except httpx.TransportError:
            pass
        time.sleep(0.1)
    raise NotStarted(log.read_text(errors="replace")[-2000:])


def _stop(server: subprocess.Popen[bytes]) -> None:
    if server.poll() is None:
        server.send_signal(signal.SIGINT)
        try:
            server.wait(STOP)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()
