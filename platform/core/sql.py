"""Hand-written SQL for frequent queries, for which building a query takes longer than running it, and savepoints."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, NamedTuple
from uuid import UUID

from django.db import connection, transaction
from django.db.models import BooleanField, Model, QuerySet, Subquery, Value
from django.db.models.functions import Coalesce

from core.commands import Condition


def columns(model: type[Model]) -> str:
    """Return the names of all columns."""
    return ", ".join(str(field.column) for field in model._meta.concrete_fields)


def select(model: type[Model], *more: str) -> str:
    """Return a SELECT of all columns, and of further expressions, for `raw`, without a condition."""
    return f"SELECT {', '.join([columns(model), *more])} FROM {model._meta.db_table}"  # noqa: S608 (names of our own)


def locking() -> str:
    """Return the locking clause of a SELECT. SQLite has one writer anyway."""
    return "FOR NO KEY UPDATE" if connection.vendor == "postgresql" else ""


def exists_for_each(rows: QuerySet[Any]) -> Coalesce:
    """Return the condition that one of the rows exists, which is looked up by an index for each row of the outer query.

    In place of `Exists`, PostgreSQL may first read all rows that fit any outer row, such as all seats of a player.
    """
    found = rows.order_by().annotate(one=Value(True)).values("one")[:1]
    return Coalesce(Subquery(found, output_field=BooleanField()), Value(False))


def stored(id: UUID | None) -> UUID | str | None:
    """Return an id as the database stores it."""
    return id if id is None or connection.vendor == "postgresql" else id.hex


def as_uuid(value: UUID | str) -> UUID:
    """Return an id that a cursor has read. SQLite stores its text."""
    return value if isinstance(value, UUID) else UUID(value)


def hyphened(column: str) -> str:
    """Return an expression for the text of an id with hyphens, from the 32 digits that SQLite stores."""
    parts = (f"substr({column}, {start}, {length})" for start, length in ((1, 8), (9, 4), (13, 4), (17, 4)))
    return " || '-' || ".join([*parts, f"substr({column}, 21)"])


def among(column: str, values: Sequence[Any]) -> tuple[str, list[Any]]:
    """Return a condition with its parameters: one array parameter if the database supports it.

    PostgreSQL needs ten milliseconds to prepare a statement with five hundred placeholders, more than to run it.
    """
    many = len(values) > 500 and all(isinstance(value, str) for value in values)
    if connection.vendor == "postgresql":
        if many and not any("," in value for value in values):
            # psycopg needs longer to quote an array of a thousand digests than the server to find them.
            return f"{column} = ANY(string_to_array(%s, ','))", [",".join(values)]
        return f"{column} = ANY(%s)", [list(values)]
    if many:
        # Older builds of SQLite take at most 999 parameters.
        return f"{column} IN (SELECT value FROM json_each(%s))", [json.dumps(list(values))]  # noqa: S608
    return f"{column} IN ({', '.join(['%s'] * len(values))})", list(values)


def holds(condition: Condition) -> bool:
    """Query a condition by itself."""
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {condition.sql}", condition.parameters)
        return bool(cursor.fetchone()[0])


class Statement(NamedTuple):
    """An INSERT … SELECT without FROM, or an UPDATE, for `write_all`, and its parameters as the database stores them.

    `{after}` in the SQL is the place of the FROM clause.
    """

    sql: str
    parameters: Sequence[Any]


def insertion(row: Model) -> Statement:
    """Return the INSERT of a row whose key the caller has set, unless the database sets it."""
    fields = [field for field in row._meta.concrete_fields if field is not row._meta.pk or row.pk is not None]
    names = ", ".join(f'"{field.column}"' for field in fields)
    return Statement(
        f'INSERT INTO "{row._meta.db_table}" ({names}) SELECT {", ".join(["%s"] * len(fields))}{{after}}',
        [field.get_db_prep_save(field.pre_save(row, True), connection) for field in fields],
    )


def write_all(*statements: Statement) -> bool:
    """Run statements that write a row each, in this order, and each only if the one before it wrote its row. Return
    whether all did.

    One statement on PostgreSQL, where each costs a round trip: every part but the first reads from the part before it,
    so the triggers of a row see the rows of the parts before.
    """
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            *others, last = [
                part.sql.format(after=f" FROM part{number - 1}" if number else "")
                for number, part in enumerate(statements)
            ]
            parts = ", ".join(f"part{number} AS ({sql} RETURNING 1)" for number, sql in enumerate(others))
            values = [value for part in statements for value in part.parameters]
            cursor.execute(f"WITH {parts} {last}" if parts else last, values)
            return bool(cursor.rowcount == 1)
        with in_one_transaction():
            for part in statements:
                cursor.execute(part.sql.format(after=""), part.parameters)
                if cursor.rowcount != 1:
                    return False
            return True


def in_one_transaction() -> AbstractContextManager[None]:
    """Open a transaction unless one is open. For code that writes nothing before it refuses, or whose caller then
    aborts.

    An error aborts the caller's transaction too, unless nothing was written and no statement failed.
    """
    return nullcontext() if connection.in_atomic_block else transaction.atomic()


def savepoint() -> AbstractContextManager[None]:
    """Open a savepoint for a single statement that may fail, if a transaction is open."""
    return transaction.atomic() if connection.in_atomic_block else nullcontext()
