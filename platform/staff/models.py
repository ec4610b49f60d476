"""The log of staff actions."""

from __future__ import annotations

from typing import Any

from django.db import models


class ActionRecord(models.Model):
    """A recorded action of a member of staff. Append-only by the database's triggers.

    Actor and subject are ids without foreign keys, so that the record outlasts the accounts.
    """

    id = models.BigAutoField(primary_key=True)
    at = models.DateTimeField()
    actor = models.UUIDField()
    action = models.CharField(max_length=60)
    subject = models.CharField(max_length=100, blank=True)
    reason = models.CharField(max_length=2000, blank=True)
    made = models.CharField(
        max_length=100, blank=True, default="", help_text="what came of it, such as transfer:12"
    )
    details = models.JSONField(default=dict)
    key = models.CharField(
        max_length=200,
        null=True,
        unique=True,
        help_text="of the form or request, which does its work once",
    )

    class Meta:
        verbose_name = "staff action"
        ordering = ["-id"]
        indexes = [
            models.Index(fields=["actor", "-id"], name="staff_actions_of_actor"),
            models.Index(fields=["subject", "-id"], name="staff_actions_on_subject"),
            models.Index(fields=["action", "-id"], name="staff_actions_by_name"),
        ]

    def __str__(self) -> str:
        return f"{self.action} {self.subject}"

    @property
    def visible_reason(self) -> str:
        """The reason for lists. That of a dispute is only for those who may read the dispute."""
        return "on its page" if self.subject.startswith("dispute:") else self.reason

    def delete(self, *args: Any, **kwargs: Any) -> Any:
        raise TypeError("Staff actions cannot be deleted.")
