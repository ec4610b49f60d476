"""Lookups for rows that nearly every request reads, with a statement that is built once per process.

The ORM takes longer to build such a query than the database takes to run it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, Generic, NamedTuple, TypeVar

from django.db import connection, models

M = TypeVar("M", bound=models.Model)
Converter = Callable[[Any, Any, Any], Any]


class Joined(NamedTuple):
    """A further table of a statement: rows of `model`, as `alias`, that fulfil the condition `on`, or none if
    `optional`. `source` is the name of a common table expression with the columns of `model`; empty: its table.
    """

    alias: str
    model: type[models.Model]
    on: str
    optional: bool = True
    source: str = ""


class Prepared(Generic[M]):
    """Finds a row of `model` by a unique column, with the row of its foreign key `related`, if given, with rows of
    `joined` tables, and with the values of the expressions `more`.
    """

    def __init__(
        self,
        model: type[M],
        column: str,
        related: str = "",
        joined: Sequence[Joined] = (),
        more: Sequence[str] = (),
    ) -> None:
        self._model, self._column, self._related, self._joined = model, column, related, joined
        self._more = more

    def find(self, value: Any, *, locking: str = "") -> M | None:
        """The row, or None. `locking` is the locking clause."""
        rows = self.rows(value, locking=locking)
        if not rows:
            return None
        if self._related:
            setattr(rows[0][0], self._related, rows[0][1])
        found: M = rows[0][0]
        return found

    def rows(
        self, value: Any, *parameters: Any, locking: str = "", before: str = ""
    ) -> list[tuple[Any, ...]]:
        """The rows: the first model, the same in all, then that of `related`, if given, those of `joined`, None where
        nothing fulfils the condition, and the values of `more`.

        `parameters` are those of `before`, `more`, and the conditions, in this order, as the database stores them.
        `locking` is the locking clause, `before` a WITH clause.
        """
        sql, parts = self._statement
        with connection.cursor() as cursor:
            cursor.execute(
                f"{before} {sql} {locking}",
                [*parameters, self._field(self._column).get_db_prep_value(value, connection)],
            )
            rows = cursor.fetchall()
        if not rows:
            return []
        first, *others = parts
        found, end = first.instance(rows[0]), parts[-1].end
        return [(found, *(part.instance(row) for part in others), *row[end:]) for row in rows]

    def _field(self, name: str) -> Any:
        return self._model._meta.get_field(name)

    @cached_property
    def _tables(self) -> list[Joined]:
        table = self._model._meta.db_table
        tables = [Joined(table, self._model, "")]
        if self._related:
            foreign = self._field(self._related)
            other = foreign.related_model._meta
            on = f'"{other.db_table}"."{other.pk.column}" = "{table}"."{foreign.column}"'
            tables.append(Joined(other.db_table, foreign.related_model, on, foreign.null))
        return [*tables, *self._joined]

    @cached_property
    def _statement(self) -> tuple[str, list[_Part]]:
        parts, names = list[_Part](), list[str]()
        for alias, model, *_ in self._tables:
            columns = [field.get_col(alias) for field in model._meta.concrete_fields]
            parts.append(_Part(model, len(names), columns))
            names += [f'"{alias}"."{column.target.column}"' for column in columns]
        names += self._more
        joins = "".join(
            f' {"LEFT " if optional else ""}JOIN "{source or model._meta.db_table}" AS "{alias}" ON {on}'
            for alias, model, on, optional, source in self._tables[1:]
        )
        table = self._model._meta.db_table
        where = f'"{table}"."{self._field(self._column).column}" = %s'
        return f'SELECT {", ".join(names)} FROM "{table}"{joins} WHERE {where}', parts  # noqa: S608  # own names


class _Part:
    """The columns of one table, and the converters from database values to Python values."""

    def __init__(self, model: type[models.Model], start: int, columns: Sequence[Any]) -> None:
        self._model, self._start, self.end = model, start, start + len(columns)
        self._names = [column.target.attname for column in columns]
        self._key = self._names.index(model._meta.pk_fields[0].attname)
        self._converters: list[tuple[int, Converter]] = [
            (index, convert)
            for index, column in enumerate(columns)
            for convert in (*connection.ops.get_db_converters(column), *column.get_db_converters(connection))
        ]

    def instance(self, row: Sequence[Any]) -> Any:
        """The model of this row; None if no row was joined."""
        values = list(row[self._start : self.end])
        if values[self._key] is None:
            return None
        for index, convert in self._converters:
            values[index] = convert(values[index], None, connection)
        return self._model.from_db(connection.alias, self._names, values)
