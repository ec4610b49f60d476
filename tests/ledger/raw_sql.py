"""Attacks with direct SQL, for any table."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import pytest
from django.db import DatabaseError, connection, transaction


def run(sql: str, *values: Any) -> None:
    stored = [
        value.hex if isinstance(value, UUID) and connection.vendor == "sqlite" else value for value in values
    ]
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(sql, stored)


def refused(sql: str, *values: Any) -> None:
    with pytest.raises(DatabaseError):
        run(sql, *values)


def assert_nothing_is_removed(table: str) -> None:
    refused(f"DELETE FROM {table}")
    if connection.vendor == "postgresql":
        refused(f"TRUNCATE {table} CASCADE")


def assert_nothing_is_replaced(table: str, *, recursive: str) -> None:
    """Try REPLACE. On SQLite this is done with and without recursive triggers, which REPLACE fires on deletion."""
    with connection.cursor() as cursor:
        cursor.execute(f"PRAGMA recursive_triggers = {recursive}")
    try:
        refused(f"REPLACE INTO {table} SELECT * FROM {table}")
    finally:
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA recursive_triggers = ON")
