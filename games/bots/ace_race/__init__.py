"""The bots of Ace Race."""

from games.bots.ace_race.steady import Steady
from games.bots.ace_race.strong import Strong

__all__ = ["Steady", "Strong"]
