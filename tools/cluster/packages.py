"""The packages that the rehearsal needs: Debian's, whose services are not started by the installation, and Patroni."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

FAKETIME = "/usr/lib/*/faketime/libfaketime.so.1"
"""The library that moves a clock. The folder is that of the processor's architecture."""

PYTHON = "/usr/bin/python3"
"""The interpreter for Patroni, which runs as the user of PostgreSQL and may have no access to ours."""

REQUIREMENTS = Path(__file__).resolve().parents[2] / "requirements" / "cluster.txt"

NEEDED = {
    "etcd": "etcd-server",
    "pgbouncer": "pgbouncer",
    "haproxy": "haproxy",
    "redis-server": "redis-server",
    "redis-sentinel": "redis-sentinel",
    "/usr/lib/postgresql/15/bin/postgres": "postgresql-15",
    FAKETIME: "libfaketime",
    PYTHON: "python3",
    "ip": "iproute2",
    "curl": "curl",
}
"""By a program or file of theirs."""

UNITS = {
    "etcd-server": "etcd",
    "pgbouncer": "pgbouncer",
    "haproxy": "haproxy",
    "redis-server": "redis-server",
    "redis-sentinel": "redis-sentinel",
    "postgresql-15": "postgresql",
}
"""What a package starts with the machine."""

POLICY = Path("/usr/sbin/policy-rc.d")
"""The script that Debian's packages ask whether they may start a service."""

FORBIDDEN = "#!/bin/sh\n# Written by Racecard's make cluster while it installs packages.\nexit 101\n"


def _files(pattern: str) -> Iterator[Path]:
    return Path("/").glob(pattern.lstrip("/"))


def faketime() -> Path:
    """Raises RuntimeError if the library is not installed."""
    for found in _files(FAKETIME):
        return found
    raise RuntimeError(f"there is no {FAKETIME}; Debian has it in the package libfaketime")


def install() -> None:
    """Install what is missing. Raises SystemExit without apt-get, and if it fails."""
    allow_services()
    missing = [
        package for found, package in NEEDED.items() if shutil.which(found) is None and not any(_files(found))
    ]
    if not missing:
        return
    if shutil.which("apt-get") is None:
        sys.exit(f"racecard: the rehearsal needs the Debian packages {' '.join(missing)}")
    print(f"racecard: apt-get install {' '.join(missing)}", flush=True)
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    added = [unit for unit in units_of(missing) if not _has_unit(unit)]
    with services_forbidden():
        for words in (["update"], ["install", "--yes", "--no-install-recommends", *missing]):
            subprocess.run(["apt-get", "-qq", *words], env=environment, check=True, stdout=subprocess.DEVNULL)
    if added and Path("/run/systemd/system").is_dir():
        # They would start with the machine.
        subprocess.run(["systemctl", "disable", "--quiet", *added], check=False, stderr=subprocess.DEVNULL)


def install_patroni(environment: Path) -> None:
    """Install Patroni in its own environment.

    Debian 12 has 3.0.2, which takes the leader's lock without a condition if it has read etcd from a member that was
    cut off: after the network is repaired, the old primary replaces the new one, and commits are lost.
    """
    uv = [sys.executable, "-m", "uv", "--system-certs"]
    for command in (
        ["venv", "--quiet", "--python", PYTHON, str(environment)],
        ["pip", "sync", "--quiet", "--python", str(environment), "--require-hashes", str(REQUIREMENTS)],
    ):
        subprocess.run([*uv, *command], check=True)


def units_of(packages: Iterable[str]) -> list[str]:
    return [UNITS[package] for package in packages if package in UNITS]


def _has_unit(name: str) -> bool:
    """Whether the machine has this service already, such as `postgresql` of another version."""
    folders = ("/etc/systemd/system", "/lib/systemd/system", "/usr/lib/systemd/system")
    return any((Path(folder) / f"{name}.service").exists() for folder in folders)


@contextlib.contextmanager
def services_forbidden() -> Iterator[None]:
    """Let no package start a service. SIGTERM takes effect at the end, because apt-get would go on without us."""
    terminated: list[int] = []
    before = signal.signal(signal.SIGTERM, lambda number, _: terminated.append(number))
    if not POLICY.exists():
        POLICY.write_text(FORBIDDEN)
        POLICY.chmod(0o755)
    try:
        yield
    finally:
        allow_services()
        signal.signal(signal.SIGTERM, before)
        if terminated:
            sys.exit(128 + signal.SIGTERM)


def allow_services() -> None:
    """Remove the script if it is ours, also one that a killed installation has left."""
    with contextlib.suppress(FileNotFoundError):
        if POLICY.read_text() == FORBIDDEN:
            POLICY.unlink()
