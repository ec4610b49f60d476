"""Hosts of the rehearsal: network namespaces on one bridge, and the programs that run in them.

Everything is made in the namespaces (network, mounts, processes) of the rehearsal itself (`isolated`), so that it
disappears with its first process, however that ends.
"""

from __future__ import annotations

import contextlib
import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tools.services import die_with_parent

NETWORK = "10.213.77"
BRIDGE = "racecard0"
PATH = "/usr/lib/postgresql/15/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
INSIDE = "RACECARD_CLUSTER_INSIDE"

Command = Sequence[str | Path]


def isolated(folder: Path) -> int:
    """Run this program again as the first process of new namespaces, and return its exit status.

    Mounts, hosts, and processes disappear with that process, which is killed if this one is.
    """
    environment = {**os.environ, INSIDE: str(folder)}
    unshare = ["unshare", "--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"]
    child = subprocess.Popen(
        [*unshare, sys.executable, *sys.orig_argv[1:]],
        env=environment,
        preexec_fn=lambda: die_with_parent(signal.SIGKILL),
    )
    # Ctrl-C reaches the child too, which ends in good order.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda *_: child.kill())
    return child.wait()


def reap(child: int) -> int:
    """As the first process of a namespace: collect processes without parents until the child ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    while True:
        pid, status = os.wait()
        if pid == child:
            return os.waitstatus_to_exitcode(status)


def ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True, text=True)


class Network:
    """The bridge, in the namespace of this process, which has the first address."""

    def __init__(self) -> None:
        self.hosts: dict[str, Host] = {}
        Path("/run/netns").mkdir(exist_ok=True)
        subprocess.run(["mount", "-t", "tmpfs", "none", "/run/netns"], check=True)
        ip("link", "set", "lo", "up")
        ip("link", "add", BRIDGE, "type", "bridge")
        ip("addr", "add", f"{NETWORK}.1/24", "dev", BRIDGE)
        ip("link", "set", BRIDGE, "up")

    def host(self, name: str, number: int) -> Host:
        """Add a host with the address that ends with this number."""
        ip("netns", "add", name)
        ip("link", "add", f"to-{name}", "type", "veth", "peer", "name", "eth0", "netns", name)
        ip("link", "set", f"to-{name}", "master", BRIDGE, "up")
        ip("-n", name, "link", "set", "lo", "up")
        ip("-n", name, "addr", "add", f"{NETWORK}.{number}/24", "dev", "eth0")
        ip("-n", name, "link", "set", "eth0", "up")
        self.hosts[name] = host = Host(name, f"{NETWORK}.{number}")
        return host


@dataclass
class Host:
    name: str
    address: str

    def __post_init__(self) -> None:
        self.namespace = Path("/run/netns") / self.name

    def command(self, command: Command, user: str | None = None) -> list[str]:
        """The command as it runs on this host: the process is the program itself, not a wrapper around it."""
        enter = ["nsenter", f"--net={self.namespace}", "--"]
        if user is not None:
            enter += ["setpriv", f"--reuid={user}", f"--regid={user}", "--init-groups", "--"]
        return [*enter, *map(str, command)]

    def run(
        self, command: Command, *, user: str | None = None, seconds: float = 120, **options: Any
    ) -> subprocess.CompletedProcess[str]:
        """Run a command to its end. Raises RuntimeError with its output if it fails."""
        options = {"env": {"PATH": PATH, "LC_ALL": "C"}, "capture_output": True, **options}
        done = subprocess.run(
            self.command(command, user), text=True, check=False, timeout=seconds, cwd="/", **options
        )
        if done.returncode:
            raise RuntimeError(f"{self.name}: {shlex.join(map(str, command))}\n{done.stdout}{done.stderr}")
        return done

    def cut_off(self) -> None:
        """Take the host off the network: packets vanish, as if its cable were pulled."""
        ip("link", "set", f"to-{self.name}", "down")

    def reconnect(self) -> None:
        ip("link", "set", f"to-{self.name}", "up")

    def processes(self, *words: str) -> list[int]:
        """The processes of this host whose command contains one of the words."""
        return [pid for pid, command in self._running() if any(word in command for word in words)]

    def _running(self) -> Iterator[tuple[int, str]]:
        namespace = self.namespace.stat().st_ino
        for entry in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                if (entry / "ns" / "net").stat().st_ino == namespace:
                    command = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                    yield int(entry.name), command

    def kill(self, *words: str) -> int:
        """SIGKILL to the processes whose command contains one of the words; returns their number."""
        pids = self.processes(*words)
        for pid in pids:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        return len(pids)


@dataclass
class Service:
    """A program of a host that a supervisor restarts, as systemd does (Restart=always, RestartSec=1)."""

    name: str
    host: Host
    command: Command
    log: Path
    user: str | None = None
    environment: Mapping[str, str] = field(default_factory=dict)
    process: subprocess.Popen[bytes] | None = None
    is_wanted: bool = False
    is_restarted: bool = True
    """Whether it is started again if it ends by itself."""
    restarts: int = 0
    _ended_at: float = 0.0

    def start(self) -> None:
        self.is_wanted = True
        self._launch()

    def _launch(self) -> None:
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                self.host.command(self.command, self.user),
                cwd="/",
                env={"PATH": PATH, "LC_ALL": "C", "PYTHONUNBUFFERED": "1", **self.environment},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    @property
    def is_running(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def kill(self) -> None:
        """SIGKILL to the process and its children, as by the kernel when memory is short. It is restarted."""
        self._signal(signal.SIGKILL)

    def down(self) -> None:
        """Kill it, and do not restart it."""
        self.is_wanted = False
        self.kill()

    def stop(self, patience: float = 45.0) -> None:
        """End it in good order, as `systemctl stop` does."""
        self.is_wanted = False
        if self.process is not None and self.is_running:
            self.process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(patience)
        self.kill()

    def _signal(self, number: signal.Signals) -> None:
        if self.process is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, number)

    def maps(self) -> list[str]:
        """The files that its process and each of its children have loaded, as the kernel lists them."""
        found = []
        for pid in self.host.processes(""):
            with contextlib.suppress(OSError):
                if self.process is not None and os.getpgid(pid) == self.process.pid:
                    found.append(Path(f"/proc/{pid}/maps").read_text())
        return [text for text in found if text]

    def tend(self) -> None:
        """Restart it if it has ended by itself."""
        if not self.is_restarted or not self.is_wanted or self.is_running:
            self._ended_at = 0.0
        elif not self._ended_at:
            self._ended_at = time.monotonic()
        elif time.monotonic() - self._ended_at >= 1.0:
            self._ended_at = 0.0
            self.restarts += 1
            self._launch()

    def said(self, size: int = 2000) -> str:
        """The end of its log."""
        return self.log.read_bytes()[-size:].decode(errors="replace") if self.log.exists() else ""
