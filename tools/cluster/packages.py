"""The packages of Debian that the rehearsal needs. None of their services is started by the installation."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

FAKETIME = "/usr/lib/*/faketime/libfaketime.so.1"
"""The library that moves a clock. The folder is that of the processor's architecture."""

NEEDED = {
    "etcd": "etcd-server",
    "patroni": "patroni",
    "pgbouncer": "pgbouncer",
    "haproxy": "haproxy",
    "redis-server": "redis-server",
    "redis-sentinel": "redis-sentinel",
    "/usr/lib/postgresql/15/bin/postgres": "postgresql-15",
    FAKETIME: "libfaketime",
    "ip": "iproute2",
    "curl": "curl",
}
"""By a program or file of theirs."""

POLICY = Path("/usr/sbin/policy-rc.d")
"""The script that Debian's packages ask whether they may start a service."""


def _files(pattern: str) -> Iterator[Path]:
    return Path("/").glob(pattern.lstrip("/"))


def faketime() -> Path:
    """Raises RuntimeError if the library is not installed."""
    for found in _files(FAKETIME):
        return found
    raise RuntimeError(f"there is no {FAKETIME}; Debian has it in the package libfaketime")


def install() -> None:
    """Install what is missing. Raises SystemExit without apt-get, and if it fails."""
    missing = [
        package for found, package in NEEDED.items() if shutil.which(found) is None and not any(_files(found))
    ]
    if not missing:
        return
    if shutil.which("apt-get") is None:
        sys.exit(f"racecard: the rehearsal needs the Debian packages {' '.join(missing)}")
    print(f"racecard: apt-get install {' '.join(missing)}", flush=True)
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    is_ours = not POLICY.exists()
    if is_ours:
        POLICY.write_text("#!/bin/sh\nexit 101\n")
        POLICY.chmod(0o755)
    try:
        for words in (["update"], ["install", "--yes", "--no-install-recommends", *missing]):
            subprocess.run(["apt-get", "-qq", *words], env=environment, check=True, stdout=subprocess.DEVNULL)
    finally:
        if is_ours:
            POLICY.unlink(missing_ok=True)
    if Path("/run/systemd/system").is_dir():
        # They would start with the machine.
        units = ["etcd", "patroni", "pgbouncer", "haproxy", "redis-server", "redis-sentinel"]
        subprocess.run(["systemctl", "disable", "--quiet", *units], check=False, stderr=subprocess.DEVNULL)
