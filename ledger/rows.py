"""Statements written out, for what is asked so often that building a query takes longer than running it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import Model


def select(model: type[Model]) -> str:
    """Of all columns, for `raw`: without a condition yet."""
    columns = ", ".join(str(field.column) for field in model._meta.concrete_fields)
    return f"SELECT {columns} FROM {model._meta.db_table}"  # noqa: S608 (names of our own)


def locking() -> str:
    """At the end of a statement: what it finds is locked until the transaction ends. SQLite has one writer anyway."""
    return "FOR NO KEY UPDATE" if connection.vendor == "postgresql" else ""


def stored(id: UUID | None) -> UUID | str | None:
    """An id as a column of the database keeps it."""
    return id if id is None or connection.vendor == "postgresql" else id.hex


def among(column: str, values: Sequence[Any]) -> tuple[str, list[Any]]:
    """A condition and its parameters: one for all values where the database knows lists.

    A statement of five hundred placeholders is prepared in ten milliseconds, longer than it runs.
    """
    if connection.vendor == "postgresql":
        return f"{column} = ANY(%s)", [list(values)]
    return f"{column} IN ({', '.join(['%s'] * len(values))})", list(values)
