"""The secrets of the environment, which no output of the doctor contains."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import suppress
from urllib.parse import unquote, urlsplit

from config.logs import HIDDEN

ADDRESSES = ("DATABASE_URL", "RACECARD_DATABASE_DIRECT_URL", "RACECARD_REPLICA_URL", "REDIS_URL", "EMAIL_URL")
"""Variables whose value is a URL that may contain a password."""


def without_secrets(text: str) -> str:
    """The text with the value of each secret replaced: a library may quote one in an error."""
    for secret in sorted(_secrets(), key=len, reverse=True):
        text = text.replace(secret, HIDDEN)
    return text


def _secrets() -> Iterator[str]:
    for name in ADDRESSES:
        value = os.environ.get(name, "")
        with suppress(ValueError):
            if password := urlsplit(value).password:
                yield from (value, password, unquote(password))
    if key := os.environ.get("RACECARD_SECRET_KEY"):
        yield key
    with suppress(ValueError, AttributeError, TypeError):
        for provider in json.loads(os.environ.get("RACECARD_OIDC", "[]")):
            if secret := provider.get("secret"):
                yield secret
