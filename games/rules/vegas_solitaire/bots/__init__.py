"""The bots of Vegas Solitaire."""

from games.rules.vegas_solitaire.bots.steady import Steady
from games.rules.vegas_solitaire.bots.strong import Strong

__all__ = ["Steady", "Strong"]
