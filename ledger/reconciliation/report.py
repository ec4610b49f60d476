"""What a reconciliation says: what was checked, what differs, and what could not be checked. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

KEPT = 1000
"""Differences that a report names; beyond them it counts."""


@dataclass(frozen=True, slots=True)
class Difference:
    """Where the books disagree with what they follow from. `event` is the version in the subject's stream."""

    account: str
    currency: str
    what: str
    recorded: int | str
    derived: int | str
    subject: str = ""
    event: int | None = None

    def __str__(self) -> str:
        subject = "" if not self.subject or self.account.startswith(self.subject) else f"{self.subject}, "
        event = "" if self.event is None else f" (event {self.event})"
        where = f"{subject}{self.account} {self.currency}".rstrip()
        return f"{where}: {self.what} is {self.recorded}, but should be {self.derived}{event}"

    def document(self) -> dict[str, Any]:
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
    """So many rows of a kind were held against what they follow from."""

    what: str
    of: str
    number: int

    def __str__(self) -> str:
        return f"{self.what}: {self.number:,} {self.of}"


@dataclass(frozen=True, slots=True)
class NotChecked:
    """So many rows were not, and why."""

    number: int
    of: str
    why: str

    def __str__(self) -> str:
        return f"{self.number:,} {self.of}: {self.why}"


Found = Difference | Checked | NotChecked


@dataclass(slots=True)
class Report:
    checked: list[Checked] = field(default_factory=list)
    not_checked: list[NotChecked] = field(default_factory=list)
    differences: list[Difference] = field(default_factory=list)
    """The first `KEPT` of them."""
    count: int = 0
    """Of all differences."""

    @property
    def ok(self) -> bool:
        """Nothing differs, and something was checked."""
        return self.count == 0 and bool(self.checked)

    def add(self, found: Iterable[Found]) -> None:
        for each in found:
            if isinstance(each, Checked):
                self.checked.append(each)
            elif isinstance(each, NotChecked):
                self.not_checked.append(each)
            else:
                self.count += 1
                if self.count <= KEPT:
                    self.differences.append(each)

    def document(self) -> dict[str, Any]:
        return {
            "checked": [{"what": each.what, "of": each.of, "number": each.number} for each in self.checked],
            "not_checked": [
                {"number": each.number, "of": each.of, "why": each.why} for each in self.not_checked
            ],
            "differences": [each.document() for each in self.differences],
        }
