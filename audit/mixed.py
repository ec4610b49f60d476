"""Games of all rules between bots, one after the other: what a whole installation is tried with. Pure."""

from __future__ import annotations

from typing import Any

from games import bots
from games.bots.simulation import simulate
from games.rules import get

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
"""Game, config and seats of one game after the other."""

Bundle = dict[str, Any]


def mixed(number: int, seed: str = "mixed") -> Bundle:
    """Game `number` of a mix of all games, as a bundle. It follows from seed and number."""
    slug, config, seats = MIX[number % len(MIX)]
    game = get(slug)
    played = simulate(
        game, game.parse_config(config), seats=seats, bots=[bots.get(slug)], seed=seed, number=number
    )
    return played.bundle


def played(numbers: range) -> list[Bundle]:
    return [mixed(number) for number in numbers]
