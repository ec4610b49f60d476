"""For tests only: append-only tables are emptied between tests, and what is committed is waited for to be final."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import PurePath
from typing import Any

import pytest
from django.db import DEFAULT_DB_ALIAS, connections

from eventstore import triggers


class NotATestDatabase(RuntimeError):
    """What only tests may do was asked of a database that is not theirs."""


def require_test_database(using: str = DEFAULT_DB_ALIAS) -> None:
    """Raises NotATestDatabase unless the database bears the name of one (`test_…`, `racecard-test-…`)."""
    name = PurePath(str(connections[using].settings_dict["NAME"])).name
    if not name.startswith(("test_", "racecard-test-", "file:memorydb_")):
        raise NotATestDatabase(f"{name} is not a test database")


def wait_until_final(patience: float = 180.0) -> None:
    """Wait until followers and checkpoints may see all that is committed now.

    On PostgreSQL a transaction of any database of the cluster holds that up, also somebody else's.
    """
    connection = connections[DEFAULT_DB_ALIAS]
    if connection.vendor == "sqlite":
        return
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_current_xact_id()::text::bigint")
        [ours] = cursor.fetchone()
        deadline = time.monotonic() + patience
        while True:
            cursor.execute("SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint > %s", [ours])
            if cursor.fetchone() == (True,):
                return
            if time.monotonic() > deadline:
                raise TimeoutError(f"a transaction has been running for {patience:.0f} s")
            time.sleep(0.02)


@pytest.fixture(scope="session", autouse=True)
def flush_past_triggers() -> Iterator[None]:
    """Let the flush after `django_db(transaction=True)` empty append-only tables."""
    from django.db.backends.base.operations import BaseDatabaseOperations

    flush = BaseDatabaseOperations.execute_sql_flush

    def flush_without_triggers(self: Any, sql_list: list[str]) -> None:
        require_test_database(self.connection.alias)
        with triggers.removed(self.connection.alias):
            flush(self, sql_list)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(BaseDatabaseOperations, "execute_sql_flush", flush_without_triggers)
        yield
