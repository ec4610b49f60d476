"""The servers of the cluster, configured by the files of deploy/cluster: etcd, Patroni, PgBouncer, HAProxy, and Redis
with Sentinel.
"""

from __future__ import annotations

import secrets
import shutil
import string
import subprocess
from pathlib import Path
from typing import Any

import httpx

from tools.cluster.hosts import NETWORK, Host, Network, Service
from tools.services import until

TEMPLATES = Path(__file__).resolve().parents[2] / "deploy" / "cluster"
SCOPE = "racecard"
USER = "postgres"
"""The user of PostgreSQL, Patroni, and PgBouncer, as Debian's packages have it."""

DISK = 4 * 2**30
"""Bytes of the disk of a database host."""

PASSWORDS = {name: secrets.token_urlsafe(18) for name in ("superuser", "replication", "racecard")}


def environment_of_patroni(folder: Path) -> Path:
    """The environment of Patroni in the folder of a rehearsal."""
    return folder / "patroni"


class Servers:
    """The servers, by host. `folder` contains the data and the logs of each."""

    def __init__(self, network: Network, folder: Path) -> None:
        self.folder = folder
        self.services: dict[str, Service] = {}
        self.databases = [network.host(f"db{n}", 10 + n) for n in (1, 2, 3)]
        self.redis = [network.host(f"redis{n}", 20 + n) for n in (1, 2, 3)]

    def service(self, name: str, host: Host, command: list[str], **options: Any) -> Service:
        log = self.folder / "logs" / f"{host.name}-{name}.log"
        one = Service(name, host, command, log, **options)
        self.services[f"{host.name} {name}"] = one
        return one

    def home(self, host: Host, name: str, user: str | None = None) -> Path:
        """A folder of the host for a program."""
        path = self.folder / host.name / name
        if not path.exists():
            path.mkdir(parents=True, mode=0o700)
            if user is not None:
                shutil.chown(path, user, user)
        return path

    def write(self, path: Path, template: str, user: str | None = None, **values: object) -> Path:
        """Write a configuration file from its template in deploy/cluster."""
        text = string.Template((TEMPLATES / template).read_text()).substitute(values)
        return self.put(path, text, user)

    def put(self, path: Path, text: str, user: str | None = None) -> Path:
        path.touch(mode=0o600)
        path.write_text(text)
        if user is not None:
            shutil.chown(path, user, user)
        return path

    def disk(self, host: Host, name: str) -> Path:
        """A disk of a database host, `data` or `wal`: its own file system, which can be filled."""
        path = self.folder / host.name / name
        if path.exists():
            return path
        path.mkdir(parents=True)
        image = path.with_suffix(".image")
        with image.open("wb") as file:
            file.truncate(DISK)
        for command in (
            ["mkfs.ext4", "-q", "-m", "0", str(image)],
            ["mount", "-o", "loop", str(image), str(path)],
        ):
            subprocess.run(command, check=True, capture_output=True)
        shutil.chown(path, USER, USER)
        return path

    # --- PostgreSQL ---

    def start_etcd(self) -> None:
        members = ",".join(f"{host.name}=http://{host.address}:2380" for host in self.databases)
        for host in self.databases:
            address = f"http://{host.address}"
            options = {
                "name": host.name,
                "data-dir": str(self.home(host, "etcd")),
                "listen-peer-urls": f"{address}:2380",
                "listen-client-urls": f"{address}:2379,http://127.0.0.1:2379",
                "initial-advertise-peer-urls": f"{address}:2380",
                "advertise-client-urls": f"{address}:2379",
                "initial-cluster": members,
                "initial-cluster-token": SCOPE,
                "initial-cluster-state": "new",
                # A member that returns to the network does not force an election.
                "pre-vote": "true",
                "logger": "zap",
                "log-level": "warn",
            }
            words = [f"--{key}={value}" for key, value in options.items()]
            self.service("etcd", host, ["etcd", *words]).start()

    def start_patroni(self, host: Host) -> None:
        home = self.home(host, "patroni", USER)
        file = self.write(
            home / "patroni.yml",
            "patroni.yml",
            USER,
            name=host.name,
            address=host.address,
            etcd_hosts=", ".join(f'"{one.address}:2379"' for one in self.databases),
            network=f"{NETWORK}.0/24",
            data=self.disk(host, "data") / "main",
            wal=self.disk(host, "wal") / "main",
            home=home,
            watchdog='"off"',
            superuser_password=PASSWORDS["superuser"],
            replication_password=PASSWORDS["replication"],
        )
        program = environment_of_patroni(self.folder) / "bin" / "patroni"
        self.service("patroni", host, [str(program), str(file)], user=USER).start()

    def primary(self) -> Host | None:
        """The host that Patroni calls the primary; None while there is none, or several call themselves so."""
        found = [host for host in self.databases if self.patroni(host, "primary") is not None]
        return found[0] if len(found) == 1 else None

    def patroni(self, host: Host, role: str) -> dict[str, Any] | None:
        """What Patroni of a host says of itself, if it has that role."""
        try:
            answer = httpx.get(f"http://{host.address}:8008/{role}", timeout=2)
        except httpx.HTTPError:
            return None
        return dict(answer.json()) if answer.is_success else None

    def await_members(self, count: int, patience: float) -> Host:
        """Wait until there is a primary, a synchronous standby, and so many members in all; returns the primary."""

        def is_complete() -> Host | None:
            primary = self.primary()
            if primary is None:
                return None
            rows = self.sql(primary, "SELECT sync_state FROM pg_stat_replication WHERE state = 'streaming'")
            states = [row[0] for row in rows]
            return primary if "sync" in states and len(states) == count - 1 else None

        host: Host = until(is_complete, f"{count} database hosts, of which one is the primary", patience)
        return host

    def standby(self, kind: str) -> Host | None:
        """The host that is now the `sync` or the `async` standby."""
        primary = self.primary()
        if primary is None:
            return None
        rows = self.sql(primary, "SELECT application_name, sync_state FROM pg_stat_replication")
        return next((host for host in self.databases if [host.name, kind] in rows), None)

    def query(self, host: Host, statement: str, *, database: str = "postgres") -> list[list[str]]:
        """Run a statement as the superuser on this host. Raises RuntimeError if it fails."""
        socket = str(self.home(host, "patroni"))
        command = ["psql", "-X", "-q", "-t", "-A", "-F", "\t", "-h", socket, "-d", database, "-c", statement]
        done = host.run(command, user=USER, seconds=15)
        return [line.split("\t") for line in done.stdout.splitlines() if line]

    def sql(self, host: Host, statement: str, *, database: str = "postgres") -> list[list[str]]:
        """Run a statement while a server may be away: no rows if it fails. Nothing may be concluded from none."""
        try:
            return self.query(host, statement, database=database)
        except (RuntimeError, OSError):
            return []

    def create_database(self, primary: Host) -> None:
        self.query(primary, f"CREATE ROLE racecard LOGIN PASSWORD '{PASSWORDS['racecard']}'")
        self.query(primary, "CREATE DATABASE racecard OWNER racecard")

    # --- Redis ---

    def start_redis(self) -> None:
        master = self.redis[0].address
        for host in self.redis:
            home = self.home(host, "redis")
            replicaof = "" if host.address == master else f"replicaof {master} 6379"
            conf = self.write(
                home / "redis.conf", "redis.conf", address=host.address, home=home, replicaof=replicaof
            )
            sentinel = self.write(
                home / "sentinel.conf", "sentinel.conf", address=host.address, home=home, master=master
            )
            self.service("redis", host, ["redis-server", str(conf)]).start()
            self.service("sentinel", host, ["redis-sentinel", str(sentinel)]).start()

    def redis_master(self) -> Host | None:
        found = [host for host in self.redis if self._redis_role(host) == "master"]
        return found[0] if len(found) == 1 else None

    def _redis_role(self, host: Host) -> str:
        try:
            done = host.run(["redis-cli", "-h", host.address, "role"], seconds=5)
        except (RuntimeError, OSError):
            return ""
        return done.stdout.split("\n", 1)[0]

    # --- sidecars ---

    def start_sidecars(self, host: Host) -> None:
        """PgBouncer and HAProxy of a host of Racecard."""
        databases = "\n".join(
            f"    server {one.name} {one.address}:5432 check port 8008" for one in self.databases
        )
        redis = "\n".join(f"    server {one.name} {one.address}:6379 check" for one in self.redis)
        home = self.home(host, "haproxy")
        file = self.write(home / "haproxy.cfg", "haproxy.cfg", databases=databases, redis=redis)
        self.service("haproxy", host, ["haproxy", "-db", "-f", str(file)]).start()
        home = self.home(host, "pgbouncer", USER)
        file = self.write(home / "pgbouncer.ini", "pgbouncer.ini", USER, home=home)
        self.put(home / "userlist.txt", f'"racecard" "{PASSWORDS["racecard"]}"\n', USER)
        self.service("pgbouncer", host, ["pgbouncer", "-q", str(file)], user=USER).start()

    def start_front(self, front: Host, web: list[Host], streams: list[Host]) -> None:
        lines = {
            name: "\n".join(f"    server {one.name} {one.address}:8000 check" for one in hosts)
            for name, hosts in (("web", web), ("streams", streams))
        }
        file = self.write(self.home(front, "front") / "haproxy.cfg", "front.cfg", **lines)
        self.service("front", front, ["haproxy", "-db", "-f", str(file)]).start()
