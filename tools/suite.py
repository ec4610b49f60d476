"""`make test`: everything that must pass, on both databases, and one line for each at the end.

`make soak` (`--soak`) is the same with the full counts: only the tests that bear the mark, on both databases.

Each run of pytest is a process of its own, started after its servers, so that the settings meet them ready.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass

from tools.apart import APART
from tools.once import ONCE
from tools.services import ServiceError, throw_away

WORKERS = 2
SOAK = "--soak" in sys.argv[1:]
OPTIONS = [word for word in sys.argv[1:] if word != "--soak"]
"""Whatever else stands on the command line is for pytest."""


@dataclass(frozen=True, slots=True)
class Result:
    name: str
    passed: bool
    seconds: float


SAME_EVERYWHERE = ("--randomly-seed=1", "--hypothesis-seed=1")
"""What passed on one machine is what another one runs. A pytest by hand and the soak explore."""

NOT_OURS = {"DATABASE_URL", "REDIS_URL", "PYTHONDONTWRITEBYTECODE"}
"""Of the caller's environment. The tests start many processes; without bytecode each would compile everything anew."""


def clean_environment() -> dict[str, str]:
    return {key: value for key, value in os.environ.items() if key not in NOT_OURS}


def pytest(database: str, deselected: str, servers: Sequence[Mapping[str, str]], *options: str) -> bool:
    """One run of pytest whose workers share nothing: each has its own data folder, and what `servers` says."""
    with tempfile.TemporaryDirectory(prefix="racecard-test-data-") as folder:
        workers = [{**server, "RACECARD_DATA": f"{folder}/{n}"} for n, server in enumerate(servers)]
        environment = clean_environment() | workers[0]
        environment |= {APART: json.dumps(workers), "RACECARD_TEST_DATABASE": database}
        plugins = ("-p", "tools.apart", "-p", "tools.once", "-p", "tools.strict")
        soak = "soak" if SOAK else "not soak"
        marks = ("-m", f"{soak} and not browser and not {deselected}")
        command = [sys.executable, "-m", "pytest", "-q", "-n", str(len(workers)), *plugins, *marks]
        return run([*command, *(() if SOAK else SAME_EVERYWHERE), *options, *OPTIONS], environment)


def run(command: list[str], environment: Mapping[str, str] | None = None) -> bool:
    return subprocess.run(command, env=environment, check=False).returncode == 0


def on_sqlite() -> bool:
    return pytest("sqlite", "postgres", [{}] * WORKERS)


def on_postgresql() -> bool:
    try:
        with ExitStack() as stack:
            servers = [stack.enter_context(throw_away()) for _ in range(WORKERS)]
            postgres, valkey = servers[0]
            say(
                f"PostgreSQL {postgres.version} ({postgres.bin}) and {valkey.program} are up, for each worker one"
            )
            say(f"without what knows no database and has run above: {', '.join(ONCE)}")
            addresses = [{"DATABASE_URL": one.url, "REDIS_URL": other.url} for one, other in servers]
            return pytest("postgresql", "sqlite", addresses, *(f"--ignore={path}" for path in ONCE))
    except ServiceError as error:
        say(str(error))
        return False


def web_client() -> bool:
    return run([sys.executable, "-m", "tools.frontend", "check", "test", "build"])


STAGES: dict[str, Callable[[], bool]] = {
    "tests on SQLite and the filesystem broker": on_sqlite,
    "tests on PostgreSQL and Valkey": on_postgresql,
    "web client: check, unit tests, build": web_client,
}


def say(text: str) -> None:
    print(f"racecard: {text}", flush=True)


def main() -> int:
    results = []
    for name, stage in STAGES.items():
        if SOAK and stage is web_client:
            continue
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
    sys.exit(main())
