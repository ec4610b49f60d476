"""The end of a challenge in its records. The stream of its game is locked."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from games.models import Challenge, ChallengeStatus, Invitation


def is_challenged(game: UUID) -> bool:
    """Return whether the seats of the table are for the players of an open challenge."""
    return Challenge.objects.filter(game=game, status=ChallengeStatus.OPEN).exists()


def close(game: UUID, status: ChallengeStatus, *, reason: str = "", now: datetime) -> None:
    """End the open challenge whose table this is, if there is one."""
    still_open = Challenge.objects.filter(game=game, status=ChallengeStatus.OPEN)
    if still_open.update(status=status, reason=reason, ended_at=now):
        Invitation.objects.filter(challenge__game=game).update(is_open=False)
