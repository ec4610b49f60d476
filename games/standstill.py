"""That a game stands still: the flag at its stream, the row that says who stopped it and why, and the events of that.

What must happen with it (jobs, the game that goes on) is `games.suspension`'s and `games.continuation`'s.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any
from uuid import NAMESPACE_URL, UUID, uuid5

from django.db import transaction

from accounts.models import Player
from api.errors import NotFound
from eventstore import feed, store, suspension
from eventstore.store import Head, NewEvent
from games import state
from games.errors import GameSuspended, NotInPlay, NotSuspended
from games.models import GameRecord, Lifted, Suspension

KIND = "suspension"
"""Of the streams that tell of suspensions, one to a game that ever was suspended."""

REASON_LENGTH = 500


def stream_of(game_id: UUID) -> UUID:
    return uuid5(NAMESPACE_URL, f"racecard:suspension:{game_id}")


def begin(game_id: UUID, *, by: Player | None, reason: str, now: datetime) -> tuple[Suspension, Head]:
    """Stop a game, in the caller's transaction; where it stands. `by` None is the server.

    Raises GameSuspended (it is already), NotFound, NotInPlay.
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
    _tell(game_id, "suspended", {"version": head.version, "hash": head.hash}, by, reason, now)
    GameRecord.objects.filter(pk=game_id).update(suspended_at=since)
    return made, head


def locked(game_id: UUID) -> Suspension:
    """The game's present suspension, for this transaction alone until it ends. Raises NotSuspended.

    The stream is locked before its row, as by whoever appends.
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
    """Let a game that was suspended go on, in the caller's transaction; None if it was not."""
    head = suspension.resume(game_id)
    if head is None:
        return None
    standing = locked(game_id)
    standing.lifted_at, standing.lifted = max(now, standing.since), how
    standing.lifted_by, standing.lifted_reason = by, reason[:REASON_LENGTH]
    standing.save(update_fields=["lifted_at", "lifted", "lifted_by", "lifted_reason"])
    told = {"version": head.version, "hash": head.hash, **(more or {})}
    _tell(game_id, how.value, told, by, reason, now)
    GameRecord.objects.filter(pk=game_id).update(suspended_at=None)
    return standing


def time_lost(game: GameRecord) -> timedelta:
    """How much later a game that has been dealt stands where it stands, for it and those before it having been stopped,
    gone on from an earlier version, or been dealt anew."""
    first = game
    while first.parent is not None:
        first = first.parent
    assert game.started_at is not None
    assert first.started_at is not None
    return game.given_back + game.started_at - first.started_at


def _tell(
    game_id: UUID, type: str, told: dict[str, Any], by: Player | None, reason: str, now: datetime
) -> None:
    stream = stream_of(game_id)
    data = {"game": str(game_id), **told, "by": None if by is None else str(by.pk), "reason": reason}
    [event] = store.append(stream, [NewEvent(type, data)], kind=KIND, expected=store.head(stream), at=now)
    version = event.version
    transaction.on_commit(lambda: feed.announce(stream, version))
