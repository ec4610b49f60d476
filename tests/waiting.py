"""A wait until all committed events may be read in order."""

from __future__ import annotations

import time

from django.db import DEFAULT_DB_ALIAS, connections


def wait_until_final(patience: float = 180.0) -> None:
    """Wait until `store.read_all` and checkpoints may see all committed events.

    On PostgreSQL a transaction of any database of the cluster delays this, including those of other programs.
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
