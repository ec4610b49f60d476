"""The document of an audit: its checks in the order in which the packages declare them, and its faults."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Annotated, Literal, TypedDict

from core.checks import Fault, Report, Tally, Verdict
from eventstore import audits

Format = Literal["racecard-audit/1"]
FORMAT: Format = "racecard-audit/1"


class AuditFault(TypedDict):
    part: str
    check: str
    subject: Annotated[str, "for example game:ID; empty without a subject"]
    why: str
    version: Annotated[int | None, "the version in the subject's stream"]
    checkpoint: int | None


class AuditWhyNot(TypedDict):
    why: str
    number: int


class AuditCheck(TypedDict):
    part: Annotated[
        str,
        "database, checkpoints, streams, games, tournaments, disputes, early-access, suspensions, or ledger",
    ]
    check: str
    about: Annotated[str, "what the check verifies"]
    verdict: Verdict
    passed: Annotated[int, "the number of subjects that passed"]
    failed: int
    not_run: int
    why_not: list[AuditWhyNot]
    first_fault: AuditFault | None


class AuditDocument(TypedDict):
    format: Format
    scope: str
    subject: str
    ok: Annotated[bool, "no faults, and at least one check was run"]
    counted: Annotated[dict[str, int], "the number of checked items by kind"]
    checks: list[AuditCheck]
    faults: Annotated[list[AuditFault], "the first thousand faults"]
    fault_count: Annotated[int, "the number of all faults"]


def document(report: Report, *, scope: str, subject: str = "") -> AuditDocument:
    """Return the report as a JSON document."""
    catalogue = audits.catalogue()
    return {
        "format": FORMAT,
        "scope": scope,
        "subject": subject,
        "ok": report.ok,
        "counted": dict(sorted(report.counted.items())),
        "checks": [
            _check(part, check, catalogue.get(part, {}).get(check, ""), report.tallies[part, check])
            for part, check in ordered(report)
        ],
        "faults": [_fault(fault) for fault in sorted_faults(report.faults)],
        "fault_count": report.count,
    }


def counts(report: Report) -> str:
    """Return how much of the log was checked, as a phrase."""
    found = report.counted
    return f"{found['events']} events in {found['streams']} streams, {found['checkpoints']} checkpoints"


def ordered(report: Report) -> list[tuple[str, str]]:
    """Return parts and checks in the order of the catalogue; an undeclared check is the last of its part."""
    catalogue = audits.catalogue()
    parts, checks = [*catalogue], {part: [*checks] for part, checks in catalogue.items()}

    def place(key: tuple[str, str]) -> tuple[int, int, str]:
        part, check = key
        return _index(parts, part), _index(checks.get(part, []), check), check

    return sorted(report.tallies, key=place)


def _index(names: Sequence[str], name: str) -> int:
    return names.index(name) if name in names else len(names)


def sorted_faults(faults: Iterable[Fault]) -> list[Fault]:
    """Return faults in the order of their parts in the catalogue, and within a part by their place."""
    parts = [*audits.catalogue()]
    return sorted(faults, key=lambda fault: (_index(parts, fault.part), fault.place()))


def _fault(fault: Fault) -> AuditFault:
    return {
        "part": fault.part,
        "check": fault.check,
        "subject": fault.subject,
        "why": fault.why,
        "version": fault.version,
        "checkpoint": fault.checkpoint,
    }


def _check(part: str, check: str, about: str, tally: Tally) -> AuditCheck:
    return {
        "part": part,
        "check": check,
        "about": about,
        "verdict": tally.verdict,
        "passed": tally.passed,
        "failed": tally.failed,
        "not_run": tally.not_run.total(),
        "why_not": [{"why": why, "number": number} for why, number in sorted(tally.not_run.items())],
        "first_fault": _fault(tally.first) if tally.first else None,
    }
