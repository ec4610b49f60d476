"""Players who are looking at a game or tournament: those with an open event stream. They need no message about it, and
the other players of a game see who is away.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Collection, Iterable, Mapping
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

Absences = dict[UUID, datetime | None]
"""Players of a stream, with the time since which they are away; None: they are here."""

_recorded: dict[Pair, float] = {}
_lock = threading.Lock()


def unrecorded(pairs: Iterable[Pair]) -> set[Pair]:
    """Return the pairs that this process has not recorded within `WRITTEN_EVERY`."""
    present = time.monotonic()
    with _lock:
        for pair in [pair for pair, at in _recorded.items() if at <= present - WRITTEN_EVERY]:
            del _recorded[pair]
        return set(pairs) - _recorded.keys()


def record(pairs: Collection[Pair], *, now: datetime) -> None:
    """Record open streams in one statement."""
    Watch.objects.bulk_create(
        [Watch(player_id=player, stream=stream, seen_at=now) for player, stream in sorted(pairs)],
        update_conflicts=True,
        unique_fields=["player_id", "stream"],
        update_fields=["seen_at", "left_at"],
    )
    with _lock:
        _recorded.update(dict.fromkeys(pairs, time.monotonic()))


def leave(player: UUID, streams: Collection[UUID], *, now: datetime) -> None:
    """Record that the player has closed their stream of each of these."""
    with _lock:
        for stream in streams:
            _recorded.pop((player, stream), None)
    Watch.objects.filter(player=player, stream__in=streams, left_at=None).update(left_at=now)


def watchers(stream: UUID, players: Collection[UUID], *, now: datetime) -> set[UUID]:
    """Return those of the players who are looking at the stream."""
    fresh = Watch.objects.filter(player__in=players, stream=stream, left_at=None, seen_at__gt=now - FRESH)
    return set(fresh.values_list("player", flat=True))


def away_since(watch: Watch, now: datetime) -> datetime | None:
    """Return when the stream was closed; None if it is open.

    A stream that no process has confirmed for a while counts as closed when it was confirmed last.
    """
    return watch.left_at or (watch.seen_at if watch.seen_at <= now - FRESH else None)


def absences(streams: Collection[UUID], *, now: datetime) -> Mapping[UUID, Absences]:
    """Return for each stream the recorded players, and since when they are away; None: they are looking at it."""
    found: dict[UUID, Absences] = {}
    for watch in Watch.objects.filter(stream__in=streams):
        found.setdefault(watch.stream, {})[watch.player_id] = away_since(watch, now)
    return found


def delete(player: UUID, stream: UUID) -> None:
    """Delete what is known of the player at the stream, which is no concern of theirs any more."""
    with _lock:
        _recorded.pop((player, stream), None)
    Watch.objects.filter(player=player, stream=stream).delete()


def prune(*, now: datetime) -> None:
    Watch.objects.filter(seen_at__lt=now - STORED_FOR).delete()


def forget(*, owner: UUID) -> None:
    Watch.objects.filter(player=owner).delete()
