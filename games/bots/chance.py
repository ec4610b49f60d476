"""A bot for any game: every legal move is as good as another."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

from games.bots.protocol import Move


class Chance:
    """Its games end because the end is among the moves it may choose, or by the cap of moves."""

    name = "random"

    def choose(self, view: Mapping[str, Any], legal_moves: Sequence[Move], rng: random.Random) -> Move:
        return rng.choice(legal_moves)
