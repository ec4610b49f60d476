"""The games of this release, by slug and version. Changed rules are a new version; the old one remains."""

from __future__ import annotations

from typing import Any

from games.rules.ace_race import AceRace
from games.rules.forms import RULING
from games.rules.idle_aces import IdleAces
from games.rules.protocol import Game, MatchRules, Ruling, Searchable, UnknownGame
from games.rules.racing_aces.game import RacingAces
from games.rules.racing_demons import RacingDemons
from games.rules.refusals import CODES, GENERAL
from games.rules.vegas_solitaire import VegasSolitaire

_GAMES: dict[str, dict[int, Game]] = {}


def _register(*games: Searchable) -> None:
    for game in games:
        _GAMES.setdefault(game.slug, {})[game.version] = game


_register(RacingAces(), VegasSolitaire(), IdleAces(), AceRace(), RacingDemons())


def get(slug: str, version: int | None = None) -> Game:
    """Return the game with that slug, in its newest version by default. Raises UnknownGame."""
    versions = _GAMES.get(slug)
    if versions is None:
        raise UnknownGame(f"no game {slug!r}; there are {', '.join(_GAMES)}")
    if version is None:
        return versions[max(versions)]
    if version not in versions:
        raise UnknownGame(f"no version {version} of {slug}; there are {', '.join(map(str, versions))}")
    return versions[version]


def match_rules(slug: str) -> MatchRules:
    """Return the match rules. Raises UnknownGame, also for a game without matches."""
    found = get(slug).match_rules
    if found is None:
        raise UnknownGame(f"{slug} is not played in matches")
    return found


def most_seats() -> int:
    """Return the number of seats of the largest table."""
    return max(max(game.seats) for versions in _GAMES.values() for game in versions.values())


def catalogue() -> list[dict[str, Any]]:
    """Return the newest version of every game with its seats, schemas, and rulings, as JSON values."""
    return [_document(versions[max(versions)], sorted(versions)) for versions in _GAMES.values()]


def _document(game: Game, versions: list[int]) -> dict[str, Any]:
    return {
        "slug": game.slug,
        "name": game.name,
        "version": game.version,
        "versions": versions,
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
            {"code": code, "meaning": about.meaning, "malformed": about.malformed}
            for code, about in CODES.items()
        ],
    }


def options(game: Game) -> dict[str, Ruling]:
    """Return the config keys under which a finished game can be judged differently, each with its ruling."""
    rulings = {ruling.key: ruling for ruling in game.rulings}
    keys: dict[str, dict[str, Any]] = game.config_schema["properties"]
    return {key: rulings[schema[RULING]] for key, schema in keys.items() if RULING in schema}


def _decided_by(ruling: Ruling) -> dict[str, Any]:
    document = ruling.document()
    return {"ruling": document.pop("key"), **document}
