"""`racecard run web` behind a socket as systemd passes it: a reload replaces every process and loses no request."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.installation import Installation, Process, installation, until
from tests.rest_players import play_during

pytestmark = [pytest.mark.processes, pytest.mark.long, pytest.mark.nightly]

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
            cwd=self.log.parent,  # no sources, whose version may not be the installed one
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            close_fds=False,
        )


def test_a_reload_loses_no_request(site: Installation) -> None:
    web = Behind(site)

    def reload_twice() -> None:
        web.reload()
        web.reload()

    # The socket accepts connections before a process serves.
    play_during(site, web.address, reload_twice)
    assert web.process.stop() in (0, -signal.SIGTERM)
    assert web.processes() == set()
