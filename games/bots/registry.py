"""The bots of each game, by name."""

from __future__ import annotations

from games.bots import racing_aces, vegas_solitaire
from games.bots.chance import Chance
from games.bots.protocol import Bot, UnknownBot

DEFAULT = "steady"

_BOTS: dict[str, tuple[Bot, ...]] = {
    "racing-aces": (racing_aces.Steady(), Chance()),
    "vegas-solitaire": (vegas_solitaire.Steady(), Chance()),
}


def get(slug: str, name: str = DEFAULT) -> Bot:
    """Raises UnknownBot."""
    for bot in _BOTS.get(slug, ()):
        if bot.name == name:
            return bot
    raise UnknownBot(f"no bot {name!r} plays {slug}; there are {', '.join(names(slug)) or 'none'}")


def names(slug: str) -> list[str]:
    return [bot.name for bot in _BOTS.get(slug, ())]
