"""A separate installation for one test: database, broker, and processes, which can be killed."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any, TypeVar
from urllib.parse import urlsplit, urlunsplit

import httpx
import psycopg

from config.management.commands.serve import web_command
from tests import forked, templates
from tools import services
from tools.services import die_with_parent, free_port

ROOT = Path(__file__).resolve().parent.parent
PATIENCE = 120.0


def until(condition: Callable[[], Any], what: str, patience: float = PATIENCE) -> Any:
    """Wait until the condition holds and answer with it; fail the test if it never does."""
    return services.until(condition, what, patience, pause=0.02)


class Process:
    """A child with its output in a file and, since it may have children, a separate process group."""

    popen: subprocess.Popen[bytes] | forked.Forked

    def __init__(self, command: list[str], environment: dict[str, str], log: Path) -> None:
        self.log = log
        with log.open("ab") as output:
            self.popen = self._start(command, environment, output)

    def _start(
        self, command: list[str], environment: dict[str, str], output: IO[bytes]
    ) -> subprocess.Popen[bytes] | forked.Forked:
        return subprocess.Popen(
            [sys.executable, *command],
            cwd=ROOT,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            # Should the test itself be killed, its processes are not to stay.
            preexec_fn=lambda: die_with_parent(signal.SIGKILL),
        )

    @property
    def pid(self) -> int:
        return self.popen.pid

    def is_alive(self) -> bool:
        return self.popen.poll() is None

    def descendants(self) -> list[int]:
        """Process ids of the living children and theirs."""
        return descendants(self.pid)

    def kill(self) -> None:
        """SIGKILL to this one process; what happens to its children is what would happen in earnest."""
        self.popen.kill()
        self.popen.wait()

    def stop(self, number: signal.Signals = signal.SIGTERM, patience: float = PATIENCE) -> int:
        if self.is_alive():
            self.popen.send_signal(number)
        return self.popen.wait(patience)

    def destroy(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)
        self.popen.wait()

    def said(self) -> str:
        return self.log.read_text(errors="replace")


class ForkedProcess(Process):
    """One that has its modules at once."""

    def _start(
        self, command: list[str], environment: dict[str, str], output: IO[bytes]
    ) -> subprocess.Popen[bytes] | forked.Forked:
        return forked.Forked(command, environment, output, output)


def is_running(pid: int) -> bool:
    """False also for a zombie, which waits for nothing but to be counted."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def descendants(pid: int) -> list[int]:
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                state, parent = (entry / "stat").read_text().rpartition(")")[2].split()[:2]
                if state != "Z":
                    children.setdefault(int(parent), []).append(int(entry.name))
    found: list[int] = []
    waiting = [pid]
    while waiting:
        for child in children.get(waiting.pop(), ()):
            found.append(child)
            waiting.append(child)
    return found


class Installation:
    """`manage` is the script that stands for manage.py: a test may have one that declares further jobs.

    It uses the database and Redis servers of the test run, unless `servers` (DATABASE_URL, REDIS_URL) names others.
    """

    def __init__(self, folder: Path, manage: Path = ROOT / "manage.py", **servers: str) -> None:
        self.folder = folder
        self.manage_script = manage
        self.processes: list[Process] = []
        self.port = free_port()
        self.environment = {
            **{key: value for key, value in os.environ.items() if not key.startswith(("PYTEST", "DJANGO"))},
            "RACECARD_DATA": str(folder / "data"),
            "PORT": str(self.port),
            "RACECARD_LOG_LEVEL": "DEBUG",
            "RACECARD_PLAY_CREDIT": "0",
            "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'platform'}",
            **servers,
        }
        self.database = self._fresh_database()
        self._connection: psycopg.Connection[Any] | None = None
        self._separate_broker()

    # --- database ---

    def _fresh_database(self) -> str | None:
        """The address of a new, empty database on the server that the tests use; None on SQLite."""
        url = self.environment.get("DATABASE_URL")
        if not url:
            return None
        name = f"racecard_{uuid.uuid4().hex[:12]}"
        parts = urlsplit(url)
        self.server = urlunsplit(parts._replace(path="/postgres"))
        with psycopg.connect(self.server, autocommit=True) as connection:
            connection.execute(f'CREATE DATABASE "{name}"')
        self.environment["DATABASE_URL"] = urlunsplit(parts._replace(path=f"/{name}"))
        return self.environment["DATABASE_URL"]

    def sql(self, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        """Run one statement past all of our code. Placeholders are `%s` on both databases."""
        if self.database:
            cursor = self._connected().execute(statement, values)
            return cursor.fetchall() if cursor.description else []
        path = self.folder / "data" / "racecard.sqlite3"
        with contextlib.closing(sqlite3.connect(path, timeout=20, isolation_level=None)) as sqlite:
            return sqlite.execute(statement.replace("%s", "?"), values).fetchall()

    def _connected(self) -> psycopg.Connection[Any]:
        """A connection that is kept, because many tests ask until something has happened; the server may be killed."""
        if self._connection is not None:
            with contextlib.suppress(psycopg.OperationalError):
                self._connection.execute("")
                return self._connection
            self._connection.close()
        assert self.database
        self._connection = psycopg.connect(self.database, autocommit=True, prepare_threshold=None)
        return self._connection

    def disconnect(self) -> None:
        """Close the connection of `sql`."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def migrate(self) -> None:
        """Make the tables, by copying what `manage.py migrate` has made."""
        direct = self.environment.get("RACECARD_DATABASE_DIRECT_URL")
        template = templates.of(direct or self.environment.get("DATABASE_URL"))
        template.copy_to(self.database or self.folder / "data" / "racecard.sqlite3")

    # --- broker ---

    def _separate_broker(self) -> None:
        if url := self.environment.get("REDIS_URL"):
            worker = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0")[2:])
            self.environment["REDIS_URL"] = urlunsplit(urlsplit(url)._replace(path=f"/{worker + 8}"))

    # --- processes ---

    def manage(self, *words: str) -> str:
        """Run a management command to its end; answers with what it printed."""
        return self.run(str(self.manage_script), *words).stdout

    def run(self, *command: str, code: int = 0) -> subprocess.CompletedProcess[str]:
        """Run `python COMMAND` to its end, which must be with that exit code. The process is a forked one."""
        done = forked.run(command, self.environment, PATIENCE)
        assert done.returncode == code, done.stdout + done.stderr
        return done

    def start(self, name: str, *command: str, kind: type[Process] = ForkedProcess) -> Process:
        """Start `python COMMAND`, which writes to a log of that name."""
        process = kind(list(command), self.environment, self.folder / f"{name}.log")
        self.processes.append(process)
        return process

    def start_ticker(self) -> Process:
        return self.start("ticker", str(self.manage_script), "tick")

    def start_worker(self, *options: str, concurrency: int = 2) -> Process:
        """As `serve` starts them: with a pool on Redis, without one on the filesystem broker."""
        pool = ["prefork", "--concurrency", str(concurrency)] if self.has_pool else ["solo"]
        worker = ["-m", "celery", "--app", "config.celery", "worker", "--without-gossip", "--without-mingle"]
        return self.start("worker", *worker, "--pool", *pool, *options)

    @property
    def has_pool(self) -> bool:
        return "REDIS_URL" in self.environment

    def start_web(self) -> Process:
        proxies = self.environment.get("FORWARDED_ALLOW_IPS", "")
        return self.start("web", *web_command("127.0.0.1", self.port, proxies))

    def serve_web(self) -> Process:
        """Start the web process, and wait until it answers."""
        web = self.start_web()

        def answers() -> bool:
            assert web.is_alive(), web.said()
            with contextlib.suppress(httpx.TransportError):
                return httpx.get(f"{self.address}/api/v1/rules/", timeout=5).status_code == 200
            return False

        until(answers, "the web server answers")
        return web

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def close(self) -> None:
        for process in self.processes:
            for pid in process.descendants():
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            process.destroy()
        self.disconnect()
        if self.database:
            name = urlsplit(self.database).path[1:]
            with psycopg.connect(self.server, autocommit=True) as connection:
                connection.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')
        shutil.rmtree(self.folder, ignore_errors=True)


Place = TypeVar("Place", bound=Installation)


@contextlib.contextmanager
def installation(place: Place) -> Iterator[Place]:
    """The installation, and nothing left of it afterwards."""
    try:
        yield place
    finally:
        place.close()
