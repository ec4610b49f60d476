"""Suspending a running game: nobody moves, no clock runs, bots and jobs wait; then it is resumed, or called off.

The database itself refuses every append to a suspended game. What is called off is `services.void_game`'s, a game that
goes on from an earlier version is `continuation`'s.
"""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from django.db import transaction
from django.db.models import F

from accounts.models import Player
from games import continuation, places, standstill, state
from games.models import GameRecord, Lifted, Suspension
from games.services_begin import Dealt, follow, withdraw
from jobs import services as jobs


def suspend(game_id: UUID, *, by: Player | None, reason: str, now: datetime) -> Suspension:
    """Stop a dealt game where it stands. `by` None is the server. Raises NotFound, NotInPlay, GameSuspended."""
    with transaction.atomic():
        places.lock(game_id)
        made, _ = standstill.begin(game_id, by=by, reason=reason, now=now)
        game = GameRecord.objects.get(pk=game_id)
        for key in withdraw(game):
            jobs.cancel(key=key)
        places.suspended(game, by=by, reason=reason, now=now)
    return made


def resume(game_id: UUID, *, by: Player | None, reason: str, now: datetime) -> GameRecord:
    """Let a suspended game go on, with its clocks as they were stopped; the game that goes on.

    That is another one where the rules count time from the deal (RULEBOOK 6 (8)): in its own stream no time could be
    given back, so it goes on as a new game from the same version. Raises NotFound, NotSuspended, NotContinuable.
    """
    with transaction.atomic():
        places.lock(game_id)
        head, table = state.load(game_id)
        if table.game.time_limit(table.config) is not None:
            return continuation.continue_from(game_id, version=head.version, by=by, reason=reason, now=now)
        standstill.locked(game_id)
        lifted = standstill.lift(game_id, how=Lifted.RESUMED, by=by, reason=reason, now=now)
        assert lifted is not None
        assert lifted.lifted_at is not None
        lost = lifted.lifted_at - lifted.since
        GameRecord.objects.filter(pk=game_id).update(
            resumed_at=lifted.lifted_at, given_back=F("given_back") + lost
        )
        game = GameRecord.objects.get(pk=game_id)
        places.resumed(game, lost=lost, by=by, reason=reason, now=now)
        follow(Dealt(game, table, version=head.version, at=lifted.lifted_at), again=f":{lifted.pk}")
    return game
