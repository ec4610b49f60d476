"""A config as it is given to a command."""

from __future__ import annotations

import json
from typing import Any

from games.rules import ConfigError


def read_config(pairs: list[str]) -> dict[str, Any]:
    """KEY=VALUE with the value as JSON where it is JSON, as text where it is not. Raises ConfigError."""
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
