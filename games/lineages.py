"""What a game's record says of where it comes from and whether it stands still, held against the streams."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from eventstore import store
from eventstore.models import Event
from games.models import GameRecord


def fault(game: GameRecord, created: Mapping[str, Any]) -> str | None:
    """The first thing in which they differ; `created` is the data of the game's first event.

    Nothing is asked of the database but for games that go on from others, or are suspended.
    """
    told = created.get("parent")
    beside = None if game.parent_version is None else (str(game.parent_id), game.parent_version)
    if beside != (None if told is None else (told["game"], told["version"])):
        return f"it goes on from {beside}, by the stream {told}"
    if told is not None:
        event = Event.objects.filter(stream=game.parent_id, version=told["version"])
        if event.values_list("hash", flat=True).first() != told["hash"]:
            return "its parent has no event of the version and the hash that its first event names"
    if game.suspended_at is not None and (
        store.suspended_at(game.pk) is None or not game.suspensions.filter(lifted_at=None).exists()
    ):
        return "its record says that it is suspended, the head of its stream or its suspensions say not"
    return None
