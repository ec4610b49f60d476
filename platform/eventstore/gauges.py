"""How far the signed checkpoints reach, for the scraper."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

from prometheus_client import Metric

from api.metrics import gauge, read
from eventstore import checkpoint, store


@read
def checkpoints() -> Iterator[Metric]:
    now = datetime.now(UTC)
    last = checkpoint.latest()
    number = gauge("racecard_checkpoint_number", "The last checkpoint that was made; 0 if there is none")
    number.add_metric([], last.number if last else 0)
    yield number
    uncovered = store.read_all(after=checkpoint.reached("streams"), limit=1)
    age = gauge(
        "racecard_checkpoint_behind_seconds",
        "How old the oldest event is that no checkpoint covers; 0 if all are",
    )
    ages = [(now - datetime.fromisoformat(event.at)).total_seconds() for _, event in uncovered]
    age.add_metric([], max(0.0, *ages, 0.0))
    yield age
