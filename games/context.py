"""The game context: data of a dealt game that does not change, such as its key, bots, and stake. Never shown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from uuid import UUID

from games import bots as strategies
from games.models import SERVER_PLAYS, BotPace, GameRecord, GameSecret, Seat
from games.play import clocks
from games.play.clocks import Clock
from games.rules import GameKey
from games.rules.table import Table

REMEMBERED = 4096


@dataclass(frozen=True, slots=True)
class GameContext:
    """Data of one dealt game that does not change."""

    key: GameKey = field(repr=False)
    bots: frozenset[int]
    """Seats that bots play."""
    strategies: Mapping[int, str]
    """The bot of each such seat."""
    bot_pace: BotPace
    stake: int
    """Pence."""
    buy_in: int
    """Pence per seat; in a match, for all its deals."""
    match_id: UUID | None
    tournament: UUID | None
    round: int | None
    ended_job: str
    clock: Clock


def of(game_id: UUID, table: Table) -> GameContext:
    """Return the context of a game. `table` must be committed and dealt."""
    seeds = tuple(table.seats[seat].client_seed for seat in sorted(table.seats))
    return _of(game_id, table.commitment, seeds, table.bet_seeds)


def server_seed(game_id: UUID) -> bytes:
    return bytes(GameSecret.objects.values_list("server_seed", flat=True).get(pk=game_id))


@lru_cache(maxsize=REMEMBERED)
def _of(
    game_id: UUID, commitment: str, client_seeds: tuple[str, ...], bet_seeds: tuple[str, ...] | None
) -> GameContext:
    record = GameRecord.objects.get(pk=game_id)
    bots = dict(Seat.objects.filter(SERVER_PLAYS, game=record).values_list("seat", "bot"))
    return GameContext(
        key=GameKey(server_seed(game_id), client_seeds, bet_seeds),
        bots=frozenset(bots),
        strategies={seat: name or strategies.DEFAULT for seat, name in bots.items()},
        bot_pace=BotPace(record.bot_pace),
        stake=record.stake,
        buy_in=record.buy_in,
        match_id=record.match_id,
        tournament=record.tournament,
        round=record.round,
        ended_job=record.ended_job,
        clock=clocks.of(record),
    )


def clear_cache() -> None:
    """Clear the cache, for tests that play one game twice."""
    _of.cache_clear()
