"""Who has bet on a race has a part in it and may not look into it early; who has looked may not bet (RULEBOOK 8).

The row of the market, which every bet locks, decides which of the two came first.
"""

from __future__ import annotations

from uuid import UUID

from django.db import transaction

from accounts.models import Player
from eventstore import store
from games import audit, markets
from games.errors import GameSuspended
from games.models import GameRecord
from ledger import participants
from ledger.betting.bets import register_guard
from ledger.betting.markets import locked
from ledger.betting.models import Market, Runner


def takes_part(game_id: UUID, player: UUID) -> bool:
    """Whether the player sits in the game or its match, or takes part in its tournament."""
    game = GameRecord.objects.filter(pk=game_id).first()
    if game is None:
        return False
    if audit.is_seated(player, game):
        return True
    return game.tournament is not None and participants.takes_part(f"tournament:{game.tournament}", player)


def register() -> None:
    participants.register("game", takes_part)


@audit.register_part
def has_bet(player: Player, game: GameRecord) -> bool:
    """Also a bet that was taken back counts: its seed has kept its place in the deal."""
    market = markets.market_on(game.pk) if markets.takes_markets(game.rules) else None
    if market is None:
        return False
    with transaction.atomic():
        return locked(market).bets.filter(player=player.pk).exists()


@register_guard
def has_not_looked(market: Market, runner: Runner, player: UUID) -> None:
    """Raises LookedEarly."""
    game_id = markets.race_of(market)
    if game_id is not None:
        audit.require_unseen(player, game=game_id)


@register_guard
def race_goes_on(market: Market, runner: Runner, player: UUID) -> None:
    """Raises GameSuspended."""
    game_id = markets.race_of(market)
    if game_id is not None and store.suspended_at(game_id) is not None:
        raise GameSuspended
