"""Gauges of waiting deliveries."""

from __future__ import annotations

from collections.abc import Iterator

from prometheus_client import Metric

from core.metrics import figure, sampled
from webhooks.models import Delivery


@sampled
def deliveries() -> Iterator[Metric]:
    # In the terms of the index on the end, because most deliveries have been delivered.
    waiting = Delivery.objects.filter(ended_at=None).count()
    yield figure(
        "racecard_webhook_deliveries_waiting", "Deliveries that are neither delivered nor failed", waiting
    )
