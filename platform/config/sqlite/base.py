from __future__ import annotations

from functools import lru_cache
from typing import Any

from django.db import NotSupportedError
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.backends.sqlite3 import base, schema

LONGEST = 10_000
"""Characters of a text that is cached. Longer ones have many values, and are rarely sent again."""


class DatabaseSchemaEditor(schema.DatabaseSchemaEditor):
    """Also works in a transaction that enforces foreign keys, in which no table can be rebuilt.

    Django's own enforces none, and reads the whole database afterwards to check them.
    """

    def __enter__(self) -> DatabaseSchemaEditor:
        self.enforcing = self.connection.in_atomic_block and self._enforces()
        entered = BaseDatabaseSchemaEditor.__enter__(self) if self.enforcing else super().__enter__()
        assert entered is self
        return self

    def __exit__(self, *raised: Any) -> None:
        if self.enforcing:
            BaseDatabaseSchemaEditor.__exit__(self, *raised)
        else:
            super().__exit__(*raised)

    def _enforces(self) -> bool:
        with self.connection.cursor() as cursor:
            return bool(cursor.execute("PRAGMA foreign_keys").fetchone()[0])

    def _remake_table(self, model: Any, *args: Any, **kwargs: Any) -> None:
        if not self.collect_sql and self.enforcing:
            raise NotSupportedError(
                f"{model._meta.db_table} cannot be rebuilt while foreign keys are enforced."
            )
        super()._remake_table(model, *args, **kwargs)  # type: ignore[misc]  # it has no type


class DatabaseWrapper(base.DatabaseWrapper):
    """Convert the placeholders of a statement once. Django's own cursor does it at each execution."""

    SchemaEditorClass = DatabaseSchemaEditor

    def create_cursor(self, name: str | None = None) -> Any:
        return self.connection.cursor(factory=Cursor)


class Cursor(base.SQLiteCursorWrapper):
    def convert_query(self, query: str, *, param_names: list[str] | None = None) -> str:
        if param_names is not None or len(query) > LONGEST:
            return str(super().convert_query(query, param_names=param_names))
        return _converted(query)


@lru_cache(maxsize=512)
def _converted(query: str) -> str:
    return str(base.FORMAT_QMARK_REGEX.sub("?", query).replace("%%", "%"))
