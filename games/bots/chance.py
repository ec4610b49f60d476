"""A bot for any game: every legal move is as good as another."""

from __future__ import annotations

import random

from games.bots.protocol import Move, Sight


class Chance:
    """Its games end because the end is among the moves it may choose, or by the cap of moves."""

    name = "random"

    def choose(self, sight: Sight, rng: random.Random) -> Move:
        return rng.choice(sight.legal_moves)
