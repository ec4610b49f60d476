"""Tables of every game, opened and played through the services, for tests that run with all games."""

from __future__ import annotations

import random
from datetime import datetime
from typing import Any

from accounts.models import Player
from games import services, state
from games.models import GameRecord

CONFIGS: dict[str, dict[str, Any]] = {
    "racing-aces": {},
    "vegas-solitaire": {"draw": 3, "stake": 0},
    "idle-aces": {},
    "ace-race": {},
    "racing-demons": {"pace": "turns"},
}
"""A config that each game can be played with for nothing."""


def dealt(rules: str, people: list[Player], *, now: datetime, **more: Any) -> GameRecord:
    """Deal a game of the players, opened by the first of them. A race has no seats."""
    seats = 0 if rules == "racing-aces" else len(people)
    config = CONFIGS[rules] | more.pop("config", {})
    game = services.create_game(rules=rules, config=config, seats=seats, creator=people[0], now=now, **more)
    for who in people[:seats]:
        services.take_seat(game=game, player=who, client_seed=who.username, now=now)
    return services.start_game(game=game, actor=people[0], now=now)


def next_to_act(game: GameRecord, people: list[Player]) -> Player:
    waiting = state.load(game.pk)[1].to_act()
    return people[waiting[0]] if waiting else people[0]


def some_move(game: GameRecord, people: list[Player], rng: random.Random) -> tuple[Player, dict[str, Any]]:
    """Return a legal move of the seat to act that does not end a solitaire."""
    table = state.load(game.pk)[1]
    seat = rng.choice(table.to_act()) if table.to_act() else None
    moves = [move for move in table.legal_moves(seat) if move["type"] not in ("collect", "resign")]
    return people[seat or 0], rng.choice(moves)
