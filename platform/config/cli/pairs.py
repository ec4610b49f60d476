"""Parsing of command line values: a config, a seed."""

from __future__ import annotations

import json
from typing import Any

import typer

from games.rules import ConfigError, Game


def read_config(pairs: list[str]) -> dict[str, Any]:
    """Parse KEY=VALUE, with the value as JSON where it is JSON, otherwise as text. Raises ConfigError."""
    config: dict[str, Any] = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals:
            raise ConfigError(key, "is given as KEY=VALUE")
        try:
            config[key] = json.loads(value)
        except (ValueError, RecursionError):
            config[key] = value
    return config


def suggested(game: Game) -> dict[str, Any]:
    """Default values for the keys that the game's config requires."""
    schema = game.config_schema
    return {
        key: schema["properties"][key]["examples"][0]
        for key in schema["required"]
        if "examples" in schema["properties"][key]
    }


def read_seed(text: str) -> str:
    """Text that can be hashed: a terminal may pass bytes that are not UTF-8. Raises BadParameter."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise typer.BadParameter("is not UTF-8") from None
    return text
