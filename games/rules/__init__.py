"""The rules of the games, pure: cards, provable deals, one module per game, and the check of a finished game.

game = games.rules.get("vegas-solitaire")
game.decide(state, seat, move)      # facts, or Refused
game.evolve(state, type, seat, data, private)
"""

from games.rules.fairness import BadSeed, GameKey
from games.rules.protocol import MOVE_CAP, Fact, Game, MatchRules, Move, UnknownGame
from games.rules.refusals import ConfigError, Refused, Ruling
from games.rules.registry import catalogue, get, match_rules, most_seats, names, title

__all__ = [
    "MOVE_CAP",
    "BadSeed",
    "ConfigError",
    "Fact",
    "Game",
    "GameKey",
    "MatchRules",
    "Move",
    "Refused",
    "Ruling",
    "UnknownGame",
    "catalogue",
    "get",
    "match_rules",
    "most_seats",
    "names",
    "title",
]
