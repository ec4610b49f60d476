"""Gauges of the last audit of the whole installation."""

from __future__ import annotations

from collections.abc import Iterator

from django.utils import timezone
from prometheus_client import Metric

from audit.models import AuditReport, Scope
from core.metrics import figure, sampled


@sampled
def audits() -> Iterator[Metric]:
    whole = AuditReport.objects.filter(scope=Scope.INSTALLATION, since=None)
    last = whole.order_by("-at", "-id").values_list("at", "faults").first()
    if last is None:
        return
    at, faults = last
    age = max(0.0, (timezone.now() - at).total_seconds())
    yield figure("racecard_audit_age_seconds", "Age of the last audit of the whole installation", age)
    yield figure("racecard_audit_faults", "Faults found by the last audit of the whole installation", faults)
