"""Gauges of messages that have not been sent."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

from prometheus_client import Metric

from core.clock import database_now
from core.metrics import figure, sampled
from notifications.models import Delivery, Outcome

MOST = 1000
"""Deliveries are counted up to one more."""


@sampled
def deliveries() -> Iterator[Metric]:
    yield figure(
        "racecard_notifications_waiting",
        f"Messages that are not sent yet; {MOST + 1} means more",
        Delivery.objects.filter(ended_at=None)[: MOST + 1].count(),
    )
    since = database_now() - timedelta(days=1)
    failed = Delivery.objects.filter(outcome=Outcome.FAILED, ended_at__gte=since)
    yield figure(
        "racecard_notifications_failed",
        f"Messages that failed in the last day; {MOST + 1} means more",
        failed[: MOST + 1].count(),
    )
