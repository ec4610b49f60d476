"""The bots of Idle Aces."""

from games.rules.idle_aces.bots.steady import Steady
from games.rules.idle_aces.bots.strong import Strong

__all__ = ["Steady", "Strong"]
