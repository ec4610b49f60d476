"""A pytest plugin: selects the database of each test, and makes and empties the test database.

A test runs once, on SQLite, unless it is marked:

- `both_databases`: it depends on the database, so it runs on SQLite and on PostgreSQL with Valkey;
- `sqlite`, `postgres`: it runs there only;
- a transactional test (`django_db(transaction=True)`) is about locks, threads or commits: without another mark it runs
  on PostgreSQL.

`make test` sets RACECARD_TEST_DATABASE and so selects; `make nightly`, `make one`, and pytest run directly leave out
only what cannot run there.
A test whose own code sends SQL must run on both or name one; otherwise `check_own_sql` fails it.

`shared` makes a fixture whose rows are written once for all tests of a module that only start from them.
"""

from __future__ import annotations

import contextlib
import copy
import os
import sqlite3
import sys
from collections.abc import Callable, Iterator
from itertools import groupby
from pathlib import Path, PurePath
from typing import Any, Generic, TypeVar

import pytest
from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, connection, connections, transaction
from django.db.backends import utils
from django.test import TransactionTestCase
from psycopg.sql import SQL, Identifier
from pytest_django.plugin import blocking_manager_key

from core import triggers
from tests import templates
from tests.grown import Grown, described
from tools.suite import ALL, POSTGRESQL, SQLITE
from tools.worker_services import DATABASE

HERE = str(Path(__file__).resolve().parent)


class NotATestDatabase(RuntimeError):
    """An operation for tests was called on another database."""


def require_test_database(using: str = DEFAULT_DB_ALIAS) -> None:
    """Raise NotATestDatabase unless the database has the name of one (`test_…`, `racecard-test-…`)."""
    name = PurePath(str(connections[using].settings_dict["NAME"])).name
    if not name.startswith(("test_", "racecard-test-", "file:memorydb_")):
        raise NotATestDatabase(f"{name} is not a test database")


def server_url() -> str | None:
    """The address of PostgreSQL itself, where databases are copied, which no pooler may keep open."""
    return os.environ.get("RACECARD_DATABASE_DIRECT_URL") or os.environ.get("DATABASE_URL")


def databases(item: pytest.Item) -> set[str]:
    """The vendors on which `make test` runs the test."""
    marks = {mark.name for mark in item.iter_markers()}
    if "browser" in item.path.parts:  # their runner shares them out itself
        return {SQLITE, POSTGRESQL}
    if "sqlite" in marks:
        return {SQLITE}
    if "postgres" in marks:
        return {POSTGRESQL}
    if "both_databases" in marks:
        return {SQLITE, POSTGRESQL}
    return {POSTGRESQL if is_transactional(item) else SQLITE}


def is_transactional(item: pytest.Item) -> bool:
    marker = next((mark for mark in item.iter_markers() if mark.name == "django_db"), None)
    requested = marker is not None and marker.kwargs.get("transaction", False)
    return requested or "transactional_db" in getattr(item, "fixturenames", ())


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what belongs to the other database. A run of all tests on each database keeps the unmarked ones."""
    chosen = None if os.environ.get(ALL) else os.environ.get(DATABASE)
    other = "sqlite" if connection.vendor == "postgresql" else "postgres"
    away = [
        item
        for item in items
        if (chosen not in databases(item) if chosen else item.get_closest_marker(other))
    ]
    if away:
        config.hook.pytest_deselected(items=away)
        left = set(away)
        items[:] = [item for item in items if item not in left]
    # Within a module those that share rows run one after another.
    items[:] = [
        item
        for _, module in groupby(items, key=lambda item: item.path)
        for item in sorted(module, key=lambda item: getattr(shared_by(item), "__qualname__", ""))
    ]


# --- the test database -------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def django_db_setup(
    django_test_environment: None, django_db_blocker: Any, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[None]:
    """A copy of the template for this process, in place of pytest-django's, which would migrate."""
    template = templates.of(server_url())
    with (
        django_db_blocker.unblock(),
        _connected_to_copy(template, tmp_path_factory.mktemp("database")) as name,
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.setitem(settings.DATABASES["default"], "NAME", name)
        require_test_database()
        restore = OnSQLite(template) if template.server is None else OnPostgreSQL()
        patch.setattr(TransactionTestCase, "_fixture_teardown", lambda case: restore())
        yield
        shared_rows.provide(None)


@contextlib.contextmanager
def _connected_to_copy(template: templates.Template, folder: Path, kind: str = "") -> Iterator[str]:
    """Connect to a copy of the template, and yield its name. Afterwards connect to the database before it."""
    configured = connection.settings_dict["NAME"]
    connection.close()
    if template.server is None:
        name = str(folder / f"racecard-test-{kind}{os.getpid()}.sqlite3")
        template.copy_to(name)
    else:
        name = f"test_racecard_{kind}{os.getpid()}"
        template.copy_to(f"postgresql:///{name}")
    connection.settings_dict["NAME"] = name
    try:
        yield name
    finally:
        connection.close()
        connection.settings_dict["NAME"] = configured
        if template.server is not None:
            templates.drop(template.server, name)


@pytest.fixture(scope="module")
def grown(
    django_db_setup: None, django_db_blocker: Any, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Grown]:
    """A copy of the grown template, which the tests of a module read in place of the test database."""
    template = templates.grown(server_url())
    shared_rows.provide(None)
    with (
        django_db_blocker.unblock(),
        _connected_to_copy(template, tmp_path_factory.mktemp("grown"), "grown_"),
    ):
        yield described()


class OnSQLite:
    """Makes the test database equal to the template again, after a transactional test."""

    def __init__(self, template: templates.Template) -> None:
        self._template = template.opened()

    def __call__(self) -> None:
        require_test_database()
        connection.ensure_connection()
        raw = connection.connection
        assert isinstance(raw, sqlite3.Connection)
        self._template.backup(raw)


class OnPostgreSQL:
    """Empties the tables that a transactional test has filled and puts the rows of the template back.

    As a replica the session runs no triggers, so append-only tables can be emptied and foreign keys do not order
    the tables. A test that has removed a trigger is failed, and the trigger made again.
    """

    def __init__(self) -> None:
        with connection.cursor() as cursor:
            cursor.execute("SELECT tablename FROM pg_tables WHERE schemaname = current_schema()")
            self._filled = SQL(" UNION ALL ").join(
                SQL("SELECT {} WHERE EXISTS (SELECT 1 FROM {})").format(table, Identifier(table))
                for [table] in cursor.fetchall()
            )
            self._rows = {table: self._copied(cursor, table) for table in self._tables_with_rows(cursor)}

    def _tables_with_rows(self, cursor: Any) -> list[str]:
        cursor.execute(self._filled)
        return [table for [table] in cursor.fetchall()]

    @staticmethod
    def _copied(cursor: Any, table: str) -> bytes:
        with cursor.copy(SQL("COPY {} TO STDOUT (FORMAT binary)").format(Identifier(table))) as copy:
            return b"".join(copy)

    def __call__(self) -> None:
        require_test_database()
        with connection.cursor() as cursor:
            cursor.execute("BEGIN; SET LOCAL session_replication_role = replica")
            for table in self._tables_with_rows(cursor):
                cursor.execute(SQL("DELETE FROM {}").format(Identifier(table)))
            for table, rows in self._rows.items():
                with cursor.copy(SQL("COPY {} FROM STDIN (FORMAT binary)").format(Identifier(table))) as copy:
                    copy.write(rows)
            cursor.execute("COMMIT")
        if missing := triggers.missing():
            triggers.install()
            pytest.fail(f"the test has left the database without {', '.join(missing)}")


@contextlib.contextmanager
def sequences_restored() -> Iterator[None]:
    """Set the sequences of PostgreSQL back, which a rollback leaves as they are."""
    if connection.vendor != "postgresql":
        yield
        return
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT schemaname || '.' || sequencename, coalesce(last_value, start_value), last_value IS NOT NULL "
            "FROM pg_sequences"
        )
        before = cursor.fetchall()
    yield
    with connection.cursor() as cursor:
        cursor.executemany("SELECT setval(%s::regclass, %s, %s)", before)


# --- rows that tests share ---------------------------------------------------------------------------

T = TypeVar("T")


def shared(make: Callable[[], T]) -> Callable[..., T]:
    """A fixture whose rows are written once for consecutive tests, as Django's `setUpTestData` does for a class.

        @shared
        def finished() -> Tournament: ...

    `make` takes no fixtures: it signs people up with `tests.conftest.known`, and the fixtures of the same people find
    them. It runs in a transaction that stays open while the tests that use the fixture run, each in a savepoint, and
    that is rolled back before any other test. Each test receives a deep copy of what `make` returned. In a
    transactional test, `make` runs for that test alone.
    """

    def fixture(db: None) -> T:
        return copy.deepcopy(shared_rows.value) if shared_rows.made_by is make else make()

    fixture.__doc__ = make.__doc__
    fixture.shared = make  # type: ignore[attr-defined]
    return pytest.fixture(name=make.__name__)(fixture)


def shared_by(item: pytest.Item) -> Callable[[], Any] | None:
    """The function whose rows the test starts from."""
    info = getattr(item, "_fixtureinfo", None)
    for definitions in info.name2fixturedefs.values() if info else ():
        if make := getattr(definitions[-1].func, "shared", None):
            return make  # type: ignore[no-any-return]
    return None


class SharedRows(Generic[T]):
    """The rows of one `shared` fixture, in a transaction that is open as long as tests use them."""

    used = False
    """Whether the present test starts from a `shared` fixture."""
    made_by: Callable[[], T] | None = None
    value: T | None = None
    reconciled: tuple[int, ...] | None = None
    """What was recorded when the rows were last found in order (`tests.books`)."""
    _block: transaction.Atomic

    def provide(self, make: Callable[[], T] | None) -> None:
        """Leave the database with the rows of `make`, or as it is without any."""
        if self.made_by is not None and (make is not self.made_by or connection.closed_in_transaction):
            self._roll_back()
        if make is not None and self.made_by is None:
            self._block = transaction.atomic()
            self._block.__enter__()
            self.made_by = make
            try:
                self.value = make()
                connection.check_constraints()
            except BaseException:
                self._roll_back()
                raise

    def _roll_back(self) -> None:
        self.made_by = self.value = self.reconciled = None
        transaction.set_rollback(True)
        self._block.__exit__(None, None, None)


shared_rows: SharedRows[Any] = SharedRows()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Roll shared rows back before any fixture of a test without them: their transaction would hold others up."""
    if shared_rows.made_by not in (None, shared_by(item)):
        with item.config.stash[blocking_manager_key].unblock():
            shared_rows.provide(None)


@pytest.hookimpl(tryfirst=True)
def pytest_fixture_setup(fixturedef: pytest.FixtureDef[Any], request: pytest.FixtureRequest) -> None:
    """Provide the shared rows before pytest-django opens the savepoint or transaction of the test."""
    if fixturedef.argname == "_django_db_helper":
        make = shared_by(request.node)
        shared_rows.used = make is not None
        with request.getfixturevalue("django_db_blocker").unblock():
            shared_rows.provide(None if is_transactional(request.node) else make)


# --- SQL in tests ------------------------------------------------------------------------------------


_on_sqlite_only = False


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    global _on_sqlite_only
    _on_sqlite_only = not any(item.iter_markers("sqlite")) and databases(item) == {SQLITE}
    result = yield
    _on_sqlite_only = False
    return result


@pytest.fixture(scope="session", autouse=True)
def check_own_sql() -> Iterator[None]:
    """Fail a test that sends SQL written in the tests although it runs on SQLite only.

    A transactional test waits by SQL until its rows are final, so those that run on PostgreSQL only may send it.
    """

    def checked(execute: Any) -> Any:
        def call(cursor: Any, sql: Any, *values: Any) -> Any:
            sender = sys._getframe(1).f_code.co_filename
            if _on_sqlite_only and sender.startswith(HERE) and sender != __file__:
                pytest.fail(
                    "A test that sends SQL itself depends on the database: mark it `both_databases`, or `sqlite` "
                    f"or `postgres` if it can run on one only. It sent: {str(sql)[:120]}"
                )
            return execute(cursor, sql, *values)

        return call

    with pytest.MonkeyPatch.context() as patch:
        for wrapper in (utils.CursorWrapper, utils.CursorDebugWrapper):
            patch.setattr(wrapper, "execute", checked(wrapper.execute))
        yield
