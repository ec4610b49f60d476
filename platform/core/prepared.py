"""Lookups for rows that nearly every request reads, with a statement that is built once per process.

The ORM takes longer to build such a query than the database takes to run it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, Generic, TypeVar

from django.db import connection, models

M = TypeVar("M", bound=models.Model)
Converter = Callable[[Any, Any, Any], Any]


class Prepared(Generic[M]):
    """Finds a row of `model` by a unique column, with the row of its foreign key `related`, if given."""

    def __init__(self, model: type[M], column: str, related: str = "") -> None:
        self._model, self._column, self._related = model, column, related

    def find(self, value: Any) -> M | None:
        sql, converters = self._statement
        with connection.cursor() as cursor:
            cursor.execute(sql, [self._field(self._column).get_db_prep_value(value, connection)])
            row = cursor.fetchone()
        if row is None:
            return None
        values = list(row)
        for index, convert in converters:
            values[index] = convert(values[index], None, connection)
        size = len(self._names[0])
        found = self._model.from_db(connection.alias, self._names[0], values[:size])
        if self._related:
            other = self._models[1].from_db(connection.alias, self._names[1], values[size:])
            setattr(found, self._related, other)
        return found

    @cached_property
    def _models(self) -> list[Any]:
        if not self._related:
            return [self._model]
        return [self._model, self._field(self._related).related_model]

    def _field(self, name: str) -> Any:
        return self._model._meta.get_field(name)

    @cached_property
    def _names(self) -> list[list[str]]:
        return [[field.attname for field in model._meta.concrete_fields] for model in self._models]

    @cached_property
    def _statement(self) -> tuple[str, list[tuple[int, Converter]]]:
        """The statement, and the converters from database values to Python values, by column."""
        columns = [
            field.get_col(model._meta.db_table)
            for model in self._models
            for field in model._meta.concrete_fields
        ]
        named = ", ".join(f'"{column.alias}"."{column.target.column}"' for column in columns)
        table = self._model._meta.db_table
        sql = f'SELECT {named} FROM "{table}" '  # noqa: S608  # names of our own tables
        if self._related:
            foreign, other = self._field(self._related), self._models[1]._meta
            sql += f'JOIN "{other.db_table}" ON "{other.db_table}"."{other.pk.column}" = "{table}"."{foreign.column}" '
        sql += f'WHERE "{table}"."{self._field(self._column).column}" = %s'
        converters = [
            (index, convert)
            for index, column in enumerate(columns)
            for convert in (*connection.ops.get_db_converters(column), *column.get_db_converters(connection))
        ]
        return sql, converters
