"""The bots of Idle Aces."""

from games.bots.idle_aces.steady import Steady
from games.bots.idle_aces.strong import Strong

__all__ = ["Steady", "Strong"]
