"""Options that several commands have, and what their values mean."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Annotated, Any

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


Seed = Annotated[
    str,
    typer.Option(callback=read_seed, help="Any text; the same seed gives the same results, with any --jobs."),
]
Config = Annotated[
    list[str] | None, typer.Option("--config", metavar="KEY=VALUE", help="The game's config; repeatable.")
]
Jobs = Annotated[int, typer.Option(min=0, max=1024, help="The number of processes; 0: one per core.")]
Data = Annotated[Path | None, typer.Option(help="The folder of the installation's data.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document instead.")]


def connect_directly() -> None:
    """Have this command and its processes connect to the database past the pooler, if there is one."""
    if url := os.environ.get("RACECARD_DATABASE_DIRECT_URL"):
        os.environ |= {"DATABASE_URL": url, "RACECARD_DATABASE_POOLED": "0"}


def use(folder: Path | None) -> None:
    """Set the database before Django is set up: that in the folder, or that of the environment."""
    if folder is not None:
        for name in ("DATABASE_URL", "REDIS_URL"):
            os.environ.pop(name, None)
        os.environ["RACECARD_DATA"] = str(folder)
    os.environ.setdefault("RACECARD_LOG_LEVEL", "WARNING")
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    import django

    django.setup()
