"""`make nightly`: what proves breadth rather than a change. Its plan is in tests/plan.toml.

    python -m tools.nightly                all parts
    python -m tools.nightly --since REF    the parts whose paths changed since that commit
    python -m tools.nightly --plan         print the plan only

The tests run once on each database, the browser's in every view; then each target of the Makefile in a fresh clone.
A part that fails does not stop the others.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path

from tools.plan import PLAN, TESTS, Part, Plan
from tools.suite import ALL, BOTH, carry_out, say, seeds, tests

ROOT = TESTS.parent
NO_ROOT = "needs root and was not run"


def chosen(parts: Iterable[Part], changed: Sequence[str]) -> list[Part]:
    """The parts that one of the changed paths concerns."""
    return [part for part in parts if any(part.concerns(path) for path in changed)]


def changed_since(reference: str) -> list[str]:
    """The paths that differ from the commit, in the commits since and in the working tree."""
    names = subprocess.run(
        ["git", "diff", "--name-only", reference], capture_output=True, text=True, check=True
    )
    new = subprocess.run(
        ["git", "ls-files", "--others", "--exclude-standard"], capture_output=True, text=True, check=True
    )
    return [*names.stdout.split("\n"), *new.stdout.split("\n")]


def announce(parts: Sequence[Part]) -> None:
    """Print the parts with their minutes."""
    counted = sum(part.minutes for part in parts if not part.apart)
    apart = sum(part.minutes for part in parts if part.apart)
    say(f"about {counted:.0f} minutes, and {apart:.0f} for the parts timed apart:")
    for part in parts:
        note = " (apart)" if part.apart else ""
        print(f"{part.minutes:6.1f} min  {part.name}{note}: {part.command or ' '.join(part.folders)}")


def on_both_databases(folders: Sequence[str], options: Sequence[str]) -> bool:
    """Every test of the folders once on each database, also the unmarked ones."""
    return tests(BOTH, "not soak", *folders, *options, **{ALL: "1"})


def in_fresh_clone(clone: Path, command: str) -> bool:
    """Run a command of the shell in the clone, which is made of the last commit when a part needs it first."""
    if not clone.exists():
        subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)
    return (
        subprocess.run(["bash", "-c", f"set -o pipefail; {command}"], cwd=clone, check=False).returncode == 0
    )


def main(words: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="make nightly", description=__doc__)
    parser.add_argument("--since", metavar="REF", help="only the parts whose paths changed since this commit")
    parser.add_argument("--plan", action="store_true", help="print the plan and stop")
    arguments, options = parser.parse_known_args(words)
    parts: Sequence[Part] = Plan.read(PLAN).nightly
    if arguments.since:
        parts = chosen(parts, changed_since(arguments.since))
    announce(parts)
    absent = [part.name for part in parts if part.root and os.geteuid() != 0]
    for name in absent:
        say(f"{name}: {NO_ROOT}")
    if arguments.plan or not parts:
        return 0
    with tempfile.TemporaryDirectory(prefix="racecard-nightly-") as folder:
        clone = Path(folder) / "racecard"
        stages = {}
        if folders := sorted({name for part in parts for name in part.folders}):
            stages["tests on both databases"] = partial(on_both_databases, folders, [*options, *seeds()])
        stages |= {
            part.name: partial(in_fresh_clone, clone, part.command)
            for part in parts
            if part.command and part.name not in absent
        }
        status = carry_out(stages)
    for name in absent:
        say(f"{name}: {NO_ROOT}")
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
