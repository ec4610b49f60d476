"""Undo fixes and make defects in a copy of the checkout, and say which test finds each (`tests/defects.toml`).

    python -m tools.defects                    all, one after another; hours
    python -m tools.defects jobs 53d78807      the named ones
    python -m tools.defects jobs -- -x -k lost with options of pytest

The copy is a git worktree of the last commit with an environment of its own, outside the checkout. Tests marked `soak`
or `nightly` do not count.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LIST = ROOT / "tests" / "defects.toml"

PRODUCT = (
    *("platform", "games", "tournaments", "ledger", "disputes", "audit", "clients", "frontend/src"),
    ":(exclude,glob)**/*.test.ts",
)
"""The paths of a fix that are undone."""

COUNTED = ("-x", "-m", "not (soak or nightly)")

FOUND = re.compile(
    r"^(?:FAILED|ERROR|SUBFAILED\S*(?: \[[^]]*\])?) (tests/\S+)|^ FAIL +(.+)|.*(src/\S+:\d+).*Error", re.M
)
"""A failed test in what pytest, vitest, or svelte-check prints."""


@dataclass(frozen=True, slots=True)
class Fault:
    """An entry of the list. A defect replaces `text` in `file`; a fix is undone by its `hash`."""

    name: str
    about: str
    tests: Sequence[str]
    file: str = ""
    text: str = ""
    replacement: str = ""
    hash: str = ""

    def make(self, copy: Path) -> None:
        """Put the fault into the copy. Raises ValueError and CalledProcessError if it does not fit any more."""
        if self.hash:
            patch = git(copy, "diff", "--binary", f"{self.hash}^", self.hash, "--", *PRODUCT)
            git(copy, "apply", "-R", "--3way", input=patch)
            return
        source = (copy / self.file).read_text()
        if source.count(self.text) != 1:
            raise ValueError(f"{self.file} has the text of {self.name} {source.count(self.text)} times")
        (copy / self.file).write_text(source.replace(self.text, self.replacement))

    def runs(self, copy: Path) -> Iterator[str]:
        """The tests that find it, or else those of the packages that it changes."""
        if self.tests:
            yield from self.tests
            return
        folders = {
            path.removeprefix("platform/").split("/")[0]
            for path in git(copy, "diff", "HEAD", "--name-only").split()
        }
        if folders & {"frontend", "clients"}:
            yield "client test"
        yield from (
            f"sqlite tests/{folder}" for folder in sorted(folders) if (copy / "tests" / folder).is_dir()
        )


def faults() -> list[Fault]:
    found = tomllib.loads(LIST.read_text())
    defects = [
        Fault(one["name"], one["breaks"], one.get("tests", ()), one["file"], one["text"], one["replacement"])
        for one in found["defects"]
    ]
    fixes = [
        Fault(one["hash"], one["subject"], one.get("tests", ()), hash=one["hash"]) for one in found["commits"]
    ]
    return defects + fixes


def git(folder: Path, *words: str, input: str | None = None) -> str:
    done = subprocess.run(
        ["git", *words], cwd=folder, input=input, capture_output=True, text=True, check=True
    )
    return done.stdout


@contextmanager
def copied() -> Iterator[Path]:
    """A worktree of the last commit with its own environment."""
    with tempfile.TemporaryDirectory(prefix="racecard-defects-") as folder:
        copy = Path(folder) / "copy"
        git(ROOT, "worktree", "add", "--detach", str(copy), "HEAD")
        try:
            subprocess.run([sys.executable, "tools/bootstrap.py", "dev"], cwd=copy, check=True)
            yield copy
        finally:
            git(ROOT, "worktree", "remove", "--force", str(copy))


def finder(run: str, copy: Path, options: Iterable[str]) -> str:
    """Return the first test of a run that fails; empty if none does."""
    kind, _, name = run.partition(" ")
    command = {
        "client": ["tools.frontend", name],
        "browser": ["tools.browser", "-k", name, *COUNTED, *options],
    }.get(kind, ["tools.suite", "--one", kind, *name.split(), *COUNTED, *options])
    python = copy / ".venv" / "bin" / "python"
    done = subprocess.run(
        [python, "-m", *command],
        cwd=copy,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    failed = FOUND.search(done.stdout) if done.returncode else None
    if done.returncode and not failed:
        print(done.stdout[-2000:])
    return next((group for group in failed.groups() if group), "") if failed else ""


def main(words: list[str]) -> int:
    split = words.index("--") if "--" in words else len(words)
    names, options = words[:split], words[split + 1 :]
    chosen = [fault for fault in faults() if not names or fault.name in names]
    missed = 0
    with copied() as copy:
        for fault in chosen:
            try:
                fault.make(copy)
                found = next(filter(None, (finder(run, copy, options) for run in fault.runs(copy))), "")
            except (ValueError, subprocess.CalledProcessError) as error:
                found = ""
                print(f"{fault.name} does not fit any more: {error}")
            missed += not found
            print(f"{'found' if found else 'NOT FOUND'}  {fault.name}  {found or fault.about}", flush=True)
            git(copy, "reset", "--hard")
            git(copy, "clean", "-fd")
    print(f"defects: {len(chosen) - missed} of {len(chosen)} found")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
