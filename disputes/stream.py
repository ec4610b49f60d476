"""The event stream of a dispute: lock the dispute, append events, and send the organizer's webhooks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction

from disputes.errors import DisputeUnexpectedState, UnknownDispute
from disputes.models import Dispute
from eventstore import feed, store
from eventstore.store import EMPTY, NewEvent, StoredEvent
from games.access import is_disclosed
from tournaments import access
from tournaments.models import Tournament
from webhooks import services as webhooks

KIND = "dispute"

EventData = tuple[str, dict[str, Any]]
"""The type and the data of an event."""


def locked(dispute_id: UUID) -> Dispute:
    """Lock a dispute and all others of its game until the end of the transaction. Raises UnknownDispute.

    Together they decide the effective result of the game and whether its money is held.
    """
    of_the_game = Dispute.objects.filter(game__in=Dispute.objects.filter(pk=dispute_id).values("game"))
    together = of_the_game.select_for_update(of=("self",)).select_related("game", "opener").order_by("pk")
    found = next((one for one in list(together) if one.pk == dispute_id), None)
    if found is None:
        raise UnknownDispute
    return found


def require_state(dispute: Dispute, *states: str) -> None:
    """Require that the dispute is in one of the states. Raises DisputeUnexpectedState."""
    if dispute.status not in states:
        raise DisputeUnexpectedState(f"The dispute is {dispute.status}.", state=str(dispute.status))


def begin(dispute: Dispute, event: EventData, *, now: datetime) -> None:
    """Append the first event and insert the dispute."""
    stored = store.append(dispute.pk, [NewEvent(*event)], kind=KIND, expected=EMPTY, at=now)
    dispute.events = len(stored)
    dispute.save(force_insert=True)
    _notify(dispute, stored, now)


def append(dispute: Dispute, *events: EventData, now: datetime, **changes: Any) -> None:
    """Append events and set the changed fields of the dispute, which the caller has locked."""
    stored = store.append(
        dispute.pk,
        [NewEvent(*event) for event in events],
        kind=KIND,
        expected=store.head(dispute.pk),
        at=now,
    )
    dispute.events = stored[-1].version
    for name, value in changes.items():
        setattr(dispute, name, value)
    dispute.save(update_fields=["events", *changes])
    _notify(dispute, stored, now)


def _notify(dispute: Dispute, stored: Sequence[store.StoredEvent], now: datetime) -> None:
    _announce(dispute, stored, now=now)
    version = stored[-1].version
    transaction.on_commit(lambda: feed.announce(dispute.pk, version))


ANNOUNCED: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "opened": ("dispute.opened", ()),
    "withdrawn": ("dispute.withdrawn", ()),
    "ruled": ("dispute.ruled", ("finding", "remedy")),
    "appealed": ("dispute.appealed", ()),
}
"""By event type, the type of the webhook message and the fields of the event data that it includes."""


def _announce(dispute: Dispute, events: Iterable[StoredEvent], *, now: datetime) -> None:
    """Queue webhook messages to the organizer in the transaction that appends the events.

    Messages contain neither claim nor reasons, because the game may still be in play.
    """
    if dispute.game.tournament is None:
        return
    tournament = Tournament.objects.get(pk=dispute.game.tournament)
    # The hash covers claim and reason, so a guess at them could be tested against it.
    is_open = is_disclosed(dispute.game)
    for event in events:
        if event.type not in ANNOUNCED:
            continue
        type, fields = ANNOUNCED[event.type]
        webhooks.announce(
            owner=tournament.organizer_id,
            subject=f"dispute:{dispute.pk}",
            within=tournament.subject,
            position=event.version,
            type=type,
            data={
                "dispute": str(dispute.pk),
                "tournament": str(tournament.pk),
                "name": tournament.name,
                "game": str(dispute.game_id),
                "version": event.version,
                "hash": event.hash if is_open else None,
                **{field: event.data[field] for field in fields},
            },
            now=now,
            may_receive=lambda owner: access.may_manage(owner, tournament),
        )
