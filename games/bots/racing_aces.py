"""Racing Aces leaves nothing to choose: the operator draws."""

from __future__ import annotations

import random

from games.bots.protocol import Move, Sight


class Steady:
    name = "steady"

    def choose(self, sight: Sight, rng: random.Random) -> Move:
        return sight.legal_moves[0]
