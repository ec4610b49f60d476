"""Stored audit reports. Rows are immutable."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import Q


class Scope(models.TextChoices):
    INSTALLATION = "installation"
    LEDGER = "ledger"
    TOURNAMENT = "tournament"
    GAME = "game"


class AuditReport(models.Model):
    """The report of one audit, as `audit.report.document` returns it."""

    at = models.DateTimeField(help_text="the start of the audit")
    seconds = models.PositiveIntegerField(help_text="the duration of the audit")
    scope = models.CharField(max_length=12, choices=Scope.choices)
    subject = models.UUIDField(null=True, blank=True, help_text="the game or the tournament")
    since = models.PositiveBigIntegerField(
        null=True, blank=True, help_text="the checkpoint after which data was checked"
    )
    asked_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        help_text="empty for the nightly audit",
    )
    ok = models.BooleanField(help_text="no faults, and at least one check was run")
    events = models.PositiveBigIntegerField(help_text="the number of events checked")
    faults = models.PositiveIntegerField(
        help_text="the number of all faults; the report lists the first thousand"
    )
    report: models.JSONField[Any, Any] = models.JSONField()

    class Meta:
        permissions = [("ask_auditreport", "Can request an audit")]
        ordering = ["-at", "-id"]
        indexes = [
            models.Index(fields=["-at", "-id"], name="auditreport_newest"),
            models.Index(fields=["scope", "-at", "-id"], name="auditreport_scope"),
            models.Index(fields=["ok", "-at", "-id"], name="auditreport_ok"),
            models.Index(
                fields=["scope", "-at", "-id"], name="auditreport_scope_failed", condition=Q(ok=False)
            ),
            models.Index(fields=["subject"], name="auditreport_subject"),
        ]
        constraints = [
            models.CheckConstraint(name="auditreport_scope_known", condition=Q(scope__in=Scope.values)),
            models.CheckConstraint(
                name="auditreport_of_something",
                condition=Q(scope__in=[Scope.INSTALLATION, Scope.LEDGER], subject=None)
                | Q(scope__in=[Scope.TOURNAMENT, Scope.GAME], subject__isnull=False),
            ),
            models.CheckConstraint(name="auditreport_ok_without_faults", condition=Q(ok=False) | Q(faults=0)),
        ]

    def __str__(self) -> str:
        return f"audit of {self.at:%d %b %Y %H:%M}: {self.faults} faults"
