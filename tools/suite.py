"""`make test`, `make test-quick`, `make soak` and `make one`: pytest on both databases and on the compiled rules, and
the web client's checks.

    python -m tools.suite                     everything that must pass
    python -m tools.suite --quick             SQLite only, without what takes long and what starts processes
    python -m tools.suite --soak              only the tests marked `soak`, and those of the browser
    python -m tools.suite --one postgresql tests/jobs/test_kills.py
                                              some tests in one process; with `make servers` running, at once

Further options are pytest's. SEED sets the order of the tests and the examples of Hypothesis; it is random otherwise
and printed. Each run of pytest is a separate process, started after its servers.
"""

from __future__ import annotations

import json
import os
import secrets
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass

from core.compiled import SETTING
from tools import report
from tools.services import ServiceError, kept_running, throw_away
from tools.worker_services import WORKERS

PROCESSES = 3
"""Workers of one run: one more than the usual two cores, because tests that start processes also wait."""

SOAK = {
    "SQLite": ("tests on SQLite and the filesystem broker", PROCESSES),
    "PostgreSQL": ("tests on PostgreSQL and Valkey", PROCESSES),
    "properties": ("every property with 500 examples", PROCESSES),
    "SQLite alone": ("measurements on SQLite", 1),
    "PostgreSQL alone": ("measurements on PostgreSQL", 1),
    "browser": ("the browser's soak tests", 2),
}
"""The stages of the soak in their order, each with its number of workers, by their names in docs/testing.md."""

ROOT = ("deploy/test_cluster", "deploy/test_debian")
"""Tests that only root can run."""

SHOWN = 10
"""The number of longest tests that the plan of the soak lists."""

THOROUGH = ("--hypothesis-profile=thorough", "--timeout=1800")

NAMED = "RACECARD_TEST_NAMED"
"""Set for a run of named tests: they run on this database regardless of `make test`."""

CLEARED = {"DATABASE_URL", "REDIS_URL", "PYTHONDONTWRITEBYTECODE", SETTING}
"""Removed from the environment. The tests start many processes, which without bytecode would compile everything."""


@dataclass(frozen=True, slots=True)
class Result:
    name: str
    passed: bool
    seconds: float


def clean_environment() -> dict[str, str]:
    return {key: value for key, value in os.environ.items() if key not in CLEARED}


def seeds() -> list[str]:
    """The options that set order and examples: from SEED, otherwise random."""
    seed = int(os.environ.get("SEED") or secrets.randbelow(2**31))
    return [f"--randomly-seed={seed}", f"--hypothesis-seed={seed}"]


def pytest(database: str, servers: Sequence[Mapping[str, str]], marks: str, *options: str) -> bool:
    """Run pytest with a worker for each of `servers`, the environment variables with its server addresses.

    Browser tests have their own runner and are not imported here.
    """
    with tempfile.TemporaryDirectory(prefix="racecard-test-data-") as folder:
        workers = [{**server, "RACECARD_DATA": f"{folder}/{n}"} for n, server in enumerate(servers)]
        environment = clean_environment() | workers[0]
        environment |= {WORKERS: json.dumps(workers), "RACECARD_TEST_DATABASE": database}
        plugins = ("-p", "tools.worker_services", "-p", "tools.report", "-p", "tools.strict")
        spread = ("-n", str(len(workers)), "--dist", "worksteal") if len(workers) > 1 else ()
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            *spread,
            *plugins,
            "--ignore=tests/browser",
            "-m",
            marks,
            *options,
        ]
        return run(command, environment)


def run(command: list[str], environment: Mapping[str, str] | None = None) -> bool:
    return subprocess.run(command, env=environment, check=False).returncode == 0


def on_sqlite(marks: str, options: Sequence[str], workers: int = PROCESSES) -> bool:
    return pytest("sqlite", [{}] * workers, marks, *options)


def on_postgresql(marks: str, options: Sequence[str], workers: int = PROCESSES) -> bool:
    try:
        with ExitStack() as stack:
            servers = [stack.enter_context(throw_away()) for _ in range(workers)]
            postgres, valkey = servers[0]
            say(
                f"each worker has a PostgreSQL {postgres.version} ({postgres.bin}) and a {valkey.program.name}"
            )
            addresses = [{"DATABASE_URL": one.url, "REDIS_URL": other.url} for one, other in servers]
            return pytest("postgresql", addresses, marks, *options)
    except ServiceError as error:
        say(str(error))
        return False


def one(database: str, options: Sequence[str]) -> bool:
    """Run the named tests in one process, on running servers or on new ones.

    Tests without a mark for the database run too; those that cannot run on it do not.
    """
    os.environ[NAMED] = "1"
    marks = "" if "soak" in options else "not soak"
    if database == "sqlite":
        return pytest("sqlite", [{}], marks, *options)
    with ExitStack() as stack:
        addresses = kept_running()
        if addresses is None:
            postgres, valkey = stack.enter_context(throw_away())
            addresses = {"DATABASE_URL": postgres.url, "REDIS_URL": valkey.url}
        return pytest("postgresql", [addresses], marks, *options)


def on_compiled_rules(compilation: subprocess.Popen[str], marks: str, options: Sequence[str]) -> bool:
    """Run the tests of rules and bots on the compiled modules."""
    output, _ = compilation.communicate()
    print(output, end="", flush=True)
    if compilation.returncode:
        return False
    workers = [{SETTING: "1"}] * PROCESSES
    return pytest("sqlite", workers, marks, "tests/games/rules", "tests/games/bots", *options)


def compilation() -> subprocess.Popen[str]:
    """Compile the rules while other tests run."""
    return subprocess.Popen(
        [sys.executable, "-m", "tools.compiled"],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def web_client() -> bool:
    return run([sys.executable, "-m", "tools.frontend", "check", "test", "build"])


def browser_soak() -> bool:
    return run([sys.executable, "-m", "tools.browser", "--soak"])


def announce_soak() -> None:
    """Print how long the soak takes and which tests take most of it, by the last measurement."""
    plan = report.soak_plan(report.BUDGETS.read_text())
    minutes = {stage: minutes_of(stage, plan) for stage in SOAK}
    say(f"about {sum(minutes.values()):.0f} minutes, by the measurements in {report.BUDGETS.name}:")
    for stage, spent in minutes.items():
        print(f"{spent:6.0f} min  {SOAK[stage][0]}, {SOAK[stage][1]} at a time")
    say("the longest tests:")
    for seconds, stage, test in plan[:SHOWN]:
        print(f"{seconds:6.0f} s    {stage:16}  {test}")
    if os.geteuid() != 0:
        say(f"these will fail, because they need root: {', '.join(ROOT)}")


def minutes_of(stage: str, plan: Sequence[tuple[float, str, str]]) -> float:
    """The minutes of a stage: no less than its longest test."""
    spent = [seconds for seconds, place, _ in plan if place == stage]
    return max(sum(spent) / SOAK[stage][1], *spent) / 60


def say(text: str) -> None:
    print(f"racecard: {text}", flush=True)


def stages(words: list[str]) -> dict[str, Callable[[], bool]]:
    """The stages to run, by name; `words` are the command line."""
    options = [word for word in words if word not in ("--soak", "--quick")] + seeds()
    sqlite, postgresql = SOAK["SQLite"][0], SOAK["PostgreSQL"][0]
    if "--quick" in words:
        return {sqlite: lambda: on_sqlite("not (soak or processes or long or slow)", options)}
    marks = "soak and not alone" if "--soak" in words else "not soak"
    tests = {
        sqlite: lambda: on_sqlite(marks, options),
        postgresql: lambda: on_postgresql(marks, options),
    }
    if "--soak" not in words:
        compiling = compilation()
        return tests | {
            "rules and bots, compiled": lambda: on_compiled_rules(compiling, marks, options),
            "web client: check, unit tests, build": web_client,
        }
    rest: dict[str, Callable[[], bool]] = {
        "properties": lambda: on_sqlite("hypothesis and not soak", [*THOROUGH, *options]),
        "SQLite alone": lambda: on_sqlite("soak and alone", options, workers=1),
        "PostgreSQL alone": lambda: on_postgresql("soak and alone", options, workers=1),
        "browser": browser_soak,
    }
    return tests | {SOAK[name][0]: stage for name, stage in rest.items()}


def main(words: list[str]) -> int:
    if words[:1] == ["--one"]:
        return 0 if one(words[1], [*words[2:], *seeds()]) else 1
    if "--soak" in words:
        announce_soak()
    results = []
    for name, stage in stages(words).items():
        say(name)
        started = time.monotonic()
        passed = stage()
        results.append(Result(name, passed, time.monotonic() - started))
    print()
    for result in results:
        say(f"{'passed' if result.passed else 'FAILED'}  {result.name}  ({result.seconds:.0f} s)")
    failed = sum(not result.passed for result in results)
    print(f"stages: {len(results) - failed} passed, {failed} failed", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
