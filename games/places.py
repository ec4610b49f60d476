"""Who has laid out a game, and must follow when it is stopped, goes on, or is replaced by another.

A layer above registers itself for the games that are its own; everything is called in the transaction of what happens.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Protocol
from uuid import UUID

from accounts.models import Player
from api.errors import Forbidden
from games import access, audit
from games.models import GameRecord
from games.services_tournament import Place
from ledger.errors import InterestedParty


class Keeper(Protocol):
    """Whoever lays out games (a tournament), as this layer knows it."""

    def may_rule(self, player: Player, game: GameRecord) -> bool:
        """Whether the player runs what the game was laid out for."""

    def lock(self, tournament: UUID) -> None:
        """Lock what is locked before any of its games."""

    def suspended(self, game: GameRecord, *, by: Player | None, reason: str, now: datetime) -> None: ...

    def resumed(
        self, game: GameRecord, *, lost: timedelta, by: Player | None, reason: str, now: datetime
    ) -> None:
        """`lost`: how long the game was suspended."""

    def continued(
        self, parent: GameRecord, child: GameRecord, *, by: Player | None, reason: str, now: datetime
    ) -> None:
        """The child stands in the parent's place from here on."""

    def place_anew(self, game: GameRecord) -> Place:
        """The place of a new deal for a game that has ended. Raises NotDealtAnew."""

    def dealt_anew(
        self, game: GameRecord, anew: GameRecord, *, by: Player | None, reason: str, now: datetime
    ) -> None: ...


_keepers: list[Keeper] = []


def register_keeper(keeper: Keeper) -> Keeper:
    """Of the games of tournaments."""
    _keepers.append(keeper)
    return keeper


def require_may_stop(player: Player, game_id: UUID) -> GameRecord:
    """The game, which the player may suspend and resume: an auditor, or a person who rules on its tournament, without
    a part in it.

    The game need not be visible to them. Raises NotFound, Forbidden, InterestedParty.
    """
    game = _ruled(player, game_id)
    if audit.has_part(player, game):
        raise InterestedParty
    return game


def _ruled(player: Player, game_id: UUID) -> GameRecord:
    game = GameRecord.objects.filter(pk=game_id).first()
    if game is not None and (access.is_auditor(player) or _runs(player, game)):
        return game
    access.visible_game(player, game_id)
    raise Forbidden("Games are stopped by auditors, and in a tournament by who rules on it.")


def _runs(player: Player, game: GameRecord) -> bool:
    return any(keeper.may_rule(player, game) for keeper in _of(game))


def lock(game_id: UUID) -> None:
    tournament = GameRecord.objects.values_list("tournament", flat=True).filter(pk=game_id).first()
    if tournament is not None:
        for keeper in _keepers:
            keeper.lock(tournament)


def suspended(game: GameRecord, *, by: Player | None, reason: str, now: datetime) -> None:
    for keeper in _of(game):
        keeper.suspended(game, by=by, reason=reason, now=now)


def resumed(game: GameRecord, *, lost: timedelta, by: Player | None, reason: str, now: datetime) -> None:
    for keeper in _of(game):
        keeper.resumed(game, lost=lost, by=by, reason=reason, now=now)


def continued(
    parent: GameRecord, child: GameRecord, *, by: Player | None, reason: str, now: datetime
) -> None:
    for keeper in _of(parent):
        keeper.continued(parent, child, by=by, reason=reason, now=now)


def place_anew(game: GameRecord) -> Place:
    [keeper] = _keepers
    return keeper.place_anew(game)


def dealt_anew(game: GameRecord, anew: GameRecord, *, by: Player | None, reason: str, now: datetime) -> None:
    for keeper in _of(game):
        keeper.dealt_anew(game, anew, by=by, reason=reason, now=now)


def _of(game: GameRecord) -> list[Keeper]:
    return _keepers if game.tournament is not None else []
