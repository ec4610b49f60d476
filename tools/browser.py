"""`make browser`: the tests that drive a real Chromium, which is found on PATH or, by root, installed from Debian.

Two houses at once, each with a browser of its own: one on SQLite, one on PostgreSQL and Valkey.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile

from tools.apart import APART
from tools.services import ServiceError, throw_away
from tools.suite import SAME_EVERYWHERE, clean_environment

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def find() -> str | None:
    return next((path for name in NAMES if (path := shutil.which(name))), None)


def install() -> None:
    print("racecard: installing Chromium (apt-get)", flush=True)
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "env": environment, "check": False}
    subprocess.run(["apt-get", "-qq", "update"], **quiet)  # type: ignore[call-overload]
    subprocess.run(["apt-get", "-qq", "install", "-y", "chromium"], **quiet)  # type: ignore[call-overload]


def main() -> int:
    chromium = find()
    if chromium is None and os.geteuid() == 0 and shutil.which("apt-get"):
        install()
        chromium = find()
    if chromium is None:
        print("racecard: no Chromium on PATH. Install it (Debian: apt-get install chromium) and try again.")
        return 1
    built = subprocess.run([sys.executable, "-m", "tools.frontend", "build"], check=False)
    if built.returncode:
        return built.returncode
    try:
        with throw_away() as (postgres, valkey):
            print(f"racecard: PostgreSQL {postgres.version} and {valkey.program} are up", flush=True)
            return pytest(chromium, {"DATABASE_URL": postgres.url, "REDIS_URL": valkey.url})
    except ServiceError as error:
        print(f"racecard: {error}", flush=True)
        return 1


def pytest(chromium: str, servers: dict[str, str]) -> int:
    """Every test in a worker without servers (gw0) and in one that has them (gw1)."""
    with tempfile.TemporaryDirectory(prefix="racecard-test-data-") as folder:
        workers = [
            {"RACECARD_TEST_DATABASE": "sqlite", "RACECARD_DATA": f"{folder}/sqlite"},
            {"RACECARD_TEST_DATABASE": "postgresql", "RACECARD_DATA": f"{folder}/postgresql", **servers},
        ]
        environment = (
            clean_environment() | workers[0] | {APART: json.dumps(workers), "RACECARD_CHROMIUM": chromium}
        )
        each = ("-n", str(len(workers)), "--dist", "each")
        plugins = ("-p", "tools.apart", "-p", "tools.looks", "-p", "tools.strict")
        command = [sys.executable, "-m", "pytest", "-q", *each, *plugins, "-m", "browser", "tests/browser"]
        return subprocess.run(
            [*command, *SAME_EVERYWHERE, *sys.argv[1:]], env=environment, check=False
        ).returncode


if __name__ == "__main__":
    sys.exit(main())
