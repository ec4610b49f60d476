"""Events that are pinned to a dispute, by version and hash: what is ruled on is what stood there."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction

from accounts.models import Player
from disputes import access, opening, states, stream
from disputes.errors import EvidencePinned
from disputes.models import Dispute, PinnedEvidence
from games.errors import NoSuchVersion
from games.models import GameRecord


@transaction.atomic
def pin(
    *,
    dispute_id: UUID,
    actor: Player,
    version: int,
    note: str = "",
    game_id: UUID | None = None,
    now: datetime,
) -> PinnedEvidence:
    """Pin an event of the disputed game, or of another of the same deal, match or tournament. Auditors do.

    Raises UnknownDispute, DisputeMovedOn, AuditorsOnly, InterestedParty, NoSuchVersion, EvidencePinned.
    """
    dispute = stream.locked(dispute_id)
    require_may_pin(dispute, actor)
    game = dispute.game if game_id is None or game_id == dispute.game_id else _related(dispute, game_id)
    if dispute.evidence.filter(game=game, version=version).exists():
        raise EvidencePinned
    hash = opening.event_hash(game, version)
    pinned = PinnedEvidence.objects.create(
        dispute=dispute, game=game, version=version, hash=hash, note=note, pinned_by=actor, at=now
    )
    told = {"game": str(game.pk), "version": version, "hash": hash, "note": note, "by": str(actor.pk)}
    stream.append(dispute, ("pinned", told), now=now)
    return pinned


def require_may_pin(dispute: Dispute, actor: Player) -> None:
    """Raises EnrolmentNeeded, AuditorsOnly, InterestedParty, DisputeMovedOn."""
    access.require_auditor(actor, dispute)
    stream.require_state(dispute, *states.WAITING)


def pinned_to(dispute: Dispute) -> list[dict[str, Any]]:
    """As a ruling carries it: the event that the claim is about, and those that were pinned."""
    claimed = {"game": str(dispute.game_id), "version": dispute.version, "hash": dispute.hash}
    pinned = dispute.evidence.values_list("game", "version", "hash")
    rest = [{"game": str(game), "version": version, "hash": hash} for game, version, hash in pinned]
    return [claimed, *(one for one in rest if one != claimed)]


def _related(dispute: Dispute, game_id: UUID) -> GameRecord:
    game = GameRecord.objects.filter(pk=game_id).first()
    about = dispute.game
    if game is not None and (
        (about.tournament is not None and game.tournament == about.tournament)
        or (about.match_id is not None and game.match_id == about.match_id)
        or (about.deal_group and game.deal_group == about.deal_group)
    ):
        return game
    raise NoSuchVersion("The event is of no game that the disputed one belongs with.")
