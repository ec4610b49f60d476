"""The bots of each game, by name."""

from __future__ import annotations

from games.bots import (
    ace_race,
    ace_race_strong,
    idle_aces,
    idle_aces_strong,
    racing_aces,
    racing_demons,
    vegas_solitaire,
    vegas_strong,
)
from games.bots.chance import Chance
from games.bots.protocol import Bot, UnknownBot

DEFAULT = "steady"

HINTED = ("vegas-solitaire", "idle-aces")
"""The solitaires: their players may be shown what a bot would do."""
BEST = ("strong", DEFAULT)

Searching = (ace_race_strong.Strong, idle_aces_strong.Strong, vegas_strong.Strong)

_BOTS: dict[str, tuple[Bot, ...]] = {
    "ace-race": (ace_race.Steady(), ace_race_strong.Strong(), Chance()),
    "idle-aces": (idle_aces.Steady(), idle_aces_strong.Strong(), Chance()),
    "racing-aces": (racing_aces.Steady(), Chance()),
    "racing-demons": (racing_demons.Steady(), Chance()),
    "vegas-solitaire": (vegas_solitaire.Steady(), vegas_strong.Strong(), Chance()),
}


def get(slug: str, name: str = DEFAULT) -> Bot:
    """Raises UnknownBot."""
    for bot in _BOTS.get(slug, ()):
        if bot.name == name:
            return bot
    raise UnknownBot(f"no bot {name!r} plays {slug}; there are {', '.join(names(slug)) or 'none'}")


def names(slug: str) -> list[str]:
    return [bot.name for bot in _BOTS.get(slug, ())]


def hint(slug: str) -> Bot | None:
    """The bot whose choice is the hint: the strongest that plays the game; None where there are no hints.

    It is to be given the sight of the player who asks, and so knows no more than that player can.
    """
    known = names(slug) if slug in HINTED else []
    return next((get(slug, name) for name in BEST if name in known), None)


def thinking(bot: Bot, playouts: int | None) -> Bot:
    """The bot, with another budget for a move where it searches; unchanged where it does not, or for None."""
    if playouts is None or not isinstance(bot, Searching):
        return bot
    return type(bot)(playouts)
