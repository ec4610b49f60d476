"""The bots of each game, by name."""

from __future__ import annotations

from games.bots import ace_race, idle_aces, racing_demons, vegas_solitaire
from games.bots.protocol import Bot, UnknownBot
from games.bots.simple import FirstMove, Random

DEFAULT = "steady"

HINTED = ("vegas-solitaire", "idle-aces")
"""The solitaires, whose players may ask for hints."""
BEST = ("strong", DEFAULT)

_SEARCHING = (ace_race.Strong, idle_aces.Strong, vegas_solitaire.Strong)

_BOTS: dict[str, tuple[Bot, ...]] = {
    "ace-race": (ace_race.Steady(), ace_race.Strong(), Random()),
    "idle-aces": (idle_aces.Steady(), idle_aces.Strong(), Random()),
    "racing-aces": (FirstMove(), Random()),
    "racing-demons": (racing_demons.Steady(), Random()),
    "vegas-solitaire": (vegas_solitaire.Steady(), vegas_solitaire.Strong(), Random()),
}


def get(slug: str, name: str = DEFAULT) -> Bot:
    """Return the bot of that name. Raises UnknownBot."""
    for bot in _BOTS.get(slug, ()):
        if bot.name == name:
            return bot
    raise UnknownBot(f"no bot {name!r} plays {slug}; there are {', '.join(names(slug)) or 'none'}")


def names(slug: str) -> list[str]:
    return [bot.name for bot in _BOTS.get(slug, ())]


def hint(slug: str) -> Bot | None:
    """Return the bot that gives the hints of a game, its strongest one; None if the game has no hints.

    It is given the observation of the player who requests the hint, and knows no more.
    """
    known = names(slug) if slug in HINTED else []
    return next((get(slug, name) for name in BEST if name in known), None)


def thinking(bot: Bot, playouts: int | None) -> Bot:
    """Return the bot with another playout budget if it searches; None keeps its own."""
    if playouts is None or not isinstance(bot, _SEARCHING):
        return bot
    return type(bot)(playouts)
