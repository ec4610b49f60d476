"""Racing Aces leaves nothing to choose: the operator draws."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

from games.bots.protocol import Move


class Steady:
    name = "steady"

    def choose(self, view: Mapping[str, Any], legal_moves: Sequence[Move], rng: random.Random) -> Move:
        return legal_moves[0]
