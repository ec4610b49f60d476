"""Racecard on the hosts of the cluster: its processes, in one of two versions."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from tools.cluster.hosts import Host, Network, Service
from tools.cluster.services import PASSWORDS, Servers
from tools.services import until

ROOT = Path(__file__).resolve().parents[2]
KEYS = ("secret.key", "checkpoint.key", "push.key")
"""Files of the data folder that all hosts share; docs/deployment.md has them copied."""

ROLES = {
    "web": ["run", "web", "--host", "0.0.0.0", "--processes", "1"],  # noqa: S104
    "streams": ["run", "web", "--host", "0.0.0.0", "--processes", "1"],  # noqa: S104
    "worker": ["run", "worker", "--processes", "2"],
    "ticker": ["run", "ticker"],
}


class Installation:
    """`checkout` is the version that a process starts with from now on."""

    def __init__(self, network: Network, servers: Servers, checkout: Path) -> None:
        self.servers, self.checkout = servers, checkout
        self.front = network.host("front", 2)
        self.players = network.host("players", 3)
        self.web = [network.host(f"web{n}", 30 + n) for n in (1, 2)]
        self.streams = [network.host(f"streams{n}", 40 + n) for n in (1, 2)]
        self.workers = [network.host(f"worker{n}", 50 + n) for n in (1, 2)]
        self.url = f"http://{self.front.address}"

    @property
    def hosts(self) -> list[Host]:
        return [*self.web, *self.streams, *self.workers]

    def roles(self) -> Iterator[tuple[Host, str]]:
        """The processes in the order in which they are updated: workers before tickers."""
        places = (
            (self.web, "web"),
            (self.streams, "streams"),
            (self.workers, "worker"),
            (self.workers, "ticker"),
        )
        yield from ((host, role) for hosts, role in places for host in hosts)

    def data(self, host: Host) -> Path:
        return self.servers.home(host, "racecard")

    def environment(self, host: Host) -> dict[str, str]:
        """The settings of a host, as docs/deployment.md names them."""
        database = f"postgresql://racecard:{PASSWORDS['racecard']}@127.0.0.1:6432"
        return {
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "PYTHONPATH": f"{self.checkout}:{self.checkout / 'platform'}",
            "RACECARD_DATA": str(self.data(host)),
            "DATABASE_URL": f"{database}/racecard",
            "RACECARD_REPLICA_URL": f"{database}/racecard_replica",
            "RACECARD_DATABASE_POOLED": "1",
            "RACECARD_DATABASE_DIRECT_URL": f"{database.replace('6432', '5000')}/racecard",
            "REDIS_URL": "redis://127.0.0.1:6379/0",
            "FORWARDED_ALLOW_IPS": self.front.address,
            "RACECARD_PLAY_CREDIT": "0",
        }

    # --- commands ---

    def racecard(self, host: Host, *words: str, environment: Mapping[str, str] | None = None) -> str:
        """Run the command of the present checkout to its end, and return its output."""
        command = [str(Path(sys.executable).parent / "racecard"), *words]
        return host.run(command, env=environment or self.environment(host), seconds=300).stdout

    def stage(
        self, function: str, *, seconds: float = 300, script: str = "tools/cluster/stage.py", **words: Any
    ) -> Any:
        """Run a function of a stage on the first worker host, and return its answer."""
        command = [sys.executable, "-P", str(ROOT / script), function, json.dumps(words)]
        done = self.workers[0].run(command, env=self.environment(self.workers[0]), seconds=seconds)
        return json.loads(done.stdout.splitlines()[-1])

    # --- processes ---

    def prepare(self) -> None:
        """Migrate, sign the first checkpoint, which creates the keys on the first host, and copy them to the others."""
        first, *others = self.hosts
        self.racecard(first, "manage", "migrate", "--no-input")
        self.racecard(first, "manage", "checkpoints", "make")
        for host in others:
            for name in KEYS:
                if (self.data(first) / name).exists():
                    shutil.copy2(self.data(first) / name, self.data(host) / name)

    def start(self, host: Host, role: str, **environment: str) -> Service:
        command = [str(Path(sys.executable).parent / "racecard"), *ROLES[role]]
        variables = {**self.environment(host), **environment}
        service = self.servers.service(role, host, command, environment=variables)
        service.start()
        return service

    def start_all(self) -> None:
        for host, role in self.roles():
            self.start(host, role)

    def service(self, host: Host, role: str) -> Service:
        return self.servers.services[f"{host.name} {role}"]

    def roll(self, host: Host, role: str) -> None:
        """Replace a process by one of the present checkout, and wait until it serves."""
        self.service(host, role).stop()
        service = self.start(host, role)
        if role in ("web", "streams"):
            until(lambda: self.serves(host), f"{host.name} serves: {service.said()}", 60)

    def serves(self, host: Host) -> bool:
        try:
            host.run(["curl", "-sf", "-m", "2", "http://127.0.0.1:8000/healthz"], seconds=5)
        except RuntimeError:
            return False
        return True
