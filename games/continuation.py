"""A suspended game that goes on as a new one from an earlier version; and a new deal for a game that has ended."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from accounts.models import Player
from games.errors import NotContinuable, NotDealtAnew
from games.models import GameRecord


def continue_from(
    game_id: UUID, *, version: int, reason: str, now: datetime, by: Player | None = None
) -> GameRecord:
    """End a suspended game as void, and let a new one go on from the state that it had after `version`.

    Raises NotSuspended, NoSuchVersion, NotContinuable.
    """
    raise NotContinuable


def deal_anew(game_id: UUID, *, reason: str, now: datetime, by: Player | None = None) -> GameRecord:
    """A further game of the same players, for one that has ended. Raises NotDealtAnew."""
    raise NotDealtAnew
