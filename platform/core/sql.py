"""Hand-written SQL for frequent queries, for which building a query takes longer than running it, and savepoints."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any
from uuid import UUID

from django.db import connection, transaction
from django.db.models import Model


def select(model: type[Model]) -> str:
    """Return a SELECT of all columns for `raw`, without a condition."""
    columns = ", ".join(str(field.column) for field in model._meta.concrete_fields)
    return f"SELECT {columns} FROM {model._meta.db_table}"  # noqa: S608 (names of our own)


def locking() -> str:
    """Return the locking clause of a SELECT. SQLite has one writer anyway."""
    return "FOR NO KEY UPDATE" if connection.vendor == "postgresql" else ""


def stored(id: UUID | None) -> UUID | str | None:
    """Return an id as the database stores it."""
    return id if id is None or connection.vendor == "postgresql" else id.hex


def among(column: str, values: Sequence[Any]) -> tuple[str, list[Any]]:
    """Return a condition with its parameters: one array parameter if the database supports it.

    PostgreSQL needs ten milliseconds to prepare a statement with five hundred placeholders, more than to run it.
    """
    if connection.vendor == "postgresql":
        return f"{column} = ANY(%s)", [list(values)]
    return f"{column} IN ({', '.join(['%s'] * len(values))})", list(values)


def in_one_transaction() -> AbstractContextManager[None]:
    """Open a transaction unless one is open. For code that writes nothing before it refuses, or whose caller then
    aborts.

    An error aborts the caller's transaction too, unless nothing was written and no statement failed.
    """
    return nullcontext() if connection.in_atomic_block else transaction.atomic()


def savepoint() -> AbstractContextManager[None]:
    """Open a savepoint for a single statement that may fail, if a transaction is open."""
    return transaction.atomic() if connection.in_atomic_block else nullcontext()
