"""Operations of migrations during which others read and write, and the base class of initial migrations.

On a table that grows, a migration adds columns, indexes, and constraints with the operations of this module. They
belong in a migration with `atomic = False`, because PostgreSQL keeps a lock until its transaction ends. Each does
nothing if its result exists, so that a migration that was interrupted can be run again.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

import structlog
from django.db import OperationalError, connection, migrations, transaction
from django.db.models import CheckConstraint, Field, UniqueConstraint

from core.transient import was_rolled_back

log = structlog.get_logger(__name__)
T = TypeVar("T")

LOCK_TIMEOUT = 1.0
"""Seconds for which a statement waits for a lock on PostgreSQL. All that others send to the table waits as long."""

TRIES, PAUSE = 120, 4.0
"""How often a transaction is tried, and the seconds before it is tried again."""


class LocksRefused(OperationalError):
    """Another transaction held a table for longer than a migration waits."""


def with_short_locks(work: Callable[[], T]) -> T:
    """Do `work` in a transaction that waits only shortly for each lock, and again until it has had its locks.

    A statement that waits for the lock of a table stops all later statements on that table, even reads. If a long
    transaction holds the table, such as a dump, they would wait until it ends. Raises LocksRefused. In a transaction of
    the caller the work is tried once.
    """
    if connection.in_atomic_block or connection.vendor != "postgresql":
        with transaction.atomic():
            return work()
    for attempt in range(TRIES):
        try:
            with transaction.atomic(), connection.cursor() as cursor:
                cursor.execute(f"SET LOCAL lock_timeout = '{round(LOCK_TIMEOUT * 1000)}ms'")
                return work()
        except OperationalError as error:
            if not was_rolled_back(error):
                raise
            log.warning("migration_waits_for_a_lock", attempt=attempt + 1, oldest=_oldest_transaction())
        time.sleep(PAUSE)
    raise LocksRefused(
        f"A table was in use at each of {TRIES} attempts. Nothing of this step was changed. End the oldest transaction "
        f"({_oldest_transaction()}), then migrate again."
    )


def _oldest_transaction() -> str:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT format('process %s of %s, since %s', pid, usename, date_trunc('second', xact_start)) "
            "FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() "
            "AND xact_start IS NOT NULL ORDER BY xact_start LIMIT 1"
        )
        found = cursor.fetchone()
    return str(found[0]) if found else "which has ended"


class AddColumn(migrations.AddField):
    """Add a column, and `check` on it, without blocking others while the table is read or copied.

    A column that may not be null needs a `db_default`. SQLite copies a table to add a check, but not to add a column
    that has one. PostgreSQL reads the table to add a check, and blocks writes meanwhile unless it validates the check
    afterwards.
    """

    def __init__(
        self, model_name: str, name: str, field: Field[Any, Any], check: CheckConstraint | None = None
    ) -> None:
        super().__init__(model_name, name, field)
        self.check = check

    def deconstruct(self) -> tuple[str, Sequence[Any], dict[str, Any]]:
        name, positional, named = super().deconstruct()
        return name, positional, {**named, **({"check": self.check} if self.check else {})}

    def state_forwards(self, app_label: str, state: Any) -> None:
        super().state_forwards(app_label, state)
        if self.check:
            state.add_constraint(app_label, self.model_name_lower, self.check)

    def database_forwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        model = to_state.apps.get_model(app_label, self.model_name)
        field = model._meta.get_field(self.name)
        checks = dict(self._checks(model, field, schema_editor))
        table = schema_editor.quote_name(model._meta.db_table)
        if not _has_column(schema_editor.connection, model._meta.db_table, field.column):
            if field.null and not checks:  # Django adds it in the same way, also with a foreign key
                with_short_locks(
                    lambda: super(AddColumn, self).database_forwards(
                        app_label, schema_editor, from_state, to_state
                    )
                )
            else:
                with_short_locks(lambda: _add_column(schema_editor, table, model, field, checks))
        if schema_editor.connection.vendor == "postgresql":
            for name in checks:  # no effect if it is valid
                schema_editor.execute(f"ALTER TABLE {table} VALIDATE CONSTRAINT {name}")

    def _checks(self, model: Any, field: Any, schema_editor: Any) -> Iterator[tuple[str, str]]:
        """Yield the quoted name and the SQL of each check."""
        quoted = schema_editor.quote_name
        if condition := field.db_parameters(connection=schema_editor.connection)["check"]:
            # The name that PostgreSQL gives to a check of a column.
            yield quoted(f"{model._meta.db_table}_{field.column}_check"), f"CHECK ({condition})"
        if self.check:
            sql = str(self.check.constraint_sql(model, schema_editor))
            yield quoted(self.check.name), sql.partition(quoted(self.check.name))[2].strip()


def _add_column(schema_editor: Any, table: str, model: Any, field: Any, checks: dict[str, str]) -> None:
    definition, values = schema_editor.column_sql(model, field, include_default=True)
    column = f"ALTER TABLE {table} ADD COLUMN {schema_editor.quote_name(field.column)} {definition}"
    if schema_editor.connection.vendor == "postgresql":
        added = [f"ADD CONSTRAINT {name} {check} NOT VALID" for name, check in checks.items()]
        schema_editor.execute(", ".join([column, *(one.replace("%", "%%") for one in added)]), values or ())
    else:
        added = [f"CONSTRAINT {name} {check}" for name, check in checks.items()]
        schema_editor.execute(" ".join([column, *added]), None)


def _has_column(connection: Any, table: str, column: str) -> bool:
    with connection.cursor() as cursor:
        return any(
            one.name == column for one in connection.introspection.get_table_description(cursor, table)
        )


class AddIndexConcurrently(migrations.AddIndex):
    """Add an index while others write: Django's operation of this name, which also works on SQLite."""

    def database_forwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        model = to_state.apps.get_model(app_label, self.model_name)
        _build(schema_editor, self.index.name, str(self.index.create_sql(model, schema_editor)))


class AddUniqueConcurrently(migrations.AddConstraint):
    """Add a unique constraint with a condition, which is an index, while others write."""

    def __init__(self, model_name: str, constraint: UniqueConstraint) -> None:
        if constraint.condition is None:
            raise TypeError("A unique constraint without a condition is not built concurrently.")
        super().__init__(model_name, constraint)

    def database_forwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        model = to_state.apps.get_model(app_label, self.model_name)
        _build(schema_editor, self.constraint.name, str(self.constraint.create_sql(model, schema_editor)))


def _build(schema_editor: Any, name: str, sql: str) -> None:
    """Build an index. On PostgreSQL one that could not be finished is built again."""
    valid = _validity(schema_editor.connection, name)
    if schema_editor.connection.vendor == "postgresql":
        if valid is False:
            schema_editor.execute(f"DROP INDEX CONCURRENTLY {schema_editor.quote_name(name)}")
        sql = re.sub(r"^CREATE (UNIQUE )?INDEX", r"\g<0> CONCURRENTLY", sql)
    if not valid:
        schema_editor.execute(sql, params=None)


def _validity(connection: Any, name: str) -> bool | None:
    """Return whether an index is valid, and None if there is none."""
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass(%s)", [name])
        else:
            cursor.execute("SELECT 1 FROM sqlite_master WHERE type = 'index' AND name = %s", [name])
        found = cursor.fetchone()
    return None if found is None else bool(found[0])


class InitialMigration(migrations.Migration):
    """Creates the models of one app. Its operations are CreateModel only, each after those it refers to.

    Django's own class rebuilds all related model classes after every operation, which takes most of the time of
    migrating an empty database. No earlier class refers to a new model here, so this class reuses them and builds
    only the new ones, once.
    """

    initial = True

    def apply(self, project_state: Any, schema_editor: Any, collect_sql: bool = False) -> Any:
        before = project_state.clone()
        built = project_state.__dict__.pop("apps", None)  # a cached property
        self.mutate_state(project_state, preserve=False)
        if built is not None:
            project_state.apps = built
            built.render_multiple(
                [model for key, model in project_state.models.items() if key not in before.models]
            )
        for operation in self.operations:
            operation.database_forwards(self.app_label, schema_editor, before, project_state)
        return project_state
