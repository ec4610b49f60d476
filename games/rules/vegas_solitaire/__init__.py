"""Vegas Solitaire (RULEBOOK 3): the position, what is legal in it, what a move changes, and the game of these."""

from games.rules.vegas_solitaire.game import VegasSolitaire
from games.rules.vegas_solitaire.position import SOURCES, TARGETS, Config, Layout, State, laid_out

__all__ = ["SOURCES", "TARGETS", "Config", "Layout", "State", "VegasSolitaire", "laid_out"]
