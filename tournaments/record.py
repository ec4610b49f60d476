"""A tournament's event stream: what is appended, how it is remembered, who comes first."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction

from api.errors import NotFound
from eventstore import feed, store
from eventstore.cache import StateCache
from eventstore.store import Head, NewEvent, StoredEvent
from tournaments import announcements, formats
from tournaments.formats import history
from tournaments.formats.history import History
from tournaments.models import Tournament

KIND = "tournament"
REMEMBERED = 64
"""Tournaments a process keeps folded."""

Happening = tuple[str, dict[str, Any]]


def _evolve(state: History, event: StoredEvent) -> History:
    return history.evolve(state, event.type, event.data)


cache: StateCache[History] = StateCache(REMEMBERED, lambda stream: History(), _evolve)


def locked(tournament_id: UUID) -> Tournament:
    """The tournament, for this transaction alone until it ends. Raises NotFound."""
    try:
        return Tournament.objects.select_for_update().get(pk=tournament_id)
    except Tournament.DoesNotExist:
        raise NotFound from None


def append(tournament: Tournament, *happenings: Happening, now: datetime) -> int:
    """Append to the stream of a tournament that is locked (or new); the version of the last event."""
    stored = store.append(
        tournament.pk,
        [NewEvent(type, data) for type, data in happenings],
        kind=KIND,
        expected=head(tournament),
        at=now,
    )
    announcements.announce(tournament, stored, now=now)
    version = stored[-1].version
    transaction.on_commit(lambda: feed.announce(tournament.pk, version))
    return version


def head(tournament: Tournament) -> Head:
    return store.head(tournament.pk)


def load(tournament_id: UUID) -> History:
    """What has happened in the tournament so far."""
    return cache.load(tournament_id)[1]


def is_played_out(tournament: Tournament) -> bool:
    """Whether the rounds that are closed are all, or have decided already."""
    known = load(tournament.pk)
    if known.closed >= tournament.rounds:
        return True
    return formats.get(tournament.format).is_over(known.snapshot())
