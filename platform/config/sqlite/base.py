from __future__ import annotations

from functools import lru_cache
from typing import Any

from django.db.backends.sqlite3 import base

LONGEST = 10_000
"""Characters of a text that is cached. Longer ones have many values, and are rarely sent again."""


class DatabaseWrapper(base.DatabaseWrapper):
    """Convert the placeholders of a statement once. Django's own cursor does it at each execution."""

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
