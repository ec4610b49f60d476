"""Gauges of tournaments for Prometheus."""

from __future__ import annotations

from collections.abc import Iterator

from django.db.models import Count
from prometheus_client import Metric

from core.metrics import gauge, sampled
from tournaments.models import Status, Tournament


@sampled
def tournaments() -> Iterator[Metric]:
    running = gauge("racecard_tournaments", "Tournaments that are published and not over", ["status"])
    counted = Tournament.objects.filter(status__in=[Status.PUBLISHED, Status.RUNNING])
    for status, count in counted.order_by("status").values_list("status").annotate(Count("pk")):
        running.add_metric([status], count)
    yield running
