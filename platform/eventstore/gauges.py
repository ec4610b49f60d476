"""Gauges of signed checkpoints and of the archive."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime

from django.db.models import Sum
from prometheus_client import Metric

from core.clock import database_now
from core.metrics import figure, gauge, sampled
from eventstore import store
from eventstore.chain import parse_at
from eventstore.checkpoints import service as checkpoint
from eventstore.models import ArchivePack, Checkpoint


@sampled
def checkpoints() -> Iterator[Metric]:
    now = database_now()
    last = checkpoint.latest()
    yield figure(
        "racecard_checkpoint_number", "The number of the last checkpoint, or 0", last.number if last else 0
    )
    behind = 0.0
    for _, event in store.read_all(after=checkpoint.reached("streams"), limit=1):
        behind = _behind(datetime.fromisoformat(event.at), _made(last) if last else None, now)
    yield figure(
        "racecard_checkpoint_behind_seconds",
        "Age of the oldest event that no checkpoint covers, or 0",
        behind,
    )


def _made(last: Checkpoint) -> datetime:
    return parse_at(json.loads(bytes(last.body))["at"])


def _behind(at: datetime, last: datetime | None, now: datetime) -> float:
    """Seconds since the oldest uncovered event.

    An event from the future (written while a clock was ahead) has no age: it was made after the last checkpoint, so
    it is at most as old as that.
    """
    seconds = (now - at).total_seconds()
    if seconds >= 0 or last is None:
        return abs(seconds)
    return min(-seconds, abs((now - last).total_seconds()))


@sampled
def archive() -> Iterator[Metric]:
    packs = gauge("racecard_archive_packs", "Packs of archived games", ["state"])
    finished = ArchivePack.objects.exclude(finished_at=None)
    packs.add_metric(["finished"], finished.count())
    packs.add_metric(["unfinished"], ArchivePack.objects.filter(finished_at=None).count())
    yield packs
    size = ArchivePack.objects.aggregate(bytes=Sum("bytes"))["bytes"] or 0
    yield figure("racecard_archive_bytes", "Bytes of all packs", size)
