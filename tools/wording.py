"""Part of `make lint`: words that must not come back, and the length of commit subjects.

The words were replaced by the terms of docs/glossary.md. Add a word to WORDS when it no longer occurs in the
repository. A word matches as a whole, in any case, and in names with underscores or in camel case.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

WORDS = (
    "back office",
    "early look",
    "kept deeds",
    "lean view",
    "particulars",
    "player desk",
    "standstill",
    "the house today",
    "turnstile",
    "whereabouts",
)

SUFFIXES = {".py", ".md", ".ts", ".svelte", ".html", ".css", ".txt", ".toml", ".json", ".yml"}

EXEMPT = ("CHANGELOG.md", "docs/rules.md", "tests/golden/", "tools/wording.py", "tests/tools/test_wording.py")
"""Files that keep the words: history, the rulebook, frozen data, and this list."""

SUBJECT_LENGTH = 72
BASE = "89738fdcd0e97ed1b0597e6fb4b1f13e7263f956"
"""The subjects of commits after this one are checked, or of those after the last tag if that is later."""


def spaced(text: str) -> str:
    """Separate the words of names: `kept_deeds` and `KeptDeeds` become `kept deeds` and `Kept Deeds`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|_", " ", text)


PATTERN = re.compile(
    r"(?<![A-Za-z])(" + "|".join(re.escape(spaced(word)) for word in WORDS) + r")(?![A-Za-z])", re.IGNORECASE
)


def faults(name: str, text: str) -> Iterator[str]:
    """The places in a file where a listed word occurs."""
    for number, line in enumerate(text.splitlines(), 1):
        if found := PATTERN.search(spaced(line)):
            yield f"{name}:{number}: {found[1].lower()}: see docs/glossary.md for the term"


def long_subjects(subjects: Iterable[str]) -> Iterator[str]:
    for subject in subjects:
        if len(subject) > SUBJECT_LENGTH:
            yield f"commit subject of {len(subject)} characters, at most {SUBJECT_LENGTH}: {subject}"


def git(*words: str) -> list[str]:
    done = subprocess.run(["git", *words], capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def is_ancestor(one: str, other: str) -> bool:
    command = ["git", "merge-base", "--is-ancestor", one, other]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def subjects() -> list[str]:
    """The subjects of the commits since BASE or the last tag, without merge commits."""
    tags = git("tag", "--merged", "HEAD", "--sort=-creatordate")
    since = tags[0] if tags and is_ancestor(BASE, tags[0]) else BASE
    return git("log", "--no-merges", "--format=%s", f"{since}..HEAD")


def main() -> int:
    try:
        names = git("ls-files", "--cached", "--others", "--exclude-standard")
    except (FileNotFoundError, subprocess.CalledProcessError):
        return 0  # not a working copy of git
    found: list[str] = []
    for name in names:
        path = Path(name)
        if path.suffix in SUFFIXES and not name.startswith(EXEMPT) and path.is_file():
            found += faults(name, path.read_text(errors="replace"))
    try:
        found += long_subjects(subjects())
    except subprocess.CalledProcessError:
        found.append(f"commit subjects not checked: {BASE} is not in this clone; fetch the whole history")
    for fault in found:
        print(fault)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
