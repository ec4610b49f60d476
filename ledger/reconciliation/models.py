"""The reports that were kept. Nothing of them is ever changed."""

from __future__ import annotations

from typing import Any

from django.db import models

from ledger.reconciliation.report import Difference


class Reconciliation(models.Model):
    """What one reconciliation found. `report` counts what was checked and names what was not, and what differs."""

    at = models.DateTimeField()
    seconds = models.PositiveIntegerField(help_text="that it took")
    replayed = models.BooleanField(help_text="games were folded again move by move")
    differences = models.PositiveIntegerField(help_text="all of them; the report names the first thousand")
    report: models.JSONField[Any, Any] = models.JSONField()

    class Meta:
        indexes = [models.Index(fields=["-at", "-id"], name="reconciliation_newest")]

    def __str__(self) -> str:
        return f"reconciliation of {self.at:%Y-%m-%d %H:%M}: {self.differences} differences"

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
