"""Gauges of open disputes."""

from __future__ import annotations

from collections.abc import Iterator

from django.db.models import Count, Min
from django.utils import timezone
from prometheus_client import Metric

from core.metrics import figure, gauge, sampled
from disputes import states
from disputes.models import Dispute


@sampled
def disputes() -> Iterator[Metric]:
    pending = Dispute.objects.filter(status__in=states.PENDING)
    waiting = gauge("racecard_disputes", "Open disputes", ["status"])
    for status, count in pending.order_by("status").values_list("status").annotate(Count("pk")):
        waiting.add_metric([status], count)
    yield waiting
    oldest = pending.aggregate(oldest=Min("opened_at"))["oldest"]
    age = (timezone.now() - oldest).total_seconds() if oldest else 0
    yield figure("racecard_disputes_oldest_seconds", "Age of the oldest open dispute", age)
