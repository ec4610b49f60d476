"""For tests only: the guard against emptying a database that is not a test's, and a wait for final transactions."""

from __future__ import annotations

import time
from pathlib import PurePath

from django.db import DEFAULT_DB_ALIAS, connections


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
