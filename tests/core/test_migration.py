"""Operations of migrations leave a table to others, and can be repeated."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import IntegrityError, connection, connections, models, transaction
from django.db.migrations import CreateModel
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ProjectState

from core import migration
from core.migration import AddColumn, AddIndexConcurrently, AddUniqueConcurrently, with_short_locks

pytestmark = [pytest.mark.both_databases, pytest.mark.django_db(transaction=True)]

TABLE = "core_scratch"
COLOUR = AddColumn(
    "scratch",
    "colour",
    models.CharField(max_length=5, db_default="red"),
    check=models.CheckConstraint(condition=models.Q(colour__in=["red", "black"]), name="scratch_colour"),
)
SIZE = AddColumn("scratch", "size", models.PositiveIntegerField(null=True))

Apply = Callable[[Operation], None]


@pytest.fixture
def apply() -> Iterator[Apply]:
    """Apply operations, one after the other, to a table that has a row; each as if the earlier ones had been new."""
    state = ProjectState()
    CreateModel("Scratch", [("number", models.IntegerField(primary_key=True))]).state_forwards("core", state)
    sql(f"CREATE TABLE {TABLE} (number integer NOT NULL PRIMARY KEY)")
    sql(f"INSERT INTO {TABLE} VALUES (1)")

    def applied(operation: Operation) -> None:
        before = state.clone()
        if (
            not isinstance(operation, AddColumn)
            or operation.name not in state.models["core", "scratch"].fields
        ):
            operation.state_forwards("core", state)
        with editor() as schema:
            operation.database_forwards("core", schema, before, state)

    yield applied
    sql(f"DROP TABLE {TABLE}")


def editor() -> Any:
    return connection.schema_editor(atomic=False)


def sql(statement: str) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement)
        return cursor.fetchall() if cursor.description else []


def constraints() -> dict[str, Any]:
    with connection.cursor() as cursor:
        return dict(connection.introspection.get_constraints(cursor, TABLE))


def test_a_column_has_its_value_and_its_checks(apply: Apply) -> None:
    for operation in (COLOUR, SIZE, COLOUR, SIZE):  # the second time after an interruption
        apply(operation)
    assert sql(f"SELECT * FROM {TABLE}") == [(1, "red", None)]
    for values, check in (
        ("(2, 'blue', 1)", "scratch_colour"),
        ("(2, 'black', -1)", "core_scratch_size_check"),
    ):
        with pytest.raises(IntegrityError, match=check):
            sql(f"INSERT INTO {TABLE} VALUES {values}")


@pytest.mark.sqlite
def test_sqlite_copies_no_table(apply: Apply) -> None:
    sent: list[str] = []

    def record(execute: Any, statement: str, *rest: Any) -> Any:
        sent.append(statement)
        return execute(statement, *rest)

    with connection.execute_wrapper(record):
        for operation in (COLOUR, SIZE):
            apply(operation)
    assert [one for one in sent if one.startswith("ALTER TABLE")]
    assert [one for one in sent if one.startswith(("CREATE TABLE", "DROP TABLE", "INSERT"))] == []


@pytest.mark.postgres
def test_a_check_of_an_interrupted_migration_is_validated(apply: Apply) -> None:
    apply(COLOUR)
    sql(f"ALTER TABLE {TABLE} DROP CONSTRAINT scratch_colour")
    sql(f"ALTER TABLE {TABLE} ADD CONSTRAINT scratch_colour CHECK (colour IN ('red', 'black')) NOT VALID")
    apply(COLOUR)
    valid = sql("SELECT convalidated FROM pg_constraint WHERE conname = 'scratch_colour'")
    assert valid == [(True,)]


def test_an_index_is_made_once(apply: Apply) -> None:
    apply(SIZE)
    index = AddIndexConcurrently("scratch", models.Index(fields=["size"], name="scratch_size"))
    apply(index)
    apply(index)
    assert constraints()["scratch_size"]["columns"] == ["size"]


@pytest.mark.postgres
def test_an_index_that_could_not_be_finished_is_made_again(apply: Apply) -> None:
    apply(SIZE)
    sql(f"INSERT INTO {TABLE} VALUES (2, 7), (3, 7)")
    unique = AddUniqueConcurrently(
        "scratch",
        models.UniqueConstraint(
            fields=["size"], condition=models.Q(size__isnull=False), name="scratch_one_size"
        ),
    )
    with pytest.raises(IntegrityError):
        apply(unique)
    sql(f"DELETE FROM {TABLE} WHERE number = 3")
    apply(unique)
    assert sql("SELECT indisvalid FROM pg_index WHERE indexrelid = 'scratch_one_size'::regclass") == [(True,)]
    with pytest.raises(IntegrityError):
        sql(f"INSERT INTO {TABLE} VALUES (4, 7)")


# --- locks ---


def take_lock() -> None:
    sql(f"LOCK TABLE {TABLE} IN ACCESS EXCLUSIVE MODE")


@pytest.mark.postgres
def test_a_migration_gives_way_until_a_long_transaction_has_ended(
    apply: Apply, monkeypatch: pytest.MonkeyPatch
) -> None:
    gave_way = threading.Event()
    monkeypatch.setattr(migration, "LOCK_TIMEOUT", 0.2)
    monkeypatch.setattr(migration, "PAUSE", 0.2)
    monkeypatch.setattr(migration, "_oldest_transaction", lambda: gave_way.set())
    with ThreadPoolExecutor(2) as threads:
        with transaction.atomic():
            sql(f"SELECT * FROM {TABLE}")  # a dump, which reads the table
            migrating = threads.submit(with_short_locks, take_lock)
            assert gave_way.wait(60)
            gave_way.clear()
            threads.submit(sql, f"INSERT INTO {TABLE} VALUES (2)").result(60)
            assert gave_way.wait(60)
            assert not migrating.done()
        migrating.result(60)
        for closing in [threads.submit(connections.close_all) for _ in range(2)]:
            closing.result()
    assert len(sql(f"SELECT * FROM {TABLE}")) == 2


@pytest.mark.postgres
def test_a_migration_that_never_has_its_lock_names_the_oldest_transaction(
    apply: Apply, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(migration, "LOCK_TIMEOUT", 0.1)
    monkeypatch.setattr(migration, "TRIES", 2)
    monkeypatch.setattr(migration, "PAUSE", 0)
    with ThreadPoolExecutor(1) as thread:
        with transaction.atomic():
            sql(f"SELECT * FROM {TABLE}")
            [(own,)] = sql("SELECT pg_backend_pid()")
            with pytest.raises(migration.LocksRefused, match=f"process {own} of "):
                thread.submit(with_short_locks, take_lock).result()
        thread.submit(connections.close_all).result()
