"""For tests and benchmarks: long games, written in bulk as the server would write them move by move."""

from __future__ import annotations

from datetime import datetime
from itertools import cycle
from typing import Any

from accounts.models import Player
from games import context, services, state
from games.models import GameRecord
from games.play import stream
from games.rules import Fact
from games.rules import table as tables

BATCH = state.SNAPSHOT_EVERY
"""Events appended together in one transaction; it makes as many snapshots as normal play."""


def long_race(players: list[Player], *, events: int, now: datetime, **more: Any) -> GameRecord:
    """Return a running game of Racing Demons of a given length: after the deal every seat turns its stock in turn.

    Seals and hashes are valid: the game verifies and can be continued. All events have the time `now`.
    """
    game = services.create_game(
        rules="racing-demons", config={}, seats=len(players), creator=players[0], now=now, **more
    )
    for who in players:
        services.take_seat(game=game, player=who, client_seed=who.username, now=now)
    game = services.start_game(game=game, actor=players[0], now=now)
    lengthen(game, events=events, now=now)
    return game


def lengthen(game: GameRecord, *, events: int, now: datetime) -> None:
    """Append stock turns to a running game of Racing Demons until it has `events` events."""
    head, table = state.load(game.pk)
    key = context.of(game.pk, table).key
    seats = cycle(sorted(table.seats))
    while head.version < events:
        facts: list[Fact] = []
        for _ in range(min(BATCH, events - head.version)):
            made = tables.decide(table, next(seats), {"type": "turn"}, key)
            table = stream.after(table, made)
            facts += made
        head = stream.append(game.pk, head, facts, table, now=now, key=key)[-1].head()
