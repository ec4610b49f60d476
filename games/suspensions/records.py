"""The records of suspensions: the flag on the game's stream, a row with who and why, and an event in a stream.

`suspensions.services` and `suspensions.continuation` handle the jobs and the continued game.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any
from uuid import NAMESPACE_URL, UUID, uuid5

from django.db import transaction

from accounts.models import Player
from core.errors import NotFound
from eventstore import feed, store, suspension
from eventstore.store import Head, NewEvent
from games import state
from games.errors import GameSuspended, NotInPlay, NotSuspended
from games.models import GameRecord, Lifted, Suspension

KIND = "suspension"
"""The kind of the streams of suspensions, one per game that was ever suspended."""

REASON_LENGTH = 500


def stream_of(game_id: UUID) -> UUID:
    return uuid5(NAMESPACE_URL, f"racecard:suspension:{game_id}")


def suspend(game_id: UUID, *, by: Player | None, reason: str, now: datetime) -> tuple[Suspension, Head]:
    """Suspend a game in the caller's transaction. Returns the record and the head. `by` None is the server.

    Raises GameSuspended (already suspended), NotFound, NotInPlay.
    """
    head = suspension.suspend(game_id, at=now)
    if head is None:
        raise GameSuspended if store.suspended_at(game_id) is not None else NotFound
    if state.load(game_id)[1].status != "active":
        raise NotInPlay
    since = max(now, head.at or now)
    made = Suspension.objects.create(
        game_id=game_id, version=head.version, since=since, by=by, reason=reason[:REASON_LENGTH]
    )
    _append(game_id, "suspended", {"version": head.version, "hash": head.hash}, by, reason, now)
    GameRecord.objects.filter(pk=game_id).update(suspended_at=since)
    return made, head


def locked(game_id: UUID) -> Suspension:
    """Return the game's present suspension, locked until the transaction ends. Raises NotSuspended.

    It locks the stream before the row, as every append does.
    """
    store.lock(game_id)
    found = Suspension.objects.select_for_update(of=("self",)).filter(game=game_id, lifted_at=None).first()
    if found is None:
        raise NotSuspended
    return found


def lift(
    game_id: UUID,
    *,
    how: Lifted,
    by: Player | None,
    reason: str,
    now: datetime,
    more: dict[str, Any] | None = None,
) -> Suspension | None:
    """Lift a suspension in the caller's transaction. Returns None if the game was not suspended."""
    head = suspension.resume(game_id)
    if head is None:
        return None
    record = locked(game_id)
    record.lifted_at, record.lifted = max(now, record.since), how
    record.lifted_by, record.lifted_reason = by, reason[:REASON_LENGTH]
    record.save(update_fields=["lifted_at", "lifted", "lifted_by", "lifted_reason"])
    details = {"version": head.version, "hash": head.hash, **(more or {})}
    _append(game_id, how.value, details, by, reason, now)
    GameRecord.objects.filter(pk=game_id).update(suspended_at=None)
    return record


def time_lost(game: GameRecord) -> timedelta:
    """Return the delay of a dealt game by suspensions, continuations, and redeals of it and its parents."""
    first = game
    while first.parent is not None:
        first = first.parent
    assert game.started_at is not None
    assert first.started_at is not None
    return game.given_back + game.started_at - first.started_at


def _append(
    game_id: UUID, type: str, details: dict[str, Any], by: Player | None, reason: str, now: datetime
) -> None:
    stream = stream_of(game_id)
    data = {"game": str(game_id), **details, "by": None if by is None else str(by.pk), "reason": reason}
    [event] = store.append_to_end(stream, [NewEvent(type, data)], kind=KIND, at=now)
    version = event.version
    transaction.on_commit(lambda: feed.announce(stream, version))
