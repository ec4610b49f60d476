"""An earlier version reads and writes while the database is migrated, and until its processes are reloaded."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
from django.db import connection
from django.db.migrations import Migration, operations
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from django.db.migrations.state import ProjectState

from config.management.commands.migrate import Executor, Step
from core.migration import AddColumn, AddIndexConcurrently, AddUniqueConcurrently
from tests.installation import Installation, installation

LOCKING = (
    operations.AddField,
    operations.AlterField,
    operations.AddIndex,
    operations.AddConstraint,
    operations.AlterUniqueTogether,
)
"""Operations that may read or copy a table while nobody can write to it."""

ONLINE = (AddColumn, AddIndexConcurrently, AddUniqueConcurrently)


def later() -> Iterator[tuple[str, Migration]]:
    """Yield our own migrations that a database with data is to be brought through."""
    for (app, name), migration in MigrationLoader(None).disk_migrations.items():
        if "site-packages" not in inspect.getfile(type(migration)) and not migration.initial:
            yield f"{app}.{name}", migration


def test_every_added_column_has_a_value_where_an_insert_does_not_name_it() -> None:
    fields = {
        f"{name}: {one.model_name}.{one.name}": one.field
        for name, migration in later()
        for one in migration.operations
        if isinstance(one, operations.AddField)
    }
    assert any(name.endswith("gamerecord.bot_pace") for name in fields)
    assert [name for name, field in fields.items() if not field.null and not field.has_db_default()] == []


def test_no_migration_keeps_others_from_writing_to_a_table_that_grows() -> None:
    """Every table that a migration has not itself created counts as one that grows."""
    found = []
    for name, migration in later():
        made = {one.name_lower for one in migration.operations if isinstance(one, operations.CreateModel)}
        for one in migration.operations:
            if isinstance(one, LOCKING) and one.model_name_lower not in made and not isinstance(one, ONLINE):
                found.append(f"{name}: {one.describe()}; use an operation of core.migration")
            if isinstance(one, ONLINE) and migration.atomic and not _is_short(one):
                found.append(f"{name}: {one.describe()}; set atomic = False")
    assert found == []


def _is_short(operation: operations.base.Operation) -> bool:
    """Whether an operation reads no table, so that its lock may last until the migration ends."""
    return isinstance(operation, AddColumn) and operation.check is None


UPGRADE = dedent("""
    import django
    django.setup()
    from django.apps import apps
    from django.core.management import call_command
    from django.db import connection
    from django.db.migrations.state import StateApps
    from config.management.commands.migrate import Executor

    def is_ours(app):
        return "site-packages" not in apps.get_app_config(app).path

    executor = Executor(connection)
    known = executor.loader.graph.leaf_nodes()
    executor.migrate([(app, "0001_initial" if is_ours(app) else last) for app, last in known])
    assert not Executor(connection).loader.applied_migrations.keys() >= set(known)

    built = StateApps.render_multiple
    def render(registry, states):
        assert not connection.in_atomic_block, "models are built while the locks are held"
        built(registry, states)
    StateApps.render_multiple = render

    def sent(execute, sql, *rest):
        assert connection.vendor != "sqlite" or not sql.startswith(("DROP TABLE", 'CREATE TABLE "new__')), sql
        return execute(sql, *rest)
    with connection.execute_wrapper(sent):
        call_command("migrate", verbosity=0)
    assert Executor(connection).loader.applied_migrations.keys() >= set(known)
""")
"""Brings an empty database to the initial migrations, and then up to date."""


@pytest.mark.both_databases
@pytest.mark.processes
def test_locks_are_held_for_statements_alone_and_no_table_is_rebuilt(tmp_path: Path) -> None:
    with installation(Installation(tmp_path / "site")) as site:
        (site.folder / "data").mkdir(parents=True)
        site.environment["DJANGO_SETTINGS_MODULE"] = "config.settings"
        site.run("-c", UPGRADE)
        site.manage("migrate", "--check")


@pytest.mark.both_databases
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("atomic", [True, None])
def test_an_atomic_operation_of_a_migration_that_is_not_is_undone_whole(atomic: bool | None) -> None:
    class Filling(Migration):
        atomic = False

    def fill(*_: Any) -> None:
        MigrationRecorder(connection).record_applied("jobs", "half")
        raise ValueError

    step = Step(operations.RunPython(fill, atomic=atomic), ProjectState(), ProjectState())
    with pytest.raises(ValueError):
        Executor(connection)._carry_out(Filling("whole", "jobs"), [step])
    applied = MigrationRecorder(connection).applied_migrations()
    assert (("jobs", "half") in applied) is (atomic is None)
    MigrationRecorder(connection).record_unapplied("jobs", "half")
