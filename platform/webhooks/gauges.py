"""What others wait to be told, for the scraper."""

from __future__ import annotations

from collections.abc import Iterator

from prometheus_client import Metric

from api.metrics import gauge, read
from webhooks.models import Delivery


@read
def deliveries() -> Iterator[Metric]:
    # By what the index on the end knows, for those that were delivered are many.
    waiting = gauge("racecard_webhook_deliveries_waiting", "Deliveries that have neither arrived nor failed")
    waiting.add_metric([], Delivery.objects.filter(ended_at=None).count())
    yield waiting
