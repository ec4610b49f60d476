"""Tampering with the database of an installation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection

from tests.tampering import tamper


@pytest.fixture
def tampered() -> Callable[..., None]:
    """tampered(sql, *values, game): run a statement without the triggers. The id of the game is its last value."""

    def run(sql: str, *parameters: Any) -> None:
        *values, game = parameters
        key = game.pk.hex if connection.vendor == "sqlite" else game.pk
        tamper(sql, *values, key)

    return run
