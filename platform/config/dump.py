"""PostgreSQL by COPY: every table as of one snapshot, and back. Nothing but the connection is needed."""

# ruff: noqa: S608 - names come from the database's own catalogue, quoted

from __future__ import annotations

import gzip
import os
from pathlib import Path
from typing import Any, NamedTuple

from django.db import connection, transaction


class Table(NamedTuple):
    name: str
    columns: tuple[str, ...]

    @property
    def quoted(self) -> str:
        """For COPY: the table and its columns in their order."""
        columns = ", ".join(connection.ops.quote_name(column) for column in self.columns)
        return f"{connection.ops.quote_name(self.name)} ({columns})"


class CopyDump:
    """A folder with one gzipped file per table, the first line naming its columns."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def write(self) -> dict[str, Any]:
        """Dump all tables; answers with what the manifest says of them."""
        self.folder.mkdir(mode=0o700, parents=True)
        with transaction.atomic():
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
            for table in tables():
                self._write_table(table)
            return _state()

    def _write_table(self, table: Table) -> None:
        path = self.folder / f"{table.name}.copy.gz"
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "wb") as file:
            with gzip.GzipFile(fileobj=file, mode="wb", compresslevel=3, mtime=0) as packed:
                packed.write(("\t".join(table.columns) + "\n").encode())
                with connection.cursor() as cursor, cursor.copy(f"COPY {table.quoted} TO STDOUT") as rows:
                    for chunk in rows:
                        packed.write(chunk)
            file.flush()
            os.fsync(file.fileno())

    def load(self) -> None:
        """Replace the rows of all tables. The schema must be the dump's; the triggers must not stand yet."""
        present = {table.name for table in tables()}
        with connection.cursor() as cursor:
            quoted = ", ".join(connection.ops.quote_name(name) for name in sorted(present))
            cursor.execute(f"TRUNCATE {quoted}")
            # The tables come by name, not by dependence; they are judged together below.
            cursor.execute("SET CONSTRAINTS ALL DEFERRED")
        for path in sorted(self.folder.glob("*.copy.gz")):
            name = path.name.removesuffix(".copy.gz")
            if name in present:
                self._load_table(name, path)
        with connection.cursor() as cursor:
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
            cursor.execute("SET CONSTRAINTS ALL DEFERRED")
        advance_sequences()

    def _load_table(self, name: str, path: Path) -> None:
        with gzip.open(path, "rb") as packed:
            table = Table(name, tuple(packed.readline().decode().rstrip("\n").split("\t")))
            with connection.cursor() as cursor, cursor.copy(f"COPY {table.quoted} FROM STDIN") as rows:
                while chunk := packed.read(1 << 20):
                    rows.write(chunk)

    def drop_tables(self) -> None:
        """Everything that the installation has in the database's current schema."""
        with connection.cursor() as cursor:
            for name in sorted(connection.introspection.table_names(cursor)):
                cursor.execute(f"DROP TABLE {connection.ops.quote_name(name)} CASCADE")


def tables() -> list[Table]:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT relname, array_agg(attname::text ORDER BY attnum) FROM pg_class "
            "JOIN pg_attribute ON attrelid = pg_class.oid AND attnum > 0 AND NOT attisdropped AND attgenerated = '' "
            "WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace GROUP BY relname ORDER BY relname"
        )
        return [Table(name, tuple(columns)) for name, columns in cursor.fetchall()]


def advance_sequences() -> None:
    """Identities go on behind the largest that is in use."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT relname::text, attname::text, pg_get_serial_sequence(quote_ident(relname), attname) FROM pg_class "
            "JOIN pg_attribute ON attrelid = pg_class.oid AND attnum > 0 AND NOT attisdropped "
            "WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace "
            "AND pg_get_serial_sequence(quote_ident(relname), attname) IS NOT NULL"
        )
        for table, column, sequence in cursor.fetchall():
            name, key = connection.ops.quote_name(table), connection.ops.quote_name(column)
            cursor.execute(f"SELECT setval(%s, coalesce(max({key}), 0) + 1, false) FROM {name}", [sequence])


def _state() -> dict[str, Any]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT app, name FROM django_migrations ORDER BY id")
        migrations = [list(row) for row in cursor.fetchall()]
        cursor.execute("SELECT count(*) FROM eventstore_event")
        [events] = cursor.fetchone()
        cursor.execute("SELECT max(number) FROM eventstore_checkpoint")
        [newest] = cursor.fetchone()
    return {"migrations": migrations, "events": events, "checkpoint": newest}
