"""The environment variables of the settings: their names are remembered, and an unreadable value names its variable."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import environ
from django.core.exceptions import ImproperlyConfigured

TIMEOUTS: Mapping[str, Any] = {
    "connect_timeout": 5,
    # A server that vanished is noticed within 15 s, also while its answer is awaited.
    "tcp_user_timeout": 10_000,
    "keepalives_idle": 5,
    "keepalives_interval": 3,
    "keepalives_count": 3,
}
"""Parameters of libpq, without which a client waits for minutes for a server that no longer exists."""


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

    def postgresql(self, var: str, *, pooled: bool) -> dict[str, Any]:
        """The entry of DATABASES for the address in a variable; empty if the variable is not set.

        The parameters of the address, such as `?sslmode=verify-full`, come before those that are set here. With
        `pooled` nothing is set that belongs to a connection of the server: another client has it for the next
        transaction. Raises RuntimeError for the address of another database.
        """
        url = self(var, default="")
        if not url:
            return {}
        database = self.db_url_config(url)
        if database["ENGINE"] != "django.db.backends.postgresql":
            raise RuntimeError(f"{var} must be postgresql://…; leave it unset for the embedded SQLite.")
        given = database.get("OPTIONS", {})
        options = {**TIMEOUTS, "server_side_binding": True, "prepare_threshold": None, **given}
        if not pooled:
            # Planning the append costs more than running it: after some calls a connection caches the plan.
            options["prepare_threshold"] = 5
            # Compiling a statement takes longer than running most of them.
            options["options"] = f"-c synchronous_commit=on -c jit=off {given.get('options', '')}".rstrip()
        return {
            **database,
            "ENGINE": "config.postgresql",
            "CONN_MAX_AGE": None,
            "CONN_HEALTH_CHECKS": True,
            "POOLED": pooled,
            "OPTIONS": options,
        }
