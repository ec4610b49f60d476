"""What is shown of suspensions: nothing of the cards."""

from __future__ import annotations

from typing import Any

from games.models import GameRecord, Suspension
from games.selectors import moment


def suspensions(game: GameRecord) -> list[dict[str, Any]]:
    """The last first."""
    return [document(one) for one in game.suspensions.order_by("-since", "-pk")]


def document(one: Suspension) -> dict[str, Any]:
    return {
        "game": str(one.game_id),
        "version": one.version,
        "since": moment(one.since),
        "by": None if one.by_id is None else str(one.by_id),
        "reason": one.reason,
        "lifted_at": moment(one.lifted_at),
        "lifted": one.lifted or None,
        "lifted_by": None if one.lifted_by_id is None else str(one.lifted_by_id),
        "lifted_reason": one.lifted_reason or None,
    }
