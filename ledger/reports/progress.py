"""How far the rollups have come, and what those that read and write them share."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Any

from django.db import connection

from eventstore.store import Position
from ledger.reports.models import RollupProgress

EVER = date.min
"""The day of the rollups of all days."""


def reached(zone: str | None = None) -> Position | None:
    """Return the last transfer in the rollups; None without rollups, or without those of this time zone."""
    found = RollupProgress.objects.first()
    if found is None or zone not in (None, found.zone):
        return None
    return Position(found.epoch, found.xact, found.position)


def date_text(day: date) -> str:
    """Return a day as SQL."""
    return f"DATE '{day}'" if connection.vendor == "postgresql" else f"'{day}'"


def utc_day(column: str) -> str:
    """Return SQL for the day of an instant in UTC."""
    return f"({column} AT TIME ZONE 'UTC')::date" if connection.vendor == "postgresql" else f"date({column})"


def numbers(count: int) -> str:
    """Return SQL for the first columns of a statement, such as in `GROUP BY 1, 2`."""
    return ", ".join(str(number) for number in range(1, count + 1))


def execute(sql: str, given: Sequence[Any]) -> None:
    with connection.cursor() as cursor:
        cursor.execute(sql, given)
