"""`make browser`: the tests that drive a real Chromium, which is found on PATH or, by root, installed from Debian."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile

from tools.suite import SAME_EVERYWHERE

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
    with tempfile.TemporaryDirectory(prefix="racecard-test-data-") as data:
        environment = {**os.environ, "RACECARD_CHROMIUM": chromium, "RACECARD_DATA": data}
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-p",
            "tools.strict",
            "-m",
            "browser",
            "tests/browser",
            *SAME_EVERYWHERE,
        ]
        return subprocess.run([*command, *sys.argv[1:]], env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
