"""Processes of the earlier version write to a migrated database until they are reloaded."""

from __future__ import annotations

import inspect
from collections.abc import Iterator

from django.db.migrations.loader import MigrationLoader
from django.db.migrations.operations import AddField


def added() -> Iterator[tuple[str, AddField]]:
    for (app, name), migration in MigrationLoader(None).disk_migrations.items():
        if "site-packages" in inspect.getfile(type(migration)):
            continue
        for operation in migration.operations:
            if isinstance(operation, AddField):
                yield f"{app}.{name}: {operation.model_name}.{operation.name}", operation


def test_every_added_column_has_a_value_where_an_insert_does_not_name_it() -> None:
    fields = dict(added())
    assert any(name.endswith("gamerecord.bot_pace") for name in fields)
    assert [
        name for name, one in fields.items() if not one.field.null and not one.field.has_db_default()
    ] == []
