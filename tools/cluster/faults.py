"""The faults of the rehearsal.

Each is a function that causes it, waits until the cluster has recovered, repairs what an administrator would, and
returns a note for the report.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx

from tools.cluster.hosts import PATH, Host, Service
from tools.cluster.packages import faketime
from tools.cluster.services import USER
from tools.services import until

if TYPE_CHECKING:
    from tools.cluster.rehearsal import Rehearsal

FAILOVER = 90.0
"""Seconds after which a failover is given up as failed."""

REJOIN = 150.0
"""Seconds that a database host may take to follow the primary again."""

DAY = 86_400.0


class Unsafe(Exception):
    """The cluster did what it must never do."""


def kill_primary(it: Rehearsal) -> str:
    """SIGKILL to PostgreSQL and Patroni of the primary; the host returns after the failover."""
    primary = it.primary()
    patroni = it.servers.services[f"{primary.name} patroni"]
    patroni.is_wanted = False
    primary.kill("patroni", "postgres")
    new = _await_other_primary(it, primary)
    patroni.start()
    it.servers.await_members(3, REJOIN)
    return f"{primary.name} → {new.name}"


def _await_other_primary(it: Rehearsal, old: Host) -> Host:
    def other() -> Host | None:
        found = it.servers.primary()
        return found if found is not None and found is not old else None

    found: Host = until(other, f"another primary than {old.name}", FAILOVER)
    it.await_writes()
    return found


def partition_primary(it: Rehearsal) -> str:
    """Cut the primary off the network, try to write on it, and reconnect it."""
    primary = it.primary()
    it.servers.query(primary, "CREATE TABLE IF NOT EXISTS fence (attempt text)")
    it.servers.query(primary, "TRUNCATE fence")
    # The same write succeeds while the network is whole: that the later ones do not is due to the fence.
    control = FencedWrite(it, primary, "before the network is cut")
    control.await_acknowledgement()
    primary.cut_off()
    try:
        attempts = [FencedWrite(it, primary, "before the failover")]
        new = _await_other_primary(it, primary)
        attempts.append(FencedWrite(it, primary, "after the failover"))
        time.sleep(5)
    finally:
        primary.reconnect()
    it.servers.await_members(3, REJOIN)
    for attempt in attempts:
        attempt.check()
    check_fence(it.servers.query(it.primary(), "SELECT attempt FROM fence"), control.name)
    return f"{primary.name} → {new.name}; writes on {primary.name}: " + "; ".join(map(str, attempts))


def check_fence(rows: Sequence[Sequence[str]], control: str) -> None:
    """Raise Unsafe unless the one write that is stored is that from before the network was cut."""
    attempts = [attempt for [attempt] in rows]
    if control not in attempts:
        raise Unsafe("the write that was acknowledged before the network was cut is lost")
    if attempts != [control]:
        raise Unsafe(f"split brain: the writes {attempts} on the fenced primary are stored")


class FencedWrite:
    """A write as the superuser on the host that is cut off, which waits as long as the server lets it."""

    def __init__(self, it: Rehearsal, host: Host, name: str) -> None:
        self.name, self.output = name, "no answer"
        self._acknowledged = False
        statement = f"INSERT INTO fence VALUES ('{name}')"  # noqa: S608
        socket = str(it.servers.home(host, "patroni"))
        self._process = subprocess.Popen(
            host.command(["psql", "-X", "-h", socket, "-d", "postgres", "-c", statement], USER),
            cwd="/",
            env={"PATH": PATH, "LC_ALL": "C"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()

    def _listen(self) -> None:
        output, _ = self._process.communicate()
        lines = [line for line in output.splitlines() if line.strip()]
        self.output = lines[0] if lines else "no answer"
        # A warning says that the server no longer waits for the standby: not an acknowledgement of the commit.
        self._acknowledged = "INSERT 0 1" in output and "WARNING" not in output

    def await_acknowledgement(self) -> None:
        """Wait for it. Raises RuntimeError if the write failed or was not answered."""
        self._listener.join(30)
        if not self._acknowledged:
            self._process.kill()
            raise RuntimeError(f"a write {self.name} was not acknowledged: {self.output}")

    def check(self) -> None:
        """Raise Unsafe if the write was acknowledged."""
        if self._process.poll() is None:
            self._process.kill()
        if self._acknowledged:
            raise Unsafe(f"split brain: the fenced primary has acknowledged a write {self.name}")

    def __str__(self) -> str:
        return f"{self.name}: {self.output}"


def switch_over(it: Rehearsal, repair: Callable[[], None] = lambda: None) -> str:
    """A planned change of the primary, as for maintenance. `repair` is called when the new one takes writes."""
    old, new = it.primary(), it.servers.standby("sync")
    if new is None:
        raise RuntimeError("there is no synchronous standby")
    names = {"leader": old.name, "candidate": new.name}
    httpx.post(f"http://{old.address}:8008/switchover", json=names, timeout=60).raise_for_status()
    _await_other_primary(it, old)
    repair()
    it.servers.await_members(3, REJOIN)
    return f"{old.name} → {new.name}"


def kill_redis(it: Rehearsal) -> str:
    """SIGKILL to the master of Redis. Sentinel makes another one the master."""
    master = until(it.servers.redis_master, "a master of Redis", 30)
    redis = it.servers.services[f"{master.name} redis"]
    redis.down()

    def other() -> Host | None:
        found = it.servers.redis_master()
        return found if found is not None and found is not master else None

    new: Host = until(other, "another master of Redis", FAILOVER)
    time.sleep(3)
    redis.start()
    until(lambda: it.servers.redis_master() is new, "the old master follows the new one", REJOIN)
    return f"{master.name} → {new.name}"


def kill_of(role: str) -> Callable[[Rehearsal], str]:
    def kill(it: Rehearsal) -> str:
        """SIGKILL to one process and its children; its supervisor restarts it after a second."""
        host = next(host for host in it.installation.hosts if f"{host.name} {role}" in it.servers.services)
        service = it.servers.services[f"{host.name} {role}"]
        restarts = service.restarts
        service.kill()
        until(lambda: service.restarts > restarts and service.is_running, f"{role} restarted", 30)
        if role in ("web", "streams"):
            until(lambda: it.installation.serves(host), f"{host.name} serves", 60)
        time.sleep(5)
        return host.name

    return kill


def fill_wal(it: Rehearsal) -> str:
    """Fill the disk of the primary's log, and empty it after the failover."""
    primary = it.primary()
    ballast = it.servers.disk(primary, "wal") / "ballast"
    try:
        fill(ballast)
        # The next segments of the log, for which there is no space. Players would need them a little later.
        for _ in range(20):
            it.servers.sql(primary, "SELECT pg_switch_wal()")
            time.sleep(0.2)
        new = _await_other_primary(it, primary)
    finally:
        ballast.unlink(missing_ok=True)
    it.servers.await_members(3, REJOIN)
    return f"{primary.name} → {new.name}"


def fill_data(it: Rehearsal) -> str:
    """Fill the disk of the primary's data. An administrator changes the primary ten seconds later."""
    primary = it.primary()
    ballast = it.servers.disk(primary, "data") / "ballast"
    try:
        fill(ballast)
        time.sleep(10)
        return switch_over(it, repair=ballast.unlink)
    finally:
        ballast.unlink(missing_ok=True)


def fill(ballast: Path) -> None:
    """Take all space, also that which is freed meanwhile for a second."""
    with ballast.open("wb") as file:
        for _ in range(10):
            free = shutil.disk_usage(ballast.parent).free
            with contextlib.suppress(OSError):
                os.posix_fallocate(file.fileno(), file.seek(0, os.SEEK_END), free)
                file.seek(0, os.SEEK_END)
            time.sleep(0.1)


def clock_of(role: str) -> Callable[[Rehearsal], str]:
    def move(it: Rehearsal) -> str:
        """Restart one process with a clock that is a day ahead, for 12 seconds."""
        host = next(host for host in it.installation.hosts if f"{host.name} {role}" in it.servers.services)
        library = faketime()
        for day in (
            {"LD_PRELOAD": str(library), "FAKETIME": "+1d", "FAKETIME_DONT_FAKE_MONOTONIC": "1"},
            {},
        ):
            it.installation.service(host, role).stop()
            service = it.installation.start(host, role, **day)
            if role == "web":
                until(lambda: it.installation.serves(host), f"{host.name} serves", 60)
            time.sleep(12 if day else 2)
            if day:
                check_clock(service, library)
        return f"{host.name}, 12 s"

    return move


def check_clock(service: Service, library: Path) -> None:
    """Raise RuntimeError unless the clock of the service is a day ahead.

    The clock of a running process cannot be read from outside. So each of its processes must have the library loaded,
    and the same interpreter must read tomorrow's time in the same environment.
    """
    loaded = [str(library) in text for text in service.maps()]
    if not loaded or not all(loaded):
        raise RuntimeError(
            f"{service.name}: {loaded.count(False)} of {len(loaded)} processes have the real clock"
        )
    program = [sys.executable, "-c", "import time; print(time.time())"]
    said = service.host.run(program, env={"PATH": PATH, **service.environment}).stdout
    ahead = float(said) - time.time()
    if abs(ahead - DAY) > 60:
        raise RuntimeError(f"{service.name}: the clock is {ahead:.0f} s ahead instead of a day")


def roll(it: Rehearsal) -> str:
    """Migrate, and replace each process by one of the present version, one after another."""
    it.installation.checkout = it.present
    it.installation.racecard(it.installation.workers[0], "manage", "migrate", "--no-input")
    for host, role in it.installation.roles():
        it.installation.roll(host, role)
    return f"{it.previous_name} → {it.present_name}"


def restore_elsewhere(it: Rehearsal) -> str:
    """Back up during play, restore on a PostgreSQL of another host, and audit there."""
    source, spare = it.installation.workers[0], it.spare
    folder = it.servers.folder / "backup"
    began = time.monotonic()
    it.installation.racecard(source, "backup", str(folder))
    backed_up = time.monotonic() - began
    environment = _start_spare(it, spare)
    it.installation.racecard(source, "manage", "migrate", "--no-input", environment=environment)
    said = it.installation.racecard(source, "restore", "--replace", str(folder), environment=environment)
    whole = time.monotonic() - began
    verified = next(line for line in said.splitlines() if line.startswith("verified"))
    return f"backup {backed_up:.0f} s, with restoration {whole:.0f} s; {verified}"


def _start_spare(it: Rehearsal, spare: Host) -> Mapping[str, str]:
    """A PostgreSQL on the spare host, and the settings of an installation on it."""
    data = it.servers.home(spare, "postgresql", USER)
    spare.run(["initdb", "-D", data / "main", "-E", "UTF8", "--locale=C.UTF-8", "-A", "trust"], user=USER)
    options = ["-c", f"listen_addresses={spare.address}", "-c", f"unix_socket_directories={data}"]
    hba = data / "main" / "pg_hba.conf"
    hba.write_text(hba.read_text() + "host all all samenet trust\n")
    it.servers.service(
        "postgresql", spare, ["postgres", "-D", str(data / "main"), *options], user=USER
    ).start()
    psql = ["psql", "-X", "-q", "-h", str(data), "-d", "postgres", "-c"]

    def is_up() -> bool:
        try:
            spare.run([*psql, "SELECT 1"], user=USER)
        except RuntimeError:
            return False
        return True

    until(is_up, "the spare PostgreSQL", 60)
    spare.run([*psql, "CREATE ROLE racecard LOGIN"], user=USER)
    spare.run([*psql, "CREATE DATABASE racecard OWNER racecard"], user=USER)
    url = f"postgresql://racecard@{spare.address}:5432/racecard"
    environment: dict[str, Any] = it.installation.environment(it.installation.workers[0])
    for name in (
        "RACECARD_DATABASE_POOLED",
        "RACECARD_DATABASE_DIRECT_URL",
        "RACECARD_REPLICA_URL",
        "REDIS_URL",
    ):
        environment.pop(name, None)
    return {**environment, "DATABASE_URL": url, "RACECARD_DATA": str(it.servers.home(spare, "racecard"))}


FAULTS: Mapping[str, tuple[str, Callable[[Rehearsal], str]]] = {
    "failover": ("the primary is killed", kill_primary),
    "partition": ("the primary is cut off the network", partition_primary),
    "redis": ("the master of Redis is killed", kill_redis),
    "web": ("a web process is killed", kill_of("web")),
    "streams": ("a stream process is killed", kill_of("streams")),
    "worker": ("a worker is killed", kill_of("worker")),
    "ticker": ("a ticker is killed", kill_of("ticker")),
    "pgbouncer": ("a PgBouncer is killed", kill_of("pgbouncer")),
    "disk-wal": ("the disk of the primary's log is full", fill_wal),
    "disk-data": ("the disk of the primary's data is full; switchover after 10 s", fill_data),
    "clock-web": ("the clock of a web process is a day ahead", clock_of("web")),
    "clock-worker": ("the clock of a worker is a day ahead", clock_of("worker")),
    "clock-ticker": ("the clock of a ticker is a day ahead", clock_of("ticker")),
    "roll": ("every process is replaced by the next version", roll),
    "switchover": ("the primary is changed as planned", switch_over),
    "restore": ("a backup is made and restored elsewhere", restore_elsewhere),
}
"""By the name of the command line, in the order of a whole rehearsal."""
