"""The recurring job that samples the gauges of all packages."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.conf import settings

from core import metrics
from jobs.kinds import MONEY, every
from jobs.models import MetricsSample


def _sample(payload: dict[str, Any], *, now: datetime) -> str:
    return metrics.sample()


# Outside the job's transaction: a gauge that fails would abort it, and on SQLite it would block writers.
@every("jobs.metrics", seconds=settings.RACECARD_METRICS_SECONDS, prepare=_sample, queue=MONEY)
def sample_metrics(payload: dict[str, Any], *, now: datetime, prepared: str) -> None:
    MetricsSample.objects.update_or_create(pk=1, defaults={"at": now, "text": prepared})
