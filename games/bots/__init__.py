"""Players without a person, pure: one module per game, each move chosen from what its seat may see.

games.bots.get("vegas-solitaire").choose(Sight(view, legal_moves), rng)
"""

from games.bots.protocol import Bot, Patient, Sight, UnknownBot
from games.bots.registry import DEFAULT, get, hint, names

__all__ = ["DEFAULT", "Bot", "Patient", "Sight", "UnknownBot", "get", "hint", "names"]
