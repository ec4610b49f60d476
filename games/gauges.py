"""Gauge of running games for Prometheus."""

from __future__ import annotations

from collections.abc import Iterator

from django.db.models import Count
from prometheus_client import Metric

from core.metrics import gauge, sampled
from games.models import GameRecord


@sampled
def games() -> Iterator[Metric]:
    running = gauge("racecard_games", "Games that are not over", ["rules", "status"])
    counted = GameRecord.objects.running().order_by("rules", "status").values_list("rules", "status")
    for rules, status, count in counted.annotate(Count("pk")):
        running.add_metric([rules, status], count)
    yield running
