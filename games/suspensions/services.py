"""Suspend a running game and resume it: no moves, no clocks, no bots or jobs in between.

The database itself refuses every append to a suspended game.
"""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from django.db import transaction
from django.db.models import F

from accounts.models import Player
from core.errors import Forbidden
from games import access, early_access, hooks, state
from games.models import GameRecord, Lifted, Suspension
from games.play.start import Dealt, play_job_keys, schedule_play
from games.suspensions import continuation, records
from jobs import services as jobs
from ledger.errors import InterestedParty


def require_may_suspend(player: Player, game_id: UUID) -> GameRecord:
    """Return the game if the player may suspend and resume it.

    Auditors may, and people who rule on its tournament, unless they have an interest in the game. The game need not
    be visible to them. Raises NotFound, Forbidden, InterestedParty.
    """
    game = _ruled_by(player, game_id)
    if early_access.has_interest(player, game):
        raise InterestedParty
    return game


def _ruled_by(player: Player, game_id: UUID) -> GameRecord:
    game = GameRecord.objects.filter(pk=game_id).first()
    if game is not None and (access.is_auditor(player) or hooks.owner_of(game).may_rule(player, game)):
        return game
    access.visible_game(player, game_id)
    raise Forbidden("Only auditors may suspend games, and in a tournament the people who rule on it.")


def suspend(game_id: UUID, *, by: Player | None, reason: str, now: datetime) -> Suspension:
    """Suspend a dealt game. `by` None is the server. Raises NotFound, NotInPlay, GameSuspended."""
    with transaction.atomic():
        hooks.lock(game_id)
        made, _ = records.suspend(game_id, by=by, reason=reason, now=now)
        game = GameRecord.objects.get(pk=game_id)
        for key in play_job_keys(game):
            jobs.cancel(key=key)
        hooks.owner_of(game).suspended(game, by=by, reason=reason, now=now)
    return made


def resume(game_id: UUID, *, by: Player | None, reason: str, now: datetime) -> GameRecord:
    """Resume a suspended game with its clocks as they were. Returns the game that continues.

    If the rules count time from the deal (RULEBOOK 6 (8)), that is a new game from the same version, because its own
    stream cannot give time back. Raises NotFound, NotSuspended, NotContinuable.
    """
    with transaction.atomic():
        hooks.lock(game_id)
        head, table = state.load(game_id)
        if table.game.time_limit(table.config) is not None:
            return continuation.continue_from(game_id, version=head.version, by=by, reason=reason, now=now)
        records.locked(game_id)
        lifted = records.lift(game_id, how=Lifted.RESUMED, by=by, reason=reason, now=now)
        assert lifted is not None
        assert lifted.lifted_at is not None
        lost = lifted.lifted_at - lifted.since
        GameRecord.objects.filter(pk=game_id).update(
            resumed_at=lifted.lifted_at, given_back=F("given_back") + lost
        )
        game = GameRecord.objects.get(pk=game_id)
        hooks.owner_of(game).resumed(game, lost=lost, by=by, reason=reason, now=now)
        schedule_play(Dealt(game, table, version=head.version, at=lifted.lifted_at), again=f":{lifted.pk}")
    return game
