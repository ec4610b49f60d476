"""`make lint`: every check that needs no test. Each is printed as a whole when it ends, and a failure stops no other.

The longest begin first, and several run at a time: mypy beside the rest on a machine with two cores.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROGRAMS = Path(sys.executable).parent

CHECKS: Mapping[str, Sequence[str]] = {
    "types": ("mypy",),
    "documentation: links and headings": ("python", "-m", "tools.docs", "--check"),
    "Python client: generation and types": ("python", "-m", "tools.python_client", "--check"),
    "dependencies: known vulnerabilities": ("python", "-m", "tools.audit"),
    "wording": ("python", "-m", "tools.wording"),
    "style": ("ruff", "check", "."),
    "format": ("ruff", "format", "--check", "."),
    "import layers": ("lint-imports",),
}
"""The program of the environment and its words, by what it checks."""

AT_ONCE = 3
"""One more than the usual two cores, because the audit waits for the network."""


@dataclass(frozen=True)
class Result:
    name: str
    passed: bool
    seconds: float
    output: str


def run(name: str, command: Sequence[str]) -> Result:
    started = time.monotonic()
    program, *words = command
    done = subprocess.run(
        [str(PROGRAMS / program), *words],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return Result(name, done.returncode == 0, time.monotonic() - started, done.stdout.strip())


def show(result: Result) -> None:
    print(f"racecard: {'passed' if result.passed else 'FAILED'}  {result.name}  ({result.seconds:.0f} s)")
    if result.output:
        print(result.output)
    sys.stdout.flush()


def main(checks: Mapping[str, Sequence[str]] = CHECKS) -> int:
    """Run all checks. Return 1 if one failed; the failed ones are named at the end."""
    failed = []
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for done in as_completed([pool.submit(run, *check) for check in checks.items()]):
            show(done.result())
            if not done.result().passed:
                failed.append(done.result().name)
    print(f"lint: {len(checks) - len(failed)} passed, {len(failed)} failed", *failed, sep="\n  ", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
