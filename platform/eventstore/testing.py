"""For tests only: tables that refuse DELETE and TRUNCATE must still be emptied between tests."""

from __future__ import annotations

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
