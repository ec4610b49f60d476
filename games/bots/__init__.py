"""Bots, pure: a folder or module for each game. A bot chooses a move from its seat's observation.

games.bots.get("vegas-solitaire").choose(Observation(view, legal_moves), rng)
"""

from games.bots.protocol import Bot, Observation, Patient, UnknownBot
from games.bots.registry import DEFAULT, get, hint, names

__all__ = ["DEFAULT", "Bot", "Observation", "Patient", "UnknownBot", "get", "hint", "names"]
