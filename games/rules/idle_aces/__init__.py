"""Idle Aces (RULEBOOK 4): the position, what is legal in it, what a move changes, when it is lost, and the game."""

from games.rules.idle_aces.game import IdleAces
from games.rules.idle_aces.position import Config, State

__all__ = ["Config", "IdleAces", "State"]
