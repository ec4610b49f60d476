"""`make test`, `make test-quick`, `make soak` and `make one`: pytest on both databases and on the compiled rules, and
the web client's checks.

    python -m tools.suite                     everything that must pass
    python -m tools.suite --quick             SQLite only, without what takes long and what starts processes
    python -m tools.suite --soak              only the tests marked `soak`, and those of the browser
    python -m tools.suite --compiled          only the tests of rules and bots, on the compiled rules
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
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass

from core.compiled import SETTING
from tools.plan import PLAN, Plan
from tools.services import ServiceError, kept_running, throw_away
from tools.worker_services import DATABASE, WORKERS

SQLITE, POSTGRESQL = "sqlite", "postgresql"

BOTH = (SQLITE, SQLITE, POSTGRESQL)
"""The databases of the workers of a run: one worker more than the usual two cores, because tests that start processes
also wait."""

PROCESSES = len(BOTH)

SOAK = {
    "SQLite": ("tests on SQLite and the filesystem broker", PROCESSES),
    "PostgreSQL": ("tests on PostgreSQL and Valkey", PROCESSES),
    "properties": ("every property with 500 examples", PROCESSES),
    "SQLite alone": ("measurements on SQLite", 1),
    "PostgreSQL alone": ("measurements on PostgreSQL", 1),
    "browser": ("the browser's soak tests", 2),
}
"""The stages of the soak in their order, each with its number of workers, by their names in tests/plan.toml."""

ROOT = ("deploy/test_cluster", "deploy/test_debian")
"""Tests that only root can run."""

SHOWN = 10
"""The number of longest tests that the plan of the soak lists."""

THOROUGH = ("--hypothesis-profile=thorough", "--timeout=1800")

PLUGINS = ("worker_services", "scheduling", "report", "strict")

CHANGE = "not soak and not nightly"
"""The tests that prove a change: those of `make test`."""

ALL = "RACECARD_TEST_ALL"
"""Set for a run in which tests without a mark for a database run on each database of the run."""

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


def tests(databases: Sequence[str], marks: str, *options: str, **environment: str) -> bool:
    """Run pytest with a worker on each of the databases. Each worker on PostgreSQL has servers of its own.

    Browser tests have their own runner and are not imported here.
    """
    try:
        with ExitStack() as stack:
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="racecard-test-data-"))
            workers = [
                {
                    DATABASE: database,
                    "RACECARD_DATA": f"{folder}/{number}",
                    **(servers(stack) if database == POSTGRESQL else {}),
                }
                for number, database in enumerate(databases)
            ]
            return pytest(workers, marks, *options, **environment)
    except ServiceError as error:
        say(str(error))
        return False


def servers(stack: ExitStack) -> dict[str, str]:
    """The addresses of a new PostgreSQL and a new Valkey, which end with the stack."""
    postgres, valkey = stack.enter_context(throw_away())
    say(f"a worker has a PostgreSQL {postgres.version} ({postgres.bin}) and a {valkey.program.name}")
    return {"DATABASE_URL": postgres.url, "REDIS_URL": valkey.url}


def pytest(workers: Sequence[dict[str, str]], marks: str, *options: str, **environment: str) -> bool:
    """Run pytest with workers that have these environment variables; with one worker in one process."""
    spread = ("-n", str(len(workers)), "--max-worker-restart=0") if len(workers) > 1 else ()
    plugins = [word for name in PLUGINS for word in ("-p", f"tools.{name}")]
    command = [sys.executable, "-m", "pytest", "-q", *spread, *plugins, "--ignore=tests/browser", "-m", marks]
    variables = clean_environment() | workers[0] | environment | {WORKERS: json.dumps(workers)}
    return run([*command, *options], variables)


def run(command: list[str], environment: Mapping[str, str] | None = None) -> bool:
    return subprocess.run(command, env=environment, check=False).returncode == 0


def one(database: str, options: Sequence[str]) -> bool:
    """Run the named tests in one process, on running servers or on new ones.

    Tests without a mark for the database run too; those that cannot run on it do not.
    """
    os.environ[ALL] = "1"
    marks = "" if "soak" in options else "not soak"
    if database == POSTGRESQL and (addresses := kept_running()):
        with tempfile.TemporaryDirectory(prefix="racecard-test-data-") as folder:
            return pytest([{DATABASE: database, "RACECARD_DATA": folder, **addresses}], marks, *options)
    return tests([database], marks, *options)


def on_compiled_rules(options: Sequence[str]) -> bool:
    """Compile the rules unless that is done, and run the tests of rules and bots on the compiled modules."""
    if not run([sys.executable, "-m", "tools.compiled"]):
        return False
    return tests([SQLITE], "not soak", "tests/games/rules", "tests/games/bots", *options, **{SETTING: "1"})


def compiled_rules_and_web_client(options: Sequence[str]) -> bool:
    """Both at once: compiling and building take one core for the most part."""
    return at_once(
        [sys.executable, "-m", "tools.suite", "--compiled", "-m", f"compiled and {CHANGE}", *options],
        [sys.executable, "-m", "tools.frontend", "check", "test", "build"],
    )


def at_once(*commands: list[str]) -> bool:
    """Run the commands at the same time, and print what they say one after the other."""
    with ThreadPoolExecutor(len(commands)) as pool:
        ends = list(
            pool.map(lambda command: subprocess.run(command, capture_output=True, text=True), commands)
        )
    for end in ends:
        print(end.stdout + end.stderr, end="", flush=True)
    return not any(end.returncode for end in ends)


def browser_soak() -> bool:
    return run([sys.executable, "-m", "tools.browser", "--soak"])


def announce_soak() -> None:
    """Print how long the soak takes and which tests take most of it, by the last measurement."""
    longest = Plan.read(PLAN).longest_soak_tests()
    minutes = {stage: minutes_of(stage, longest) for stage in SOAK}
    say(f"about {sum(minutes.values()):.0f} minutes, by the measurements in {PLAN.name}:")
    for stage, spent in minutes.items():
        print(f"{spent:6.0f} min  {SOAK[stage][0]}, {SOAK[stage][1]} at a time")
    say("the longest tests:")
    for seconds, stage, test in longest[:SHOWN]:
        print(f"{seconds:6.0f} s    {stage:16}  {test}")
    if os.geteuid() != 0:
        say(f"these will fail, because they need root: {', '.join(ROOT)}")


def minutes_of(stage: str, plan: Sequence[tuple[float, str, str]]) -> float:
    """The minutes of a stage: no less than its longest test."""
    spent = [seconds for seconds, place, _ in plan if place == stage]
    return max(sum(spent) / SOAK[stage][1], *spent) / 60


def say(text: str) -> None:
    print(f"racecard: {text}", flush=True)


Stages = Mapping[str, Callable[[], bool]]


def stages_of_test(options: Sequence[str]) -> Stages:
    return {
        "SQLite and PostgreSQL": lambda: tests(BOTH, CHANGE, "--budgets", *options),
        "compiled rules; web client": lambda: compiled_rules_and_web_client(options),
    }


def stages_of_soak(options: Sequence[str]) -> Stages:
    stages: Stages = {
        "SQLite": lambda: tests([SQLITE] * PROCESSES, "soak and not alone", *options),
        "PostgreSQL": lambda: tests([POSTGRESQL] * PROCESSES, "soak and not alone", *options),
        "properties": lambda: tests([SQLITE] * PROCESSES, "hypothesis and not soak", *THOROUGH, *options),
        "SQLite alone": lambda: tests([SQLITE], "soak and alone", *options),
        "PostgreSQL alone": lambda: tests([POSTGRESQL], "soak and alone", *options),
        "browser": browser_soak,
    }
    return {SOAK[name][0]: stage for name, stage in stages.items()}


def carry_out(stages: Stages) -> int:
    """Run the stages one after another, also after a failure; return the exit status."""
    results = []
    for name, stage in stages.items():
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


def main(words: list[str]) -> int:
    options = [word for word in words if word not in ("--soak", "--quick", "--compiled")] + seeds()
    if words[:1] == ["--one"]:
        return 0 if one(words[1], options[2:]) else 1
    if "--compiled" in words:
        return 0 if on_compiled_rules(options) else 1
    if "--soak" in words:
        announce_soak()
        return 0 if "--plan" in words else carry_out(stages_of_soak(options))
    if "--quick" in words:
        marks = f"{CHANGE} and not (processes or long or slow)"
        return carry_out({"SQLite": lambda: tests([SQLITE] * PROCESSES, marks, *options)})
    return carry_out(stages_of_test(options))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
