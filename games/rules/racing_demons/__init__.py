"""Racing Demons (RULEBOOK 6): the position, what is legal in it, what a move and its settling change, and the game."""

from games.rules.racing_demons.game import RacingDemons
from games.rules.racing_demons.position import Config, Side, State

__all__ = ["Config", "RacingDemons", "Side", "State"]
