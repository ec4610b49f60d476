"""The plan of the tests: what they may cost, and what `make soak` and `make nightly` run (tests/plan.toml)."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path

TESTS = Path(__file__).resolve().parent.parent / "tests"
PLAN = TESTS / "plan.toml"

OVER_HTTP = re.compile(r"\bAPIClient\b|^from django\.test import .*\bClient\b|\bplaywright\b", re.MULTILINE)
"""What a test module that uses a client, a staff page or a browser page imports."""


@dataclass(frozen=True, slots=True)
class Soak:
    """A test of `make soak`: what it proves, how often, in which stages, and how many seconds it took."""

    test: str
    proves: str
    count: str
    where: Sequence[str]
    seconds: float


@dataclass(frozen=True, slots=True)
class Part:
    """A part of `make nightly`: what it runs, its minutes, and the paths (patterns) whose change makes it necessary.

    It runs the tests of `folders` on both databases, or a `command` in a fresh clone. A part that is `apart` takes
    what it needs and is not counted in the minutes of the whole; `root` needs root.
    """

    name: str
    paths: Sequence[str]
    minutes: float
    folders: Sequence[str] = ()
    command: str = ""
    apart: bool = False
    root: bool = False

    def concerns(self, path: str) -> bool:
        return any(fnmatch(path, pattern) for pattern in self.paths)


@dataclass(frozen=True, slots=True)
class Plan:
    """`calibration` is in milliseconds, `budgets` in worker seconds by package; `caps` count by name."""

    calibration: float
    budgets: Mapping[str, float]
    caps: Mapping[str, int]
    soak: tuple[Soak, ...]
    nightly: tuple[Part, ...]

    @classmethod
    def read(cls, file: Path) -> Plan:
        data = tomllib.loads(file.read_text())
        return cls(
            calibration=data["calibration"],
            budgets=data["budgets"],
            caps=data["caps"],
            soak=tuple(Soak(**row) for row in data["soak"]),
            nightly=tuple(Part(**row) for row in data["nightly"]),
        )

    def over_caps(self, counts: Mapping[str, int]) -> list[str]:
        """The counts that are over their cap, in words."""
        return [
            f"{count} {name}; at most {self.caps[name]} are allowed"
            for name, count in counts.items()
            if count > self.caps[name]
        ]

    def longest_soak_tests(self) -> list[tuple[float, str, str]]:
        """Seconds, stage (such as "SQLite"), and test, the longest first."""
        return sorted(
            ((row.seconds, stage, row.test) for row in self.soak for stage in row.where), reverse=True
        )


def lines_of_tests(tests: Path) -> int:
    """The lines of all files in tests/, of every kind."""
    return sum(_lines(path) for path in _files(tests))


def lines_over_http(tests: Path) -> int:
    """The lines of the test modules that use a client, a staff page or a browser page."""
    return sum(
        _lines(path)
        for path in _files(tests)
        if path.name.startswith("test_") and OVER_HTTP.search(path.read_text())
    )


def _files(tests: Path) -> list[Path]:
    return [path for path in tests.rglob("*") if path.is_file() and "__pycache__" not in path.parts]


def _lines(path: Path) -> int:
    return path.read_bytes().count(b"\n")
