"""`make browser`: the tests that drive a real Chromium, found on PATH or, by root, installed from Debian.

Two installations run in parallel, each with its own browser: one on SQLite, one on PostgreSQL and Valkey. `--nightly`
runs also the stories of `make nightly`, and `--soak` the full counts instead. `--slow` delays the answers that pages
receive, so that a test that does not wait for what it reads fails; `--throttled` slows the browser's processor four
times. `--retry` runs tests that failed once more, if they are few, and names those that pass then: more than one of
them fails the run. All other options are pytest's.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tools import frontend
from tools.services import ServiceError, throw_away
from tools.suite import CHANGE, clean_environment, seeds
from tools.worker_services import DATABASE, WORKERS

NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
"""The headless shell first: it takes about a fifth less time than the whole browser without a window."""

TESTS_FAILED = 1
"""Pytest's exit status of a run that ended and in which tests failed."""

FLAKY = 1
"""More stories than this that pass only the second time fail the run."""

CACHE = Path(".pytest_cache/v/cache/lastfailed")

PAGES = {"--slow": "RACECARD_SLOW_PAGES", "--throttled": "RACECARD_THROTTLED_PAGES"}
"""Options that change how pages run, and the variable that tells the tests."""

RETRIED = 2
"""More failures than this are not chance, and are not retried."""


def find() -> str | None:
    return next((path for name in NAMES if (path := shutil.which(name))), None)


def install() -> None:
    print("racecard: installing Chromium (apt-get)", flush=True)
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "env": environment, "check": False}
    subprocess.run(["apt-get", "-qq", "update"], **quiet)  # type: ignore[call-overload]
    subprocess.run(["apt-get", "-qq", "install", "-y", "chromium-headless-shell"], **quiet)  # type: ignore[call-overload]


def main() -> int:
    chromium = find()
    if chromium is None and os.geteuid() == 0 and shutil.which("apt-get"):
        install()
        chromium = find()
    if chromium is None:
        print(
            "racecard: no Chromium on PATH. Install it (Debian: apt-get install chromium-headless-shell) and try again."
        )
        return 1
    try:
        with ThreadPoolExecutor(1) as pool:
            built = pool.submit(frontend.build)
            with throw_away() as (postgres, valkey):
                print(f"racecard: PostgreSQL {postgres.version} and {valkey.program} are up", flush=True)
                built.result()
                return run(chromium, {"DATABASE_URL": postgres.url, "REDIS_URL": valkey.url}, sys.argv[1:])
    except (ServiceError, frontend.ClientError) as error:
        print(f"racecard: {error}", flush=True)
        return 1


def run(chromium: str, servers: dict[str, str], words: list[str]) -> int:
    """Run the tests, with `--retry` a few that failed once more; name those that pass only then."""
    options = [word for word in words if word != "--retry"]
    returned = pytest(chromium, servers, options)
    failed = last_failed()
    if "--retry" not in words or returned != TESTS_FAILED or not 0 < len(failed) <= RETRIED:
        return returned
    print(f"racecard: {len(failed)} failed, run once more in new installations", flush=True)
    returned = pytest(chromium, servers, [*options, "--last-failed", "--last-failed-no-failures=none"])
    flaky = sorted(failed - last_failed())
    for name in flaky:
        print(f"racecard: FLAKY, failed and then passed: {name}", flush=True)
    return returned or (TESTS_FAILED if len(flaky) > FLAKY else 0)


def last_failed() -> set[str]:
    """The ids of the browser tests that failed when they ran last, from pytest's cache."""
    names = json.loads(CACHE.read_text()) if CACHE.exists() else {}
    return {name for name in names if name.startswith("tests/browser/")}


def pytest(chromium: str, servers: dict[str, str], options: list[str]) -> int:
    """Run the browser tests on a worker without servers (gw0) and on one that has them (gw1)."""
    views = {variable: "1" for word, variable in PAGES.items() if word in options}
    marks = "soak" if "--soak" in options else "not soak" if "--nightly" in options else CHANGE
    options = [word for word in options if word not in {"--soak", "--nightly", *PAGES}]
    with tempfile.TemporaryDirectory(prefix="racecard-test-data-") as folder:
        workers = [
            {DATABASE: "sqlite", "RACECARD_DATA": f"{folder}/sqlite"},
            {DATABASE: "postgresql", "RACECARD_DATA": f"{folder}/postgresql", **servers},
        ]
        environment = (
            clean_environment() | workers[0] | {WORKERS: json.dumps(workers), "RACECARD_CHROMIUM": chromium}
        )
        environment |= views
        plugins = [
            word for name in ("worker_services", "stories", "strict") for word in ("-p", f"tools.{name}")
        ]
        spread = ["-n", str(len(workers)), "--max-worker-restart=0"]
        chosen = [*plugins, "-m", f"browser and {marks}", *seeds()]
        if marks == CHANGE:
            chosen.append("--budgets")
        command = [sys.executable, "-m", "pytest", "-q", *spread, *chosen]
        return subprocess.run([*command, "tests/browser", *options], env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
