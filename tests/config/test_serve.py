"""The supervisor with real processes: what dies comes back, and nothing outlives it."""

from __future__ import annotations

import os
import signal
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from urllib.request import urlopen

import pytest

from config.management.commands import serve as serving
from tests.installation import PATIENCE, ROOT, Installation, Process, installation, is_running, until
from tools.services import free_port

pytestmark = [pytest.mark.sqlite, pytest.mark.processes]

CHILDREN = """
import os, sys
sys.path[:0] = [{platform!r}]
from config.server.supervise import Program, Supervisor

def write(name, line):
    os.write(1, f"{{name}} {{line}}\\n".encode())

sleeper = "import subprocess, sys, time; subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)']);" \\
    "print('up', flush=True); time.sleep(600)"
stubborn = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN);" \\
    "print('up', flush=True); time.sleep(600)"
programs = [Program("a", [sys.executable, "-c", sleeper]), Program("b", [sys.executable, "-c", {second}])]
Supervisor(programs, write, grace=2).run()
print("all ended", flush=True)
"""


def supervise(tmp_path: Path, second: str = "sleeper") -> Process:
    script = CHILDREN.format(platform=str(ROOT / "platform"), second=second)
    return Process(["-c", script], dict(os.environ), tmp_path / "log")


@pytest.fixture
def supervisor(tmp_path: Path) -> Iterator[Process]:
    process = supervise(tmp_path)
    until(lambda: process.said().count(" up\n") == 2, "both programs run")
    family = process.descendants()
    yield process
    for pid in {*family, *process.descendants()}:
        if is_running(pid):
            os.kill(pid, signal.SIGKILL)
    process.destroy()


def await_end(pids: list[int]) -> None:
    """The supervisor returns after SIGKILL to its grandchildren, without waiting for their end."""
    until(lambda: not any(is_running(pid) for pid in pids), "they have ended")


ANSWERS = """
import os, sys
sys.path[:0] = [{platform!r}]
from pathlib import Path
from config.server.supervise import Program, Supervisor

def write(name, line):
    os.write(1, f"{{name}} {{line}}\\n".encode())

up = "import time; print('up', flush=True); time.sleep(600)"
programs = [
    Program("first", [sys.executable, "-c", up], healthy=Path({file!r}).exists),
    Program("second", [sys.executable, "-c", up]),
]
Supervisor(programs, write, grace=2).run()
"""


class TestSupervisor:
    def test_the_next_program_starts_when_the_one_before_has_answered(self, tmp_path: Path) -> None:
        file = tmp_path / "answers"
        script = ANSWERS.format(platform=str(ROOT / "platform"), file=str(file))
        process = Process(["-c", script], dict(os.environ), tmp_path / "log")
        try:
            until(lambda: "first up\n" in process.said(), "the first program runs")
            assert len(process.descendants()) == 1
            file.touch()
            until(lambda: "second up\n" in process.said(), "the second program runs")
            assert process.stop(signal.SIGTERM) == 0
        finally:
            process.destroy()

    @pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
    def test_a_signal_ends_the_programs_and_their_children(
        self, supervisor: Process, number: signal.Signals
    ) -> None:
        family = supervisor.descendants()
        assert len(family) == 4
        assert supervisor.stop(number) == 0
        await_end(family)
        assert supervisor.said().endswith("all ended\n")

    def test_a_dead_program_is_restarted_and_its_children_ended(self, supervisor: Process) -> None:
        before = supervisor.descendants()
        victim = next(pid for pid in before if "'up'" in Path(f"/proc/{pid}/cmdline").read_text())
        os.kill(victim, signal.SIGKILL)
        until(lambda: supervisor.said().count(" up\n") == 3, "it is started again")
        assert "ended (signal SIGKILL); starting it again in 1 s" in supervisor.said()
        now = supervisor.descendants()
        assert len(now) == 4
        await_end([pid for pid in before if pid not in now])

    def test_a_killed_supervisor_takes_its_programs_with_it(self, supervisor: Process) -> None:
        programs = [
            pid for pid in supervisor.descendants() if "'up'" in Path(f"/proc/{pid}/cmdline").read_text()
        ]
        assert len(programs) == 2
        supervisor.kill()
        await_end(programs)

    def test_a_program_that_does_not_stop_is_killed_in_the_end(self, tmp_path: Path) -> None:
        process = supervise(tmp_path, second="stubborn")
        until(lambda: process.said().count(" up\n") == 2, "both programs run")
        family = process.descendants()
        assert process.stop() == 0
        assert "b did not stop on SIGTERM; killed" in process.said()
        await_end(family)


SILENT = """
import sys, time
sys.path[:0] = [{platform!r}]
from http.client import HTTPConnection, HTTPException
from config.server.supervise import Program, Supervisor

def healthy():
    connection = HTTPConnection("127.0.0.1", {port}, timeout=1)
    try:
        connection.request("GET", "/")
        return connection.getresponse().status == 200
    except (OSError, HTTPException):
        return False
    finally:
        connection.close()

command = [sys.executable, "-m", "http.server", "{port}", "--bind", "127.0.0.1"]
Supervisor(
    [Program("web", command, healthy=healthy, health_patience=2)], lambda *words: print(*words, flush=True)
).run()
"""


def test_a_program_that_is_alive_and_does_not_answer_is_replaced(tmp_path: Path) -> None:
    port = free_port()
    script = SILENT.format(platform=str(ROOT / "platform"), port=port)
    process = Process(["-c", script], dict(os.environ), tmp_path / "log")
    try:
        until(lambda: '"GET / HTTP/1.1" 200' in process.said(), "it answers the supervisor")
        [stopped] = process.descendants()
        os.kill(stopped, signal.SIGSTOP)
        until(lambda: "web does not respond; killed" in process.said(), "it is noticed")
        until(lambda: process.descendants() not in ([], [stopped]), "it is replaced")
        await_end([stopped])
        answered = process.said().count("200 -")
        until(lambda: process.said().count("200 -") > answered, "the next one answers")
    finally:
        assert process.stop() == 0


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Installation]:
    with installation(Installation(tmp_path)) as place:
        yield place


def test_serve_checks_the_health_of_its_web_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving, "HEALTH_TIMEOUT", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        web = serving.programs("127.0.0.1", port, 1)[0]
        assert web.name == "web"
        assert web.healthy is not None
        assert not web.healthy(), "it takes connections and does not answer"
        server.accept()[0].close()

        def answer() -> None:
            line = server.accept()[0]
            line.recv(1000)
            line.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            line.close()

        monkeypatch.setattr(serving, "HEALTH_TIMEOUT", 30)
        threading.Thread(target=answer, daemon=True).start()
        assert web.healthy()
    assert not web.healthy(), "nothing listens"


def serve(place: Installation) -> Process:
    return place.start("serve", "manage.py", "serve", kind=Process)


@pytest.mark.long
def test_one_command_sets_up_serves_and_stops(place: Installation) -> None:
    first = serve(place)
    until(lambda: "serving at" in first.said(), "it serves")
    with urlopen(f"{place.address}/healthz", timeout=30) as answer:
        assert answer.status == 200
    until(lambda: len(first.descendants()) >= 4, "web, ticker and workers")
    family = first.descendants()
    assert first.stop(signal.SIGINT) == 0
    await_end(family)
    ready, _, _ = first.said().partition(" Ctrl-C stops everything\n")
    assert [line.split(" | ")[0] for line in ready.splitlines()] == ["racecard"] * 7

    passwords = place.folder / "data" / "demo-passwords.txt"
    assert passwords.stat().st_mode & 0o777 == 0o600
    printed = first.said()
    for line in passwords.read_text().splitlines():
        assert all(word in printed for word in line.split())


@pytest.mark.long
@pytest.mark.nightly
def test_a_second_start_keeps_people_and_passwords(place: Installation) -> None:
    people = []
    for times in (1, 2):
        process = serve(place)
        until(lambda process=process, times=times: process.said().count("serving at") == times, "it serves")
        assert process.stop(signal.SIGTERM) == 0
        people.append(place.sql("SELECT id, password FROM accounts_player ORDER BY id"))
        assert process.said().count("Demo accounts") == 1
    assert people[0] == people[1] != []


def test_a_port_that_is_taken_is_said_in_one_sentence_with_the_remedy(place: Installation) -> None:
    place.migrate()
    with socket.create_server(("127.0.0.1", place.port)):
        process = serve(place)
        assert process.popen.wait(PATIENCE) == 1
    assert f"127.0.0.1:{place.port} cannot be served on" in process.said()
    assert f"PORT={place.port + 1}" in process.said()
    assert "Traceback" not in process.said()
