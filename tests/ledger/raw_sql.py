"""Attacks with direct SQL, for any table."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from uuid import UUID

import pytest
from django.db import DatabaseError, connection, models, transaction


def run(sql: str, *values: Any) -> None:
    stored = [
        value.hex if isinstance(value, UUID) and connection.vendor == "sqlite" else value for value in values
    ]
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(sql, stored)


def refused(sql: str, *values: Any) -> None:
    try:
        run(sql, *values)
    except DatabaseError:
        return
    pytest.fail(f"accepted: {sql} {values or ''}")


def changes_refused(table: str, changes: Iterable[str], where: str = "true") -> None:
    """Try each change to the rows of a table."""
    for change in changes:
        refused(f"UPDATE {table} SET {change} WHERE {where}")


def rows_are_kept(*kinds: type[models.Model]) -> None:
    """Try to remove, truncate, and replace the rows of each table, of which there must be some.

    On SQLite REPLACE is tried with and without recursive triggers, which it fires on deletion.
    """
    for kind in kinds:
        table = kind._meta.db_table
        assert kind.objects.exists(), table  # type: ignore[attr-defined]
        refused(f"DELETE FROM {table}")
        if connection.vendor == "postgresql":
            refused(f"TRUNCATE {table} CASCADE")
        else:
            replacements_refused(f"REPLACE INTO {table} SELECT * FROM {table}")


def replacements_refused(sql: str, *values: Any) -> None:
    for recursive in ("OFF", "ON"):  # ON, as connections are, at last
        with connection.cursor() as cursor:
            cursor.execute(f"PRAGMA recursive_triggers = {recursive}")
        refused(sql, *values)
