"""Tables that are left alone: called off where nobody has started them, played on where somebody is past a limit."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from uuid import UUID

from django.db import transaction

from accounts.models import Player
from eventstore.chain import parse_at
from eventstore.store import WrongVersion
from games import clocks, limits, log, standstill, state
from games.errors import Contended
from games.models import GameRecord, Lifted, Seat
from games.rules import table as tables
from games.services_server import expire_active, expire_late

NOT_STARTED = "not-started"
"""Why a table is voided that nobody started within its limit."""


def void_game(*, game_id: UUID, reason: str, now: datetime, by: Player | None = None) -> None:
    """End a game as if it had not been played: a stake goes back. A game that has ended stays as it is.

    One that is suspended is not suspended any more.
    """
    for _ in range(limits.ATTEMPTS):
        head, table = state.load(game_id)
        if table.ended:
            return
        voided = tables.void(table, reason=reason)
        result = log.after(table, [voided])
        record = GameRecord.objects.get(pk=game_id)
        try:
            with transaction.atomic():
                standstill.lift(game_id, how=Lifted.VOID, by=by, reason=reason, now=now)
                [event] = log.append(game_id, head, [voided], result, now=now)
                log.end(
                    game_id,
                    result,
                    record,
                    version=event.version,
                    staked=record.stake > 0 and table.status == "active",
                    at=parse_at(event.at),
                )
        except WrongVersion:
            continue
        return
    raise Contended


def expire_game(*, game_id: UUID, now: datetime, seen: int | None = None) -> None:
    """The server plays for whoever is absent, without asking how long; a table that was not started is voided.

    With `seen` only if no seat has moved since that version. A game of one seat ends by it; a game that has ended stays
    as it is. Raises GameSuspended.
    """
    _, table = state.load(game_id)
    if table.status == "open":
        void_game(game_id=game_id, reason=NOT_STARTED, now=now)
    elif table.status == "active":
        expire_active(game_id=game_id, now=now, seen=seen)


def forfeit_seats(*, game_ids: Iterable[UUID], seats: Iterable[int]) -> None:
    """Take no move from these seats any more, as the tournament of the games has ruled; the server plays for them."""
    Seat.objects.filter(game__in=list(game_ids), seat__in=list(seats)).update(forfeited=True)


def expire_if_idle(*, game_id: UUID, now: datetime) -> datetime | None:
    """Expire a table that is past the house's limit; when to ask again, None when that is over."""
    head, table = state.load(game_id)
    if table.ended:
        return None
    idle = limits.idle(table.game.slug)
    game = GameRecord.objects.get(pk=game_id)
    if table.status == "open":
        due = game.created_at + limits.UNSTARTED
    elif game.move_limit is not None:
        return None
    elif game.suspended_at is not None:
        return now + idle
    else:
        assert head.at is not None
        due = clocks.stands_since(head.at, game.resumed_at) + idle
    if due > now:
        return min(due, now + idle)
    expire_game(game_id=game_id, now=now, seen=head.version)
    return None if state.load(game_id)[1].ended else now + idle


def expire_if_late(*, game_id: UUID, now: datetime) -> datetime | None:
    """Play for who is past the table's own limits; when to look again, None when the game has ended.

    One job does that for a game, however many its moves are: it looks when the present limit would be up, and mostly
    finds that somebody has moved since.
    """
    expire_late(game_id=game_id, now=now)
    head, table = state.load(game_id)
    if table.status != "active":
        return None
    assert head.at is not None
    rings = clocks.standing(game_id).rings(table, head.at)
    return None if rings is None else max(rings, now)
