"""A dispute's event stream: what is appended, and that everybody concerned is told."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction

from disputes import announcements
from disputes.errors import DisputeMovedOn, UnknownDispute
from disputes.models import Dispute
from eventstore import feed, store
from eventstore.store import EMPTY, NewEvent

KIND = "dispute"

Happening = tuple[str, dict[str, Any]]


def locked(dispute_id: UUID) -> Dispute:
    """The dispute, for this transaction alone until it ends, and all others of its game: what the game counts as, and
    whether its money is held, is decided by all of them. Raises UnknownDispute."""
    of_the_game = Dispute.objects.filter(game__in=Dispute.objects.filter(pk=dispute_id).values("game"))
    together = of_the_game.select_for_update(of=("self",)).select_related("game", "opener").order_by("pk")
    found = next((one for one in list(together) if one.pk == dispute_id), None)
    if found is None:
        raise UnknownDispute
    return found


def require_state(dispute: Dispute, *states: str) -> None:
    """Raises DisputeMovedOn."""
    if dispute.status not in states:
        raise DisputeMovedOn(f"The dispute is {dispute.status}.", state=str(dispute.status))


def begin(dispute: Dispute, happening: Happening, *, now: datetime) -> None:
    """The first event, with the row."""
    stored = store.append(dispute.pk, [NewEvent(*happening)], kind=KIND, expected=EMPTY, at=now)
    dispute.events = len(stored)
    dispute.save(force_insert=True)
    _tell(dispute, stored, now)


def append(dispute: Dispute, *happenings: Happening, now: datetime, **changes: Any) -> None:
    """What has happened, and what the row says since; the dispute is locked."""
    stored = store.append(
        dispute.pk,
        [NewEvent(*happening) for happening in happenings],
        kind=KIND,
        expected=store.head(dispute.pk),
        at=now,
    )
    dispute.events = stored[-1].version
    for name, value in changes.items():
        setattr(dispute, name, value)
    dispute.save(update_fields=["events", *changes])
    _tell(dispute, stored, now)


def _tell(dispute: Dispute, stored: Sequence[store.StoredEvent], now: datetime) -> None:
    announcements.announce(dispute, stored, now=now)
    version = stored[-1].version
    transaction.on_commit(lambda: feed.announce(dispute.pk, version))
