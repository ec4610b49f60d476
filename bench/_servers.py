"""Servers that a benchmark starts. What they write is shown when the benchmark fails, with how each has ended."""

from __future__ import annotations

import os
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from bench._common import processor_seconds

START_TIMEOUT = 120.0
STOP_TIMEOUT = 30.0
SHOWN = 4000
"""Bytes of the end of a log."""


class ServerEnded(Exception):
    """A server ended before it listened."""


@dataclass(frozen=True)
class Server:
    name: str
    port: int
    process: subprocess.Popen[bytes]
    log: IO[bytes]

    @property
    def pid(self) -> int:
        """With one worker the process that serves."""
        return self.process.pid

    def await_port(self) -> None:
        """Wait until it listens. Raises ServerEnded, TimeoutError."""
        deadline = time.monotonic() + START_TIMEOUT
        while time.monotonic() < deadline:
            if self.process.poll() is not None:
                raise ServerEnded(f"{self.name} ended before it listened on port {self.port}")
            try:
                socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
                return
            except OSError:
                time.sleep(0.1)
        raise TimeoutError(f"{self.name} does not listen on port {self.port} after {START_TIMEOUT:.0f} s")

    def report(self) -> str:
        """Return whether it still runs, and the end of its log."""
        code = self.process.poll()
        state = "runs" if code is None else f"ended with exit code {code}"
        self.log.flush()
        self.log.seek(max(0, self.log.seek(0, os.SEEK_END) - SHOWN))
        written = self.log.read().decode(errors="replace").strip()
        return f"{self.name} {state}, and wrote " + (f"at the end:\n{written}" if written else "nothing")

    def resident(self) -> int:
        """Return the bytes of its resident set."""
        pages = int(Path(f"/proc/{self.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")

    def processor_seconds(self) -> float:
        return processor_seconds(self.pid)


@contextmanager
def started(
    name: str, port: int, command: Sequence[str | Path], environment: Mapping[str, str]
) -> Iterator[Server]:
    """Yield a server that may not listen yet. An exception gets a note with the server's state and log."""
    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen(command, env=environment, stdout=log, stderr=subprocess.STDOUT)
        server = Server(name, port, process, log)
        try:
            yield server
        except Exception as error:
            error.add_note(server.report())
            raise
        finally:
            process.terminate()
            try:
                process.wait(STOP_TIMEOUT)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
