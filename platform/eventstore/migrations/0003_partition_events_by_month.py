"""Partition events by the month of their stream on PostgreSQL. The present table becomes the first partition, as it is.

Not atomic: the ids of the present table are checked while others append to it. If that is interrupted, it is repeated.
"""

# ruff: noqa: S608 - statements are put together from constants of this module

from functools import partial
from typing import Any

from django.db import migrations

from core.migration import with_short_locks

TABLE = "eventstore_event"
UNDATED = f"{TABLE}_undated"
DATED = "ffffffff-0000-0000-0000-000000000000"
"""All ids from here on are of dated streams (`eventstore.months`)."""

CHECK = [
    f"ALTER TABLE {TABLE} DROP CONSTRAINT IF EXISTS event_undated",
    f"ALTER TABLE {TABLE} ADD CONSTRAINT event_undated CHECK (stream_id < '{DATED}') NOT VALID",
    f"ALTER TABLE {TABLE} VALIDATE CONSTRAINT event_undated",
]

# The triggers are made again on the new table, so that no statement finds it without them.
TRIGGERS = (
    "SELECT tgname, pg_get_triggerdef(oid), obj_description(oid, 'pg_trigger') FROM pg_trigger "
    f"WHERE tgrelid = '{TABLE}'::regclass AND NOT tgisinternal"
)

SWAP = [
    f"ALTER INDEX {TABLE}_pkey RENAME TO {UNDATED}_pkey",
    # The names that PostgreSQL chooses for the indexes of other partitions.
    f"ALTER INDEX event_command_once RENAME TO {UNDATED}_stream_id_command_id_idx",
    f"ALTER INDEX event_follow RENAME TO {UNDATED}_epoch_xact_position_idx",
    f"ALTER TABLE {TABLE} RENAME TO {UNDATED}",
    f"ALTER TABLE {UNDATED} ALTER position DROP IDENTITY",
    f"CREATE TABLE {TABLE} (LIKE {UNDATED} INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING STORAGE) "
    "PARTITION BY RANGE (stream_id)",
    f"ALTER TABLE {TABLE} DROP CONSTRAINT IF EXISTS event_undated",
    f"ALTER TABLE {TABLE} ALTER position ADD GENERATED ALWAYS AS IDENTITY",
    f"ALTER TABLE {TABLE} ADD CONSTRAINT {TABLE}_pkey PRIMARY KEY (stream_id, version)",
    f"CREATE UNIQUE INDEX event_command_once ON {TABLE} (stream_id, command_id) WHERE command_id IS NOT NULL",
    f"CREATE INDEX event_follow ON {TABLE} (epoch, xact, position)",
    f"CREATE TABLE {TABLE}_default PARTITION OF {TABLE} DEFAULT",
]

ATTACH = [
    f"ALTER TABLE {TABLE} ATTACH PARTITION {UNDATED} FOR VALUES FROM (MINVALUE) TO ('{DATED}')",
    f"ALTER TABLE {UNDATED} DROP CONSTRAINT IF EXISTS event_undated",
]

# A random id that looks like a dated one: one of 4 billion. Its events move to the default partition.
MOVE = (
    f"WITH moved AS (DELETE FROM {UNDATED} WHERE stream_id >= '{DATED}' RETURNING *) "
    f"INSERT INTO {TABLE} OVERRIDING SYSTEM VALUE SELECT * FROM moved"
)


def partition(apps: Any, schema_editor: Any) -> None:
    connection = schema_editor.connection
    if connection.vendor != "postgresql":
        return
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT relkind = 'p' FROM pg_class WHERE oid = '{TABLE}'::regclass")
        if not cursor.fetchone()[0]:
            cursor.execute(f"SELECT EXISTS (SELECT 1 FROM {TABLE} WHERE stream_id >= '{DATED}')")
            alike = cursor.fetchone()[0]
            for statement in [] if alike else CHECK:
                with_short_locks(partial(cursor.execute, statement))
            with_short_locks(partial(_swap, cursor, alike))
        cursor.execute(f"ANALYZE {TABLE}")  # autovacuum does it for each partition only


def _swap(cursor: Any, alike: bool) -> None:
    cursor.execute(f"LOCK TABLE {TABLE} IN ACCESS EXCLUSIVE MODE")
    cursor.execute(f"SELECT pg_get_serial_sequence('{TABLE}', 'position')")
    cursor.execute(f"SELECT last_value, is_called FROM {cursor.fetchone()[0]}")
    position = cursor.fetchone()
    cursor.execute(TRIGGERS)
    triggers = cursor.fetchall()
    for name, _, _ in triggers:
        cursor.execute(f"DROP TRIGGER {name} ON {TABLE}")
    for statement in SWAP:
        cursor.execute(statement)
    cursor.execute(f"SELECT setval(pg_get_serial_sequence('{TABLE}', 'position'), %s, %s)", position)
    if alike:
        cursor.execute(MOVE)
    for statement in ATTACH:
        cursor.execute(statement)
    for table in (TABLE, UNDATED, f"{TABLE}_default"):
        for name, definition, comment in triggers:
            # PostgreSQL copies those for each row to the partitions, and those of TRUNCATE not.
            if table == TABLE or "FOR EACH STATEMENT" in definition:
                _create_trigger(cursor, table, name, definition, comment)


def _create_trigger(cursor: Any, table: str, name: str, definition: str, comment: str | None) -> None:
    cursor.execute(definition.replace(TABLE, table))
    if comment is not None:
        text = comment.replace("'", "''")
        cursor.execute(f"COMMENT ON TRIGGER {name} ON {TABLE} IS '{text}'".replace(TABLE, table))


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("eventstore", "0002_archive")]

    operations = [migrations.RunPython(partition, migrations.RunPython.noop, elidable=False)]
