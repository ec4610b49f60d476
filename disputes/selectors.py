"""What is shown of disputes: the queue, one with its rulings and evidence, and its events."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import QuerySet

from disputes import access
from disputes.access import Viewer
from disputes.models import Dispute, PinnedEvidence, Ruling
from disputes.rulings import Preview
from eventstore import store

Document = dict[str, Any]

READ_LATER = ("claim", "reason", "note", "evidence", "terms")
"""What the events of a dispute say of a game that is still on, or may."""


def queue(viewer: Viewer) -> QuerySet[Dispute]:
    """The disputes that the viewer may know of."""
    return access.visible_disputes(viewer)


def line(dispute: Dispute) -> Document:
    """One of a list: nothing of what was claimed."""
    return {
        "id": str(dispute.pk),
        "game": str(dispute.game_id),
        "rules": dispute.game.rules,
        "tournament": None if dispute.game.tournament is None else str(dispute.game.tournament),
        "by": str(dispute.opener_id),
        "seat": dispute.seat,
        "version": dispute.version,
        "status": str(dispute.status),
        "instance": dispute.instance,
        "suspends": dispute.suspends,
        "opened_at": dispute.opened_at,
        "ended_at": dispute.ended_at,
        "appeal_until": dispute.appeal_until,
    }


def document(dispute: Dispute, viewer: Viewer, *, now: datetime) -> Document:
    """A dispute as the viewer may see it; that an auditor reads of a running game is recorded first."""
    access.look(viewer, dispute, now=now)
    reads = access.may_read(viewer, dispute)
    return {
        **line(dispute),
        "hash": dispute.hash,
        "claim": dispute.claim if reads else None,
        "events": dispute.events,
        "evidence": [_pinned(one) for one in dispute.evidence.all()] if reads else None,
        "rulings": [ruling(one, reads) for one in dispute.rulings.all()],
    }


def ruling(made: Ruling, reads: bool) -> Document:
    return {
        "id": str(made.pk),
        "number": made.number,
        "instance": made.instance,
        "state": str(made.state),
        "finding": made.finding,
        "remedy": made.remedy,
        "terms": made.terms if reads else None,
        "reason": made.reason if reads else None,
        "auditor": str(made.auditor_id),
        "rules": made.rules,
        "rules_version": made.rules_version,
        "evidence": made.evidence if reads else None,
        "effects": made.effects if reads else None,
        "moves": made.moves,
        "second_person": made.second_person,
        "ruled_at": made.ruled_at,
        "decided_by": None if made.decided_by_id is None else str(made.decided_by_id),
        "decided_at": made.decided_at,
        "decided_why": (made.decided_why or None) if reads else None,
        "game": None if made.game is None else str(made.game),
    }


def previewed(shown: Preview) -> Document:
    return {
        "token": shown.token,
        "effects": shown.effects.document(),
        "moves": shown.effects.moved(),
        "second_person": shown.second_person,
    }


def events_for(viewer: Viewer, dispute_id: UUID, after: int = 0) -> list[Document]:
    """The events of a dispute behind `after`, as the viewer may see them. Raises UnknownDispute."""
    dispute = access.visible_dispute(viewer, dispute_id)
    reads = access.may_read(viewer, dispute)
    return [_shown(event.public(), reads) for event in store.read(dispute.pk, after=after)]


def _shown(event: Document, reads: bool) -> Document:
    return event if reads else {**event, "data": _without(event["data"])}


def _without(data: Mapping[str, Any]) -> Document:
    return {name: None if name in READ_LATER else value for name, value in data.items()}


def _pinned(one: PinnedEvidence) -> Document:
    return {
        "game": str(one.game_id),
        "version": one.version,
        "hash": one.hash,
        "note": one.note,
        "by": str(one.pinned_by_id),
        "at": one.at,
    }
