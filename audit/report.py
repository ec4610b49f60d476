"""What an audit says, of a single game as of a whole installation: each check, and the place of its first fault. Pure.

A check that was not run is never counted as one that has passed, and says why it was not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from audit.checks import PARTS

FORMAT = "racecard-audit/1"

KEPT = 1000
"""Faults that a report names; beyond them it counts."""

Verdict = Literal["passed", "failed", "in-part", "not-run"]
"""Of one subject a check has passed, failed or was not run; of many it may have been run for a part of them."""


class Fault(NamedTuple):
    """What is wrong, and where: `subject` is such as game:ID, `version` an event of its stream."""

    part: str
    check: str
    subject: str
    why: str
    version: int | None = None
    checkpoint: int | None = None

    def document(self) -> dict[str, Any]:
        return self._asdict()

    def __str__(self) -> str:
        where = [self.subject] if self.subject else []
        if self.version is not None:
            where.append(f"event {self.version}")
        if self.checkpoint is not None:
            where.append(f"checkpoint {self.checkpoint}")
        return f"{', '.join(where) or self.part}: {self.why} ({self.check})"

    def place(self) -> tuple[Any, ...]:
        """By which faults are ordered: whole subjects behind their events."""
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
    """Of one check: how many subjects it was run for, and what came of it."""

    passed: int = 0
    failed: int = 0
    not_run: Counter[str] = field(default_factory=Counter)
    """How many it was not run for, by the reason."""
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
    """What has been found so far. Parts that others have made are merged into it, in any order."""

    tallies: dict[tuple[str, str], Tally] = field(default_factory=dict)
    """By part and check."""
    counted: Counter[str] = field(default_factory=Counter)
    """What was looked at: streams, events, games, tournaments, transfers, checkpoints."""
    faults: list[Fault] = field(default_factory=list)
    """`KEPT` of them."""
    count: int = 0
    """Of all faults."""

    @property
    def ok(self) -> bool:
        """Nothing is wrong, and something was checked."""
        return self.count == 0 and any(tally.passed for tally in self.tallies.values())

    def passed(self, part: str, *checks: str, number: int = 1) -> None:
        for check in checks:
            self._tally(part, check).passed += number

    def not_run(self, part: str, *checks: str, why: str, number: int = 1) -> None:
        for check in checks:
            self._tally(part, check).not_run[why] += number

    def failed(self, fault: Fault) -> None:
        """One subject has failed a check."""
        self._tally(fault.part, fault.check).failed += 1
        self.also(fault)

    def also(self, fault: Fault) -> None:
        """A further fault of a subject that has failed the check already."""
        tally = self._tally(fault.part, fault.check)
        if tally.first is None or fault.place() < tally.first.place():
            tally.first = fault
        self.count += 1
        if len(self.faults) < KEPT:
            self.faults.append(fault)

    def merge(self, other: Report) -> None:
        for (part, check), told in other.tallies.items():
            tally = self._tally(part, check)
            tally.passed += told.passed
            tally.failed += told.failed
            tally.not_run += told.not_run
            if told.first and (tally.first is None or told.first.place() < tally.first.place()):
                tally.first = told.first
        self.counted += other.counted
        self.count += other.count
        self.faults += other.faults[: KEPT - len(self.faults)]

    def order(self) -> list[tuple[str, str]]:
        """Parts and checks as they are told, whatever was found first."""
        return sorted(self.tallies, key=_place)

    def _tally(self, part: str, check: str) -> Tally:
        found = self.tallies.get((part, check))
        if found is None:
            found = self.tallies[part, check] = Tally()
        return found


def document(report: Report, *, scope: str, subject: str = "") -> dict[str, Any]:
    """The report as JSON, the same whatever was audited."""
    return {
        "format": FORMAT,
        "scope": scope,
        "subject": subject,
        "ok": report.ok,
        "counted": dict(sorted(report.counted.items())),
        "checks": [_check(part, check, report.tallies[part, check]) for part, check in report.order()],
        "faults": [fault.document() for fault in sorted_faults(report.faults)],
        "faults_in_all": report.count,
    }


def _place(key: tuple[str, str]) -> tuple[int, int, str]:
    part, check = key
    checks = list(PARTS.get(part, ()))
    return (
        list(PARTS).index(part) if part in PARTS else len(PARTS),
        checks.index(check) if check in checks else len(checks),
        check,
    )


def sorted_faults(faults: Iterable[Fault]) -> list[Fault]:
    return sorted(faults, key=lambda fault: (*_place((fault.part, fault.check))[:1], fault.place()))


def _check(part: str, check: str, tally: Tally) -> dict[str, Any]:
    return {
        "part": part,
        "check": check,
        "about": PARTS.get(part, {}).get(check, ""),
        "verdict": tally.verdict,
        "passed": tally.passed,
        "failed": tally.failed,
        "not_run": tally.not_run.total(),
        "why_not": [{"why": why, "number": number} for why, number in sorted(tally.not_run.items())],
        "first": tally.first.document() if tally.first else None,
    }
