"""An event as one pair of eyes may see it (RULEBOOK 1: what only some may see)."""

from __future__ import annotations

from typing import Any, NamedTuple

from eventstore.store import StoredEvent
from games.rules import Fact, Game


class Eyes(NamedTuple):
    game: Game
    seat: int | None
    """None for a spectator."""
    everything: bool
    """The game has ended and nothing is kept back, or somebody looks early."""


def redacted(event: StoredEvent, eyes: Eyes) -> dict[str, Any]:
    if event.private is None or eyes.everything:
        return event.full()
    document = event.public()
    fact = Fact(event.type, event.seat, event.data, event.private)
    document["private"] = eyes.game.redact_private(fact, eyes.seat)
    return document
