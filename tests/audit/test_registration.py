"""Test that an audit runs the checks that packages register, and that only an audit imports them."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Container
from typing import Any
from uuid import UUID

import pytest

from accounts.models import Player
from audit.report import document
from audit.services import audit_game, audit_installation
from core.checks import Report
from eventstore import audits
from eventstore.audits import Checks, Part, Scope, StreamRecords, Work
from eventstore.ranges import Range, Row

LOADED = (
    "import django, sys; django.setup(); "
    "print(*(name for name in sys.modules if 'checks' in name.split('.')[1:]))"
)


ABOUT = {"example": {"counted": "every example was counted"}}


@pytest.fixture(autouse=True)
def restored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audits, "_loaders", list(audits._loaders))


@pytest.mark.django_db
def test_registered_part_is_run_by_pieces() -> None:
    def pieces(scope: Scope) -> list[Work]:
        assert (scope.since, scope.after, scope.known) == (None, None, [])
        return [Work(2), Work(3, events=7)]

    def check(number: int) -> Report:
        report = Report()
        report.passed("example", "counted", number=number)
        return report

    audits.register(lambda: Checks(ABOUT, [Part("example", check, pieces)]))
    totals: list[tuple[int, int]] = []
    report = audit_installation(progress=lambda done, total: totals.append((done, total)))
    assert report.tallies["example", "counted"].passed == 5
    assert (totals[0], totals[-1]) == ((0, 7), (7, 7))
    *others, example = document(report, scope="installation")["checks"]
    assert (example["part"], example["about"]) == ("example", "every example was counted")
    # What the ledger could not compare is listed by its kind, which is no check.
    undeclared = {(each["part"], each["check"]) for each in others if not each["about"]}
    assert undeclared <= {("ledger", "transfers")}


class Example(StreamRecords):
    """A record without a stream. It hides the versions of all streams."""

    MISSING = UUID(int=5)

    def __init__(self, range: Range) -> None:
        super().__init__([self.MISSING])

    def is_version_public(self, stream: UUID) -> bool:
        return False

    def check_missing(self, report: Report, seen: Container[UUID]) -> None:
        report.add("example", "record", "", [] if self.MISSING in seen else ["it has no stream"])


@pytest.mark.django_db
def test_registered_kind_checks_records_without_stream(player: Player, vegas: Callable[..., Any]) -> None:
    game = vegas(player)
    audits.register(lambda: Checks({}, [], {"example": Example}))
    report = audit_game(game.pk)
    assert [(fault.part, fault.why) for fault in report.faults] == [("example", "it has no stream")]
    assert report.counted["events"] == 0


class Recorded(StreamRecords):
    """A record of a game, which counts the events of its stream."""

    def __init__(self, game: UUID) -> None:
        super().__init__([game])
        self.versions: list[int] = []

    def reading(self, stream: UUID) -> Recorded:
        return self

    def take(self, row: Row) -> None:
        self.versions.append(row.version)

    def check(self, report: Report, head_fault: str | None) -> None:
        report.passed("example", "events", number=len(self.versions))


@pytest.mark.django_db
def test_registered_kind_reads_events(player: Player, vegas: Callable[..., Any]) -> None:
    game = vegas(player)
    audits.register(lambda: Checks({}, [], {"example": lambda range: Recorded(game.pk)}))
    report = audit_game(game.pk)
    assert report.tallies["example", "events"].passed == report.counted["events"] > 0


@pytest.mark.processes
def test_checks_are_not_imported_at_start_up() -> None:
    done = subprocess.run(
        [sys.executable, "-c", LOADED], capture_output=True, text=True, timeout=60, check=True
    )
    ours = [
        name
        for name in done.stdout.split()
        if name.partition(".")[0] in ("eventstore", "ledger", "games", "tournaments", "disputes")
    ]
    assert ours == []
