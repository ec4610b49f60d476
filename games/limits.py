"""How long a table waits: before it is started, and between the moves of one that is."""

from __future__ import annotations

from datetime import timedelta

UNSTARTED = timedelta(hours=24)
"""Then a table that was not started is voided."""

IDLE = timedelta(hours=24)
"""Then the server plays for who is absent: a game of Vegas is collected, an abandoned race is drawn to its end."""

_IDLE_OF = {"racing-aces": timedelta(hours=1)}


def idle(rules: str) -> timedelta:
    return _IDLE_OF.get(rules, IDLE)
