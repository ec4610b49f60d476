"""The report of an audit, and the catalogue of its checks. Pure.

A check that was not run does not count as passed; the report states the reason.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from games.rules.bundles.verification import CHECKS as OF_A_BUNDLE

FORMAT = "racecard-audit/1"

LISTED_FAULTS = 1000
"""The number of faults that a report lists; further faults are only counted."""

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
    """The results of an audit. Reports of parts are merged into it in any order."""

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

    def order(self) -> list[tuple[str, str]]:
        """Return parts and checks in the order of the catalogue."""
        return sorted(self.tallies, key=_place)

    def _tally(self, part: str, check: str) -> Tally:
        found = self.tallies.get((part, check))
        if found is None:
            found = self.tallies[part, check] = Tally()
        return found


def document(report: Report, *, scope: str, subject: str = "") -> dict[str, Any]:
    """Return the report as a JSON document."""
    return {
        "format": FORMAT,
        "scope": scope,
        "subject": subject,
        "ok": report.ok,
        "counted": dict(sorted(report.counted.items())),
        "checks": [_check(part, check, report.tallies[part, check]) for part, check in report.order()],
        "faults": [fault.document() for fault in sorted_faults(report.faults)],
        "fault_count": report.count,
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
        "first_fault": tally.first.document() if tally.first else None,
    }


# --- the catalogue of checks -----------------------------------------------------------------------------

DATABASE = {
    "triggers": "every trigger and function that protects an invariant is installed and unaltered",
}
STREAMS = {
    "chain": "versions count from 1 without gaps, and every hash covers its event and the previous hash",
    "order": "no event is earlier than the previous one",
    "head": "the stream's head is its last event",
    "owner": "the kind of the stream matches its projections",
    "readable": "the projections of the stream can be read",
}
GAMES = {
    **OF_A_BUNDLE,
    "head": "the stream's head is its last event",
    "record": "the projections match the stream",
    "stored": "sealed data is stored in its canonical form",
}
CHECKPOINT = {"checkpoint": "the stream matches the signed checkpoints"}
TOURNAMENTS = {
    "chain": "versions count from 1 without gaps, and every hash is right",
    "field": "entropy, number of rounds, and seeding follow from the entrants",
    "pairings": "every round is paired by its format, and the pairing checker accepts it",
    "deals": "every game has the deal of its round and number, and the games of a match follow from one another",
    "results": "every seated entrant has a result, and corrections start from the previous result",
    "standings": "the standings follow from the results",
    "prizes": "pool, rake, and prizes follow from the standings",
    "seed": "the seed matches its commitment, and the lot key and all server seeds are derived from it",
    "worth": "every result follows from the outcome of its game",
    "record": "the projections match the stream",
}
DISPUTES = {
    "record": "dispute, evidence, and rulings match the stream of the dispute",
    "evidence": "the disputed event and the pinned events are unchanged in their games",
}
EARLY_ACCESS = {"record": "the records of early access match their stream"}
CHECKPOINTS = {
    "kept": "each is signed and follows the previous one, and the events that it covers are unchanged",
    "published": "the database has the published checkpoints unchanged",
}
SUSPENSIONS = {
    "record": "suspensions match their streams and the state of their games",
}

PARTS = {
    "database": DATABASE,
    "checkpoints": CHECKPOINTS,
    "streams": STREAMS,
    "games": {**GAMES, **CHECKPOINT},
    "tournaments": {**TOURNAMENTS, **CHECKPOINT},
    "disputes": DISPUTES,
    "early-access": EARLY_ACCESS,
    "suspensions": SUSPENSIONS,
}
"""Checks by part, in the order of a report. The checks of the ledger come last and describe themselves by name."""
