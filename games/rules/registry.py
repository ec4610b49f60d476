"""The registered games, by slug and version: this project's, and those of plug-ins (entry points `racecard.games`)."""

from __future__ import annotations

from functools import cache
from typing import Any

from games.rules import plugins
from games.rules.forms import RULING
from games.rules.manifest import Manifest
from games.rules.protocol import Game, MatchRules, UnknownGame
from games.rules.refusals import CODES, GENERAL, Ruling


@cache
def manifests() -> dict[str, Manifest]:
    """Return the manifests by slug, those of this project first. Raises PluginError."""
    found = plugins.load(plugins.GAMES, Manifest)
    if not found:
        raise plugins.PluginError("no games are installed: install the project's metadata (`make setup`)")
    tables: set[str] = set()
    for slug, about in found.items():
        for table in about.stakes.tables if about.stakes else ():
            if not plugins.is_name(table) or table in tables:
                raise plugins.PluginError(
                    f"{table!r} is no stake table of {slug}: a malformed name, or taken"
                )
            tables.add(table)
    return found


def manifest(slug: str) -> Manifest:
    """Return the manifest of a game. Raises UnknownGame."""
    known = manifests()
    if slug not in known:
        raise UnknownGame(f"no game {slug!r}; there are {', '.join(known)}")
    return known[slug]


def get(slug: str, version: int | None = None) -> Game:
    """Return the rules of that slug, in their newest version by default. Raises UnknownGame."""
    found = manifest(slug)
    return found.newest if version is None else found.rules(version)


def match_rules(slug: str) -> MatchRules:
    """Return the match rules. Raises UnknownGame, also for a game without matches."""
    found = get(slug).match_rules
    if found is None:
        raise UnknownGame(f"{slug} is not played in matches")
    return found


def most_seats() -> int:
    """Return the number of seats of the largest table."""
    return max(max(game.seats) for about in manifests().values() for game in about.versions)


def names() -> list[tuple[str, str]]:
    """Return the slug and the name of every game."""
    return [(slug, about.newest.name) for slug, about in manifests().items()]


def title(slug: str) -> str:
    """Return the name of a game for people. That of a removed plug-in is made from the slug."""
    about = manifests().get(slug)
    return str(about.newest.name) if about else slug.replace("-", " ").capitalize()


def catalogue() -> list[dict[str, Any]]:
    """Return the newest version of every game with its seats, schemas, and rulings, as JSON values."""
    return [_document(about) for about in manifests().values()]


def _document(about: Manifest) -> dict[str, Any]:
    game = about.newest
    return {
        "slug": game.slug,
        "name": game.name,
        "version": game.version,
        "versions": [rules.version for rules in about.versions],
        "seats": list(game.seats),
        "config_schema": game.config_schema,
        "move_schema": game.move_schema,
        "rulings": [ruling.document() for ruling in game.rulings],
        "options": [
            {"key": key, "schema": game.config_schema["properties"][key], **_decided_by(ruling)}
            for key, ruling in options(game).items()
        ],
        "general": [ruling.document() for ruling in GENERAL],
        "refusals": [
            {"code": code, "meaning": refusal.meaning, "malformed": refusal.malformed}
            for code, refusal in CODES.items()
        ],
        **about.document(),
    }


def options(game: Game) -> dict[str, Ruling]:
    """Return the config keys under which a finished game can be judged differently, each with its ruling."""
    rulings = {ruling.key: ruling for ruling in game.rulings}
    keys: dict[str, dict[str, Any]] = game.config_schema["properties"]
    return {key: rulings[schema[RULING]] for key, schema in keys.items() if RULING in schema}


def _decided_by(ruling: Ruling) -> dict[str, Any]:
    document = ruling.document()
    return {"ruling": document.pop("key"), **document}
