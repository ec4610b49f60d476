"""Ace Race (RULEBOOK 5): the position, the rules that Aces name, what is legal, what a move changes, and the game."""

from games.rules.ace_race.game import AceRace, Standing, next_config, standings
from games.rules.ace_race.position import Config, State

__all__ = ["AceRace", "Config", "Standing", "State", "next_config", "standings"]
