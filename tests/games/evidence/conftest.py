"""An installation whose database was tampered with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection

from tests.tampering import tamper


@pytest.fixture
def tampered() -> Callable[..., None]:
    """tampered(sql, *values, game): run it without the triggers; the game's id comes last."""

    def run(sql: str, *parameters: Any) -> None:
        *values, game = parameters
        key = game.pk.hex if connection.vendor == "sqlite" else game.pk
        tamper(sql, *values, key)

    return run
