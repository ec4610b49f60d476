"""The environment variables of the settings: their names are remembered, and an unreadable value names its variable."""

from __future__ import annotations

from typing import Any

import environ
from django.core.exceptions import ImproperlyConfigured


class Environment(environ.Env):  # type: ignore[misc]  # has no types
    """Raises ImproperlyConfigured with the name of the variable if its value cannot be read."""

    FALSE = ("false", "off", "n", "no", "0", "")

    def __init__(self) -> None:
        super().__init__()
        self.names: set[str] = set()
        """The variables that have been read, set or not."""

    def get_value(self, var: str, *words: Any, **options: Any) -> Any:
        self.names.add(var)
        try:
            return super().get_value(var, *words, **options)
        except (TypeError, ValueError) as error:
            raise ImproperlyConfigured(f"{var} cannot be read: {error}.") from None

    @classmethod
    def parse_value(cls, value: Any, cast: Any) -> Any:
        """As django-environ's, but a switch that is neither on nor off is refused instead of being off."""
        if cast is bool and value.lower() not in (*cls.BOOLEAN_TRUE_STRINGS, *cls.FALSE):
            raise ValueError(f"{value!r} is neither on (1) nor off (0)")
        return super().parse_value(value, cast)
