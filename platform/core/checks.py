"""The types of a check: what it found, of which subject, and how often. Pure.

Every package that verifies stored data reports in these types: bundles, pairings, the log, and the audit.
A check that was not run does not count as passed; the report states the reason.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

LISTED_FAULTS = 1000
"""The number of faults that a report lists; further faults are only counted."""

AFTER_FAULT = "it comes after the first fault of its subject"
"""Why a check was not run after a fault."""

UNREADABLE = (LookupError, ValueError, TypeError, AttributeError, ArithmeticError)
"""The errors that tampered data may raise when it is read."""

Verdict = Literal["passed", "failed", "in-part", "not-run"]
"""The result of a check. `in-part`: it has passed for some subjects and could not be run for others."""


class Fault(NamedTuple):
    """A fault and its place: `subject` is for example `game:ID`, and `version` is an event of its stream."""

    part: str
    check: str
    subject: str
    why: str
    version: int | None = None
    checkpoint: int | None = None

    def __str__(self) -> str:
        where = [self.subject] if self.subject else []
        if self.version is not None:
            where.append(f"event {self.version}")
        if self.checkpoint is not None:
            where.append(f"checkpoint {self.checkpoint}")
        return f"{', '.join(where) or self.part}: {self.why} ({self.check})"

    def place(self) -> tuple[Any, ...]:
        """Return the sort key: faults of single events come before those of the whole subject."""
        return (
            self.checkpoint or 0,
            self.subject,
            self.version is None,
            self.version or 0,
            self.check,
            self.why,
        )


@dataclass(slots=True)
class Tally:
    """The results of one check: the number of subjects by result."""

    passed: int = 0
    failed: int = 0
    not_run: Counter[str] = field(default_factory=Counter)
    """The number of subjects for which it was not run, by reason."""
    first: Fault | None = None

    @property
    def verdict(self) -> Verdict:
        if self.failed:
            return "failed"
        if not self.passed:
            return "not-run"
        return "in-part" if self.not_run.total() else "passed"


@dataclass(slots=True)
class Report:
    """The results of checks. Reports of parts are merged into it in any order."""

    tallies: dict[tuple[str, str], Tally] = field(default_factory=dict)
    """By part and check."""
    counted: Counter[str] = field(default_factory=Counter)
    """The number of streams, events, games, tournaments, transfers, and checkpoints checked."""
    faults: list[Fault] = field(default_factory=list)
    """The first `LISTED_FAULTS` faults."""
    count: int = 0
    """The number of all faults."""

    @property
    def ok(self) -> bool:
        """Return whether there are no faults and at least one check has passed."""
        return self.count == 0 and any(tally.passed for tally in self.tallies.values())

    def passed(self, part: str, *checks: str, number: int = 1) -> None:
        for check in checks:
            self._tally(part, check).passed += number

    def not_run(self, part: str, *checks: str, why: str, number: int = 1) -> None:
        for check in checks:
            self._tally(part, check).not_run[why] += number

    def add(self, part: str, check: str, subject: str, whys: Iterable[str]) -> None:
        """Add the result of one check of one subject: failed with these faults, or passed without any."""
        failed = False
        for why in whys:
            self.failed(Fault(part, check, subject, why), again=failed)
            failed = True
        if not failed:
            self.passed(part, check)

    def failed(self, fault: Fault, *, again: bool = False) -> None:
        """Add a fault. `again`: the subject has failed this check before and is not counted twice."""
        self._tally(fault.part, fault.check).failed += not again
        tally = self._tally(fault.part, fault.check)
        if tally.first is None or fault.place() < tally.first.place():
            tally.first = fault
        self.count += 1
        if len(self.faults) < LISTED_FAULTS:
            self.faults.append(fault)

    def merge(self, other: Report) -> None:
        for (part, check), found in other.tallies.items():
            tally = self._tally(part, check)
            tally.passed += found.passed
            tally.failed += found.failed
            tally.not_run += found.not_run
            if found.first and (tally.first is None or found.first.place() < tally.first.place()):
                tally.first = found.first
        self.counted += other.counted
        self.count += other.count
        self.faults += other.faults[: LISTED_FAULTS - len(self.faults)]

    def _tally(self, part: str, check: str) -> Tally:
        found = self.tallies.get((part, check))
        if found is None:
            found = self.tallies[part, check] = Tally()
        return found
