"""Make each fault of `tests/defects.toml` in a copy of the checkout, and name the test that finds it.

    python -m tools.defects                    all, one after another
    python -m tools.defects jobs 53d78807      some of them
    python -m tools.defects jobs -- -k lost    with options of pytest

The copy is a git worktree of the last commit, outside the checkout, with an environment of its own. A fault whose
`tests` are not listed is looked for in the packages that it changes. Tests marked `soak` or `nightly` do not count.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tools.suite import clean_environment

ROOT = Path(__file__).resolve().parent.parent
LIST = ROOT / "tests" / "defects.toml"

PRODUCT = (
    *("platform", "games", "tournaments", "ledger", "disputes", "audit", "clients", "frontend/src"),
    ":(exclude,glob)**/*.test.ts",
)
"""The paths of a commit that are undone."""

COUNTED = ("-x", "-m", "not (soak or nightly)")

FAILURE = re.compile(r"^ *(?:FAILED|ERROR|SUBFAILED\S*(?: \[.*?\])?|FAIL) +(.*tests/.+)", re.M)
"""The line of a failed test in the output of pytest and vitest."""

Fault = Mapping[str, Any]
"""An entry of the list: a defect with `name`, or a commit with `hash`."""


class DoesNotFit(Exception):
    """The sources have changed so that the fault cannot be made."""


def faults() -> dict[str, Fault]:
    listed = tomllib.loads(LIST.read_text())
    return {fault.get("name") or fault["hash"]: fault for fault in listed["defects"] + listed["commits"]}


def git(folder: Path, *words: str, input: str | None = None) -> str:
    done = subprocess.run(
        ["git", *words], cwd=folder, input=input, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise DoesNotFit(done.stderr.strip())
    return done.stdout


def make(fault: Fault, copy: Path) -> None:
    """Put a fault into the copy. Raises DoesNotFit."""
    if "hash" in fault:
        patch = git(copy, "diff", "--binary", f"{fault['hash']}^", fault["hash"], "--", *PRODUCT)
        git(copy, "apply", "-R", "--3way", input=patch)
        return
    source = (copy / fault["file"]).read_text()
    if source.count(fault["text"]) != 1:
        raise DoesNotFit(f"{fault['file']} has the text {source.count(fault['text'])} times")
    (copy / fault["file"]).write_text(source.replace(fault["text"], fault["replacement"]))


def packages(copy: Path) -> Iterator[str]:
    """The runs of the packages of tests that are named after the changed folders."""
    changed = git(copy, "diff", "HEAD", "--name-only").split()
    for folder in sorted({path.removeprefix("platform/").split("/")[0] for path in changed}):
        if folder in ("frontend", "clients"):
            yield "client test"
        elif (copy / "tests" / folder).is_dir():
            yield f"sqlite tests/{folder}"


def failure(run: str, copy: Path, options: Sequence[str] = ()) -> str:
    """Return the first failed test of a run; empty if all pass."""
    kind, names = run.split(maxsplit=1)
    if kind == "client":
        command = ["tools.frontend", *names.split()]
    elif kind == "browser":
        command = ["tools.browser", "-k", names, *COUNTED, *options]
    else:
        command = ["tools.suite", "--one", kind, *names.split(), *COUNTED, *options]
    python, environment = copy / ".venv" / "bin" / "python", clean_environment() | {"NO_COLOR": "1"}
    done = subprocess.run(
        [python, "-m", *command],
        cwd=copy,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    found = FAILURE.search(done.stdout) if done.returncode else None
    if done.returncode and found is None:
        print(f"{run} ended with {done.returncode} and names no test:\n{done.stdout[-2000:]}")
    return found[1].split(" - ")[0] if found else ""


@contextmanager
def worktree() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="racecard-defects-") as folder:
        copy = Path(folder) / "racecard"
        git(ROOT, "worktree", "add", "--detach", str(copy), "HEAD")
        try:
            subprocess.run([sys.executable, "tools/bootstrap.py", "dev"], cwd=copy, check=True)
            yield copy
        finally:
            git(ROOT, "worktree", "remove", "--force", str(copy))


def main(words: list[str]) -> int:
    end = words.index("--") if "--" in words else len(words)
    chosen = {name: fault for name, fault in faults().items() if name in words[:end] or not words[:end]}
    missed = 0
    with worktree() as copy:
        for name, fault in chosen.items():
            try:
                make(fault, copy)
                runs = fault.get("tests") or packages(copy)
                found = next(filter(None, (failure(run, copy, words[end + 1 :]) for run in runs)), "")
            except DoesNotFit as error:
                found = ""
                print(f"{name} cannot be made: {error}")
            print(
                f"{'found by' if found else 'NOT FOUND'}  {name}  {found or fault.get('breaks') or fault['subject']}"
            )
            missed += not found
            git(copy, "reset", "--hard")
            git(copy, "clean", "-fd")
    print(f"defects: {len(chosen) - missed} of {len(chosen)} found")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
