"""Bots that make no decision: one chooses at random, one has nothing to choose."""

from __future__ import annotations

import random

from games.bots.protocol import Move, Observation


class Random:
    """Chooses any legal move of any game. The cap of moves ends its longest games."""

    name = "random"

    def choose(self, observation: Observation, rng: random.Random) -> Move:
        return rng.choice(observation.legal_moves)


class FirstMove:
    """Makes the first legal move: in Racing Aces the operator's draw is the only one."""

    name = "steady"

    def choose(self, observation: Observation, rng: random.Random) -> Move:
        return observation.legal_moves[0]
