"""The bots of Vegas Solitaire."""

from games.bots.vegas_solitaire.steady import Steady
from games.bots.vegas_solitaire.strong import Strong

__all__ = ["Steady", "Strong"]
