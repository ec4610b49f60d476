"""The document of an audit, and the catalogue of its checks. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Literal, TypedDict

from core.checks import Fault, Report, Tally, Verdict
from games.rules.bundles.verification import CHECKS as OF_A_BUNDLE

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
    about: Annotated[str, "what the check verifies; empty for checks of the ledger"]
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
    return {
        "format": FORMAT,
        "scope": scope,
        "subject": subject,
        "ok": report.ok,
        "counted": dict(sorted(report.counted.items())),
        "checks": [_check(part, check, report.tallies[part, check]) for part, check in ordered(report)],
        "faults": [_fault(fault) for fault in sorted_faults(report.faults)],
        "fault_count": report.count,
    }


def ordered(report: Report) -> list[tuple[str, str]]:
    """Return parts and checks in the order of the catalogue."""
    return sorted(report.tallies, key=_place)


def _fault(fault: Fault) -> AuditFault:
    return {
        "part": fault.part,
        "check": fault.check,
        "subject": fault.subject,
        "why": fault.why,
        "version": fault.version,
        "checkpoint": fault.checkpoint,
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


def _check(part: str, check: str, tally: Tally) -> AuditCheck:
    return {
        "part": part,
        "check": check,
        "about": PARTS.get(part, {}).get(check, ""),
        "verdict": tally.verdict,
        "passed": tally.passed,
        "failed": tally.failed,
        "not_run": tally.not_run.total(),
        "why_not": [{"why": why, "number": number} for why, number in sorted(tally.not_run.items())],
        "first_fault": _fault(tally.first) if tally.first else None,
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
