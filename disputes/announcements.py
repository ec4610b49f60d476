"""What the webhooks of an organizer are told of the disputes in a tournament: that there is one, and how it ended."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime

from disputes.models import Dispute
from eventstore.store import StoredEvent
from games.access import is_open_book
from tournaments import access
from tournaments.models import Tournament
from webhooks import services as webhooks

ANNOUNCED: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "opened": ("dispute.opened", ()),
    "withdrawn": ("dispute.withdrawn", ()),
    "ruled": ("dispute.ruled", ("finding", "remedy")),
    "appealed": ("dispute.appealed", ()),
}
"""By the type of the event: the type that a hook is told, and what of the event's data goes with it."""


def announce(dispute: Dispute, events: Iterable[StoredEvent], *, now: datetime) -> None:
    """In the transaction that appends the events. No claim and no reason is told: the game may still be on."""
    if dispute.game.tournament is None:
        return
    tournament = Tournament.objects.get(pk=dispute.game.tournament)
    # The hash is over claim and reason as well: a guess at them could be tried on it.
    is_open = is_open_book(dispute.game)
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
            may_be_told=lambda owner: access.may_manage(owner, tournament),
        )
