"""The bots of Ace Race."""

from games.rules.ace_race.bots.steady import Steady
from games.rules.ace_race.bots.strong import Strong

__all__ = ["Steady", "Strong"]
