"""The bots of each game, by name."""

from __future__ import annotations

from dataclasses import replace

from games.bots.protocol import Bot, Searching, UnknownBot
from games.rules.protocol import UnknownGame
from games.rules.registry import manifest

DEFAULT = "steady"

BEST = ("strong", DEFAULT)


def get(slug: str, name: str = DEFAULT) -> Bot:
    """Return the bot of that name. Raises UnknownBot."""
    for bot in _of(slug):
        if bot.name == name:
            return bot
    raise UnknownBot(f"no bot {name!r} plays {slug}; there are {', '.join(names(slug)) or 'none'}")


def names(slug: str) -> list[str]:
    return [bot.name for bot in _of(slug)]


def _of(slug: str) -> tuple[Bot, ...]:
    try:
        return manifest(slug).bots
    except UnknownGame:
        return ()


def hint(slug: str) -> Bot | None:
    """Return the bot that gives the hints of a game, its strongest one; None if the game has no hints.

    It is given the observation of the player who requests the hint, and knows no more.
    """
    known = names(slug) if manifest(slug).hints else []
    return next((get(slug, name) for name in BEST if name in known), None)


def thinking(bot: Bot, playouts: int | None) -> Bot:
    """Return the bot with another playout budget if it searches; None keeps its own."""
    return bot if playouts is None or not isinstance(bot, Searching) else replace(bot, playouts=playouts)
