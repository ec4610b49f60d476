"""Players who are looking at a game or tournament: those with an open event stream. They need no message about it."""

from __future__ import annotations

import threading
import time
from collections.abc import Collection, Iterable
from datetime import datetime, timedelta
from uuid import UUID

from notifications.models import Watch

FRESH = timedelta(seconds=90)
"""How long after its last heartbeat a stream counts as open."""

WRITTEN_EVERY = 45.0
"""Seconds between two records of one open stream, so that heartbeats seldom write."""

STORED_FOR = timedelta(hours=1)

Pair = tuple[UUID, UUID]
"""A player and a stream."""

_returned: dict[Pair, float] = {}
_lock = threading.Lock()


def unrecorded(pairs: Iterable[Pair]) -> set[Pair]:
    """Return the pairs that this process has not returned within `WRITTEN_EVERY`."""
    present = time.monotonic()
    with _lock:
        for pair in [pair for pair, at in _returned.items() if at <= present - WRITTEN_EVERY]:
            del _returned[pair]
        due = set(pairs) - _returned.keys()
        _returned.update(dict.fromkeys(due, present))
    return due


def record(pairs: Iterable[Pair], *, now: datetime) -> None:
    """Record open streams in one statement."""
    Watch.objects.bulk_create(
        [Watch(player_id=player, stream=stream, seen_at=now) for player, stream in sorted(pairs)],
        update_conflicts=True,
        unique_fields=["player_id", "stream"],
        update_fields=["seen_at"],
    )


def watchers(stream: UUID, players: Collection[UUID], *, now: datetime) -> set[UUID]:
    """Return those of the players who are looking at the stream."""
    fresh = Watch.objects.filter(player__in=players, stream=stream, seen_at__gt=now - FRESH)
    return set(fresh.values_list("player", flat=True))


def prune(*, now: datetime) -> None:
    Watch.objects.filter(seen_at__lt=now - STORED_FOR).delete()


def forget(*, owner: UUID) -> None:
    Watch.objects.filter(player=owner).delete()
