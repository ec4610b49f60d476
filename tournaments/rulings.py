"""What organizers and judges rule about an entrant."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from django.db import transaction

from accounts.models import Player
from api.errors import NotFound
from tournaments import record, roles, services
from tournaments.models import Entry, Status, Tournament
from tournaments.problems import AlreadyDisqualified, LastEntrant, WrongStatus


@transaction.atomic
def disqualify(*, tournament_id: UUID, number: int, actor: Player, reason: str, now: datetime) -> Entry:
    """Before the start the entrant is taken out and has the fee back; afterwards there is no further round for it, no
    prize, and the last place. Either way it does not come back. A game under way is played to its end.

    Raises InterestedParty, NotFound, AlreadyDisqualified, WrongStatus, LastEntrant.
    """
    tournament = roles.locked_for(tournament_id, actor)
    if tournament.status not in (Status.PUBLISHED, Status.RUNNING):
        raise WrongStatus(f"The tournament is {tournament.status}.")
    entry = tournament.entries.select_related("player").filter(number=number).first()
    if entry is not None and entry.disqualified_at is not None:
        raise AlreadyDisqualified
    if entry is None or entry.withdrawn_at is not None:
        raise NotFound
    running = tournament.status == Status.RUNNING
    if running:
        _retire(tournament, entry)
    else:
        # The row must say that it is out before it can say why.
        entry.withdrawn_at = now
    entry.disqualified_at = now
    entry.save(update_fields=["withdrawn_at", "retired_after", "disqualified_at"])
    told = {
        "entry": entry.number,
        "player": str(entry.player_id),
        "after": entry.retired_after,
        "reason": reason,
        "by": str(actor.pk),
    }
    version = record.append(tournament, ("disqualified", told), now=now)
    if not running:
        services.remove(tournament, entry, reason="refund", event=version, now=now)
    return entry


def _retire(tournament: Tournament, entry: Entry) -> None:
    """From the next round on; who has left already stays as they left."""
    others = tournament.entries.standing().filter(disqualified_at=None).exclude(pk=entry.pk)
    if not others.exists():
        raise LastEntrant
    if entry.retired_after is None:
        entry.retired_after = services.last_round(tournament)
