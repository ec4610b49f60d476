"""Simulated games of all rules between bots, as bundles. Free of Django, for worker processes."""

from __future__ import annotations

from typing import Any

from games import bots
from games.bots.simulation import simulate
from games.rules import get

Bundle = dict[str, Any]

MIX: tuple[tuple[str, dict[str, Any], int], ...] = (
    ("vegas-solitaire", {"draw": 3, "stake": 0}, 1),
    ("ace-race", {}, 4),
    ("racing-demons", {}, 2),
    ("vegas-solitaire", {"draw": 1, "stake": 0}, 1),
    ("racing-aces", {}, 0),
    ("idle-aces", {}, 1),
    ("ace-race", {}, 2),
    ("vegas-solitaire", {"draw": 3, "stake": 0}, 1),
    ("racing-demons", {}, 4),
    ("racing-aces", {}, 0),
)
"""Game, config, and number of seats of the games in the mix."""


def simulated(number: int, seed: str = "mixed") -> Bundle:
    """Return the bundle of game `number` in a mix of all games. It is determined by seed and number."""
    slug, config, seats = MIX[number % len(MIX)]
    game = get(slug)
    game_played = simulate(
        game, game.parse_config(config), seats=seats, bots=[bots.get(slug)], seed=seed, number=number
    )
    return game_played.bundle


def simulated_games(numbers: range) -> list[Bundle]:
    return [simulated(number) for number in numbers]
