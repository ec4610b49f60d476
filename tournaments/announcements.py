"""What the webhooks of an organizer are told of a tournament: what everybody may know, and where to read the rest."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from eventstore.store import StoredEvent
from tournaments import access
from tournaments.models import Tournament
from webhooks import services as webhooks


@dataclass(frozen=True, slots=True)
class Announcement:
    """The type that a hook is told, and what of the event's data goes with it."""

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
"""By the type of the event in the tournament's stream, which everybody may read once it is published."""


def announce(tournament: Tournament, events: Iterable[StoredEvent], *, now: datetime) -> None:
    """In the transaction that appends the events."""
    if tournament.published_at is None:
        return
    for event in events:
        told = ANNOUNCED.get(event.type)
        if told is not None:
            webhooks.announce(
                owner=tournament.organizer_id,
                subject=tournament.subject,
                position=event.version,
                type=told.type,
                data={
                    "tournament": str(tournament.pk),
                    "name": tournament.name,
                    "version": event.version,
                    "hash": event.hash,
                    **{field: event.data[field] for field in told.fields if field in event.data},
                },
                now=now,
                may_be_told=lambda owner: access.may_manage(owner, tournament),
            )
