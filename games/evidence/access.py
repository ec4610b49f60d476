"""Who may open a game's evidence: seats, operator and staff once it is over; auditors before, on the record."""

from __future__ import annotations

from datetime import datetime

from accounts.models import Player
from accounts.roles import is_staff
from games import audit
from games.errors import NotSeated
from games.models import GameRecord, Seat
from games.selectors_proof import may_look_early, require_open_book


def require_evidence(viewer: Player, game: GameRecord, *, now: datetime, reason: str = "") -> None:
    """`game` has been found visible. An auditor's look before the end is recorded with its reason, the first time.

    Raises NotSeated, GameInPlay, DealInPlay, InterestedParty.
    """
    if may_look_early(viewer, game):
        audit.look_once(looker=viewer, game=game, what="evidence", reason=reason, now=now)
        return
    if not is_own(viewer, game) and not is_staff(viewer):
        raise NotSeated
    require_open_book(game)


def is_own(viewer: Player, game: GameRecord) -> bool:
    """Whether the viewer sits in the game, or has opened it."""
    return game.creator_id == viewer.pk or Seat.objects.filter(game=game, player=viewer).exists()
