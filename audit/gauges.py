"""What the last audit of the whole installation found, for the scraper."""

from __future__ import annotations

from collections.abc import Iterator

from django.utils import timezone
from prometheus_client import Metric

from api.metrics import gauge, read
from audit.models import AuditReport, Scope


@read
def audits() -> Iterator[Metric]:
    whole = AuditReport.objects.filter(scope=Scope.INSTALLATION, since=None)
    last = whole.order_by("-at", "-id").values_list("at", "faults").first()
    if last is None:
        return
    at, faults = last
    age = gauge("racecard_audit_age_seconds", "Since the whole installation was last audited")
    age.add_metric([], max(0.0, (timezone.now() - at).total_seconds()))
    found = gauge("racecard_audit_faults", "Faults that this audit found")
    found.add_metric([], faults)
    yield from (age, found)
