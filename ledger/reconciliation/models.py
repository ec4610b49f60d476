"""The report of a reconciliation: what was checked, what differs, and what could not be checked."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Annotated, Any, TypedDict

from django.db import models

from core.checks import LISTED_FAULTS, Fault, Report

PART = "ledger"
"""The part of an audit."""

OF_ALL_TRANSFERS = "the currency of both sides"
"""The check that covers each transfer once."""


class DifferenceOutput(TypedDict):
    subject: Annotated[str, "such as game:…; empty for an account alone"]
    account: Annotated[str, "an account, two of them, or a transfer by its key"]
    currency: str
    what: str
    found: str
    expected: str
    event: Annotated[int | None, "version in the subject's stream"]


@dataclass(frozen=True, slots=True)
class Difference:
    """A difference between the ledger and what explains it. `event` is the version in the subject's stream."""

    account: str
    currency: str
    what: str
    recorded: int | str
    derived: int | str
    subject: str = ""
    event: int | None = None

    @classmethod
    def of_row(
        cls, account: str, currency: str, what: str, *, recorded: bool, subject: str = ""
    ) -> Difference:
        """Return the difference of a row that is recorded and should not be, or the reverse."""
        found, due = ("there", "not there") if recorded else ("not there", "there")
        return cls(account, currency, what, found, due, subject=subject)

    def __str__(self) -> str:
        subject = "" if not self.subject or self.account.startswith(self.subject) else f"{self.subject}, "
        event = "" if self.event is None else f" (event {self.event})"
        where = f"{subject}{self.account} {self.currency}".rstrip()
        return f"{where}: {self.what} is {self.recorded}, but should be {self.derived}{event}"

    def fault(self) -> Fault:
        event = None if self.event is None else int(self.event)
        return Fault(PART, self.what, self.subject or self.account, str(self), event)

    def document(self) -> DifferenceOutput:
        return {
            "subject": self.subject,
            "account": self.account,
            "currency": self.currency,
            "what": self.what,
            "found": str(self.recorded),
            "expected": str(self.derived),
            "event": self.event,
        }


@dataclass(frozen=True, slots=True)
class Checked:
    """The number of rows of a kind that were compared."""

    what: str
    of: str
    number: int

    def __str__(self) -> str:
        return f"{self.what}: {self.number:,} {self.of}"


@dataclass(frozen=True, slots=True)
class NotChecked:
    """The number of rows that were not compared, and why."""

    number: int
    of: str
    why: str

    def __str__(self) -> str:
        return f"{self.number:,} {self.of}: {self.why}"


Found = Difference | Checked | NotChecked


class CheckedOutput(TypedDict):
    what: Annotated[str, "what was checked"]
    of: Annotated[str, "what is counted"]
    number: int


class NotCheckedOutput(TypedDict):
    number: int
    of: Annotated[str, "what is counted"]
    why: str


class ReportOutput(TypedDict):
    checked: list[CheckedOutput]
    not_checked: list[NotCheckedOutput]
    differences: Annotated[list[DifferenceOutput], "the first thousand"]


@dataclass(slots=True)
class LedgerReport(Report):
    """The report of an audit's part, and the figures from which the document of a reconciliation is made.

    The name of a check says what it compares. A difference is a failed subject.
    """

    checked: list[Checked] = field(default_factory=list)
    not_checked: list[NotChecked] = field(default_factory=list)
    differences: list[Difference] = field(default_factory=list)
    """The first `LISTED_FAULTS` differences."""

    def take(self, found: Iterable[Found]) -> None:
        """Add findings to the report."""
        for each in found:
            if isinstance(each, Difference):
                self.failed(each.fault())
                if len(self.differences) < LISTED_FAULTS:
                    self.differences.append(each)
            elif isinstance(each, Checked):
                self.checked.append(each)
                wrong = self.tallies.get((PART, each.what))
                self.passed(PART, each.what, number=max(0, each.number - (wrong.failed if wrong else 0)))
                if each.what == OF_ALL_TRANSFERS:
                    self.counted["transfers"] += each.number
            else:
                self.not_checked.append(each)
                self.not_run(PART, each.of, why=each.why, number=each.number)

    def document(self) -> ReportOutput:
        return {
            "checked": [{"what": each.what, "of": each.of, "number": each.number} for each in self.checked],
            "not_checked": [
                {"number": each.number, "of": each.of, "why": each.why} for each in self.not_checked
            ],
            "differences": [each.document() for each in self.differences],
        }


# --- stored reports ---------------------------------------------------------------------------------


class Reconciliation(models.Model):
    """The result of a reconciliation. `report` counts the checks and names what was not checked and what differs."""

    at = models.DateTimeField()
    seconds = models.PositiveIntegerField(help_text="duration")
    replayed = models.BooleanField(help_text="whether games were folded move by move")
    differences = models.PositiveIntegerField(
        help_text="all differences; the report lists the first thousand"
    )
    report: models.JSONField[Any, Any] = models.JSONField()

    class Meta:
        indexes = [models.Index(fields=["-at", "-id"], name="reconciliation_newest")]

    def __str__(self) -> str:
        return f"reconciliation of {self.at:%d %b %Y %H:%M}: {self.differences} differences"

    def named(self) -> list[Difference]:
        """The differences that the report names."""
        return [
            Difference(
                each["account"],
                each["currency"],
                each["what"],
                each["found"],
                each["expected"],
                each["subject"],
                each["event"],
            )
            for each in self.report["differences"]
        ]
