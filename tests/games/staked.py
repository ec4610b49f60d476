"""Staked tables for tests: opened, bought into, and played to their end."""

from __future__ import annotations

import random
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from accounts.models import Player
from games import services, state
from games.matches import services as matches
from games.models import GameRecord, Match
from ledger.models import StakeTable
from ledger.selectors import stake_table
from tests.money import available, cash, fund

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
BUY_IN = 520
SEED = bytes(range(32))
"""The server seed of every table here. Client seeds are the players' names, so the deal and its one winner are fixed.
"""
CONFIGS: dict[str, dict[str, Any]] = {"ace-race": {}, "racing-demons": {"pace": "turns"}}


def table_of(rules: str) -> StakeTable:
    return stake_table(f"{rules}-table")


def provide(people: Sequence[Player], amount: int = 1000) -> None:
    for who in people:
        fund(cash(who.pk), amount)


def opened(rules: str, creator: Player, *, seats: int, **more: Any) -> GameRecord:
    return services.create_game(
        rules=rules,
        config=CONFIGS[rules],
        seats=seats,
        creator=creator,
        stake_table=more.pop("stake_table", None) or table_of(rules),
        buy_in=more.pop("buy_in", BUY_IN),
        server_seed=more.pop("server_seed", SEED),
        now=NOON,
        **more,
    )


def sit_down(game: GameRecord, people: Sequence[Player]) -> None:
    for who in people:
        services.take_seat(game=game, player=who, client_seed=who.username, now=NOON)


def dealt(rules: str, people: Sequence[Player], **more: Any) -> GameRecord:
    """Deal a staked table that the players, given money, have bought into."""
    provide(people)
    game = opened(rules, people[0], seats=len(people), **more)
    sit_down(game, people)
    return services.start_game(game=game, actor=people[0], now=NOON)


def match_of(people: Sequence[Player], *, deals: int, **more: Any) -> tuple[Match, GameRecord]:
    """Deal the first deal of a staked match of Ace Race."""
    provide(people)
    match = matches.open_match(
        rules="ace-race",
        config={},
        seats=len(people),
        deals=deals,
        creator=people[0],
        stake_table=table_of("ace-race"),
        buy_in=BUY_IN,
        now=NOON,
        **more,
    )
    game = match.games.get()
    sit_down(game, people)
    return match, services.start_game(game=game, actor=None, now=NOON)


def play_out(game: GameRecord, people: Sequence[Player], seed: int = 1, moves: int = 12) -> GameRecord:
    """Make some moves of the players, then let the server play until the game is over."""
    by_id, rng = {str(who.pk): who for who in people}, random.Random(seed)
    for _ in range(moves):
        table = state.load(game.pk)[1]
        if table.ended:
            break
        seat = table.to_act()[0]
        who = by_id[table.seats[seat].player]
        services.play(game_id=game.pk, player=who, move=rng.choice(table.legal_moves(seat)), now=NOON)
    while not state.load(game.pk)[1].ended:
        services.expire_game(game_id=game.pk, now=NOON)
    return GameRecord.objects.get(pk=game.pk)


def money_of(people: Sequence[Player]) -> list[int]:
    return [available(f"player:{who.pk}") for who in people]


def in_escrow(of: GameRecord | Match) -> int:
    return available(f"game:{of.pk}", "escrow")
