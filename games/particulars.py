"""What stays as it is once a game has been dealt: its key, its bots, its money. Kept in the process, never shown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from uuid import UUID

from games import bots as strategies
from games import clocks
from games.clocks import Clock
from games.models import GameRecord, GameSecret, Seat
from games.rules import GameKey
from games.rules.table import Table

REMEMBERED = 4096


@dataclass(frozen=True, slots=True)
class Particulars:
    key: GameKey = field(repr=False)
    bots: frozenset[int]
    """Seats that the server plays."""
    strategies: Mapping[int, str]
    """By seat, the bot that plays it."""
    operator: UUID | None
    """Who makes the moves that belong to no seat."""
    stake: int
    """Pence."""
    buy_in: int
    """Pence of each seat; of a match, for all its deals."""
    match_id: UUID | None
    tournament: UUID | None
    round: int | None
    ended_job: str
    clock: Clock


def of(game_id: UUID, table: Table) -> Particulars:
    """`table` must have been read as committed, and be dealt."""
    seeds = tuple(table.seats[seat].client_seed for seat in sorted(table.seats))
    return _of(game_id, table.commitment, seeds, table.bet_seeds)


def server_seed(game_id: UUID) -> bytes:
    return bytes(GameSecret.objects.values_list("server_seed", flat=True).get(pk=game_id))


@lru_cache(maxsize=REMEMBERED)
def _of(
    game_id: UUID, commitment: str, client_seeds: tuple[str, ...], bet_seeds: tuple[str, ...] | None
) -> Particulars:
    record = GameRecord.objects.get(pk=game_id)
    bots = dict(Seat.objects.filter(game=record, player__is_bot=True).values_list("seat", "bot"))
    return Particulars(
        key=GameKey(server_seed(game_id), client_seeds, bet_seeds),
        bots=frozenset(bots),
        strategies={seat: name or strategies.DEFAULT for seat, name in bots.items()},
        operator=record.creator_id,
        stake=record.stake,
        buy_in=record.buy_in,
        match_id=record.match_id,
        tournament=record.tournament,
        round=record.round,
        ended_job=record.ended_job,
        clock=clocks.of(record),
    )


def forget() -> None:
    """For tests that play the same game twice."""
    _of.cache_clear()
