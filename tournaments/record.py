"""The event stream of a tournament: appending, loading, locking, and announcing to webhooks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction

from core.errors import NotFound
from eventstore import feed, store
from eventstore.cache import StateCache
from eventstore.store import Head, NewEvent, StoredEvent
from tournaments import access, formats
from tournaments.formats import history
from tournaments.formats.history import History
from tournaments.models import Tournament
from webhooks import services as webhooks

KIND = "tournament"
REMEMBERED = 64
"""The number of tournaments whose state a process caches."""

Happening = tuple[str, dict[str, Any]]


def _evolve(state: History, event: StoredEvent) -> History:
    return history.evolve(state, event.type, event.data)


cache: StateCache[History] = StateCache(REMEMBERED, lambda stream: History(), _evolve)


def locked(tournament_id: UUID) -> Tournament:
    """Return the tournament, locked until the transaction ends. Raises NotFound."""
    try:
        return Tournament.objects.select_for_update().get(pk=tournament_id)
    except Tournament.DoesNotExist:
        raise NotFound from None


def append(tournament: Tournament, *happenings: Happening, now: datetime) -> int:
    """Append to the stream of a locked (or new) tournament. Returns the version of the last event."""
    stored = store.append(
        tournament.pk,
        [NewEvent(type, data) for type, data in happenings],
        kind=KIND,
        expected=head(tournament),
        at=now,
    )
    announce(tournament, stored, now=now)
    version = stored[-1].version
    transaction.on_commit(lambda: feed.announce(tournament.pk, version))
    return version


def head(tournament: Tournament) -> Head:
    return store.head(tournament.pk)


def load(tournament_id: UUID) -> History:
    """Return the state of the tournament."""
    return load_with_head(tournament_id)[1]


def load_with_head(tournament_id: UUID) -> tuple[Head, History]:
    """Return the state of the tournament and the head that it follows from.

    A head that is read by itself may be newer than the state, or older.
    """
    return cache.load(tournament_id)


def is_played_out(tournament: Tournament) -> bool:
    """Return whether all rounds are closed, or the closed ones have decided."""
    known = load(tournament.pk)
    if known.closed >= tournament.rounds:
        return True
    return formats.get(tournament.format).is_over(known.snapshot())


# --- webhooks ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Announcement:
    """The type of a webhook message, and the members of the event's data that it contains."""

    type: str
    fields: tuple[str, ...] = ()


ANNOUNCED: Mapping[str, Announcement] = {
    "published": Announcement("tournament.published", ("commitment",)),
    "entries-closed": Announcement("tournament.entries-closed", ("rounds",)),
    "round-opened": Announcement("tournament.round-opened", ("round", "tables", "closes_at")),
    "round-closed": Announcement("tournament.round-closed", ("round",)),
    "result-corrected": Announcement("tournament.corrected", ("round", "table", "deal")),
    "finished": Announcement("tournament.finished"),
    "cancelled": Announcement("tournament.cancelled", ("reason",)),
    "stalled": Announcement("tournament.needs-organizer", ("cause", "code", "reason", "round")),
}
"""Webhook messages by event type. These events are public once the tournament is published."""


def announce(tournament: Tournament, events: Iterable[StoredEvent], *, now: datetime) -> None:
    """Announce events to webhooks, in the transaction that appends them."""
    if tournament.published_at is None:
        return
    for event in events:
        announcement = ANNOUNCED.get(event.type)
        if announcement is not None:
            webhooks.announce(
                owner=tournament.organizer_id,
                subject=tournament.subject,
                position=event.version,
                type=announcement.type,
                data={
                    "tournament": str(tournament.pk),
                    "name": tournament.name,
                    "version": event.version,
                    "hash": event.hash,
                    **{field: event.data[field] for field in announcement.fields if field in event.data},
                },
                now=now,
                may_receive=lambda owner: access.may_manage(owner, tournament),
            )
