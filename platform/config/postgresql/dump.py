"""Dumps of the database on PostgreSQL, and their restoration next to the present tables.

A dump is an archive of pg_dump in its custom format, or, where that program is missing or older than the server, a
folder with one file per table in the format of COPY. It is restored into a separate schema: nothing that the
installation has changes before the restored data takes its place, in one transaction.
"""

# ruff: noqa: S603, S608 (programs of PostgreSQL with our own arguments; names of the catalogue, quoted)

from __future__ import annotations

import gzip
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from itertools import islice, takewhile
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from django.db import connection, transaction
from psycopg.conninfo import make_conninfo

from config.parallel import cores
from eventstore import months
from eventstore.months import Month

ARCHIVE = "database.dump"
TABLES = "tables"
STAGING = "racecard_restoring"
"""The schema into which a dump is restored."""

_MONTH = re.compile(rf"{months.TABLE}_(\d{{4}}_\d\d)")
"""The partition of a month."""

CHUNK = 1 << 20
AT_ONCE = 2_000
"""Rows of an archive that are sent together."""

T = TypeVar("T")


class Table(NamedTuple):
    name: str
    columns: tuple[str, ...]

    @property
    def quoted(self) -> str:
        """For COPY: the table and its columns in order."""
        return f"{_quoted(self.name)} ({', '.join(map(_quoted, self.columns))})"


class DumpError(Exception):
    """pg_dump or pg_restore failed. The text is its own."""


# --- writing -------------------------------------------------------------------------------------------


def write(folder: Path, state: Callable[[Any], T]) -> T:
    """Dump all tables as of one moment, and return what `state` reads with a cursor at that moment."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
        # Others read this snapshot meanwhile, which takes longer than an idle transaction may last.
        cursor.execute("SET LOCAL idle_in_transaction_session_timeout = 0")
        cursor.execute("SELECT pg_export_snapshot(), current_schema()")
        snapshot, schema = cursor.fetchone()
        if program := _program("pg_dump"):
            what = ["--format=custom", "--compress=1", "--no-owner", "--no-privileges", f"--schema={schema}"]
            _create(folder / ARCHIVE)
            place = [f"--snapshot={snapshot}", f"--file={folder / ARCHIVE}"]
            _run([program, *what, *place])
            _sync(folder / ARCHIVE)
        else:
            (folder / TABLES).mkdir(mode=0o700)
            _in_threads(lambda table: _write_table(folder / TABLES, table, snapshot), _tables())
        return state(cursor)


def _write_table(folder: Path, table: Table, snapshot: str) -> None:
    path = folder / f"{table.name}.copy.gz"
    _create(path)
    with (
        transaction.atomic(),
        connection.cursor() as cursor,
        gzip.open(path, "wb", compresslevel=1) as packed,
    ):
        cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
        cursor.execute(f"SET TRANSACTION SNAPSHOT '{snapshot}'")
        packed.write(("\t".join(table.columns) + "\n").encode())
        with cursor.copy(f"COPY {table.quoted} TO STDOUT") as rows:
            for chunk in rows:
                packed.write(chunk)
    _sync(path)


def _program(name: str) -> str | None:
    """The path of a program of PostgreSQL that is not older than the server."""
    path = shutil.which(name)
    if path is None:
        return None
    version = subprocess.run([path, "--version"], capture_output=True, text=True, check=False).stdout
    major = re.search(r"(\d+)", version)
    with connection.cursor() as cursor:
        server = cursor.connection.info.server_version // 10_000
    return path if major and int(major[1]) >= server else None


def _run(command: list[str]) -> None:
    info = connection.connection.info
    environment = {**os.environ, "PGPASSWORD": info.password}
    # psycopg's libpq always names this parameter, which pg_dump knows from version 16 on.
    parameters = {name: value for name, value in info.get_parameters().items() if name != "sslcertmode"}
    command = [*command, f"--dbname={make_conninfo(**parameters)}"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise DumpError(done.stderr.strip())


def _create(path: Path) -> None:
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))


def _sync(path: Path) -> None:
    with path.open("rb") as file:
        os.fsync(file.fileno())


# --- reading -------------------------------------------------------------------------------------------

Section = tuple[Table, Iterator[bytes]]
"""A table, and its rows in the format of COPY, in pieces."""


def _sections(folder: Path, tables: Sequence[str]) -> Iterator[Section]:
    """Yield the tables as they are in the dump. The rows of each must be taken before the next."""
    if (folder / ARCHIVE).exists():
        yield from _sections_of_archive(folder / ARCHIVE, tables)
        return
    for name in tables:
        path = folder / TABLES / f"{name}.copy.gz"
        if not path.exists():
            continue
        with gzip.open(path, "rb") as packed:
            columns = packed.readline().decode().rstrip("\n").split("\t")
            yield Table(name, tuple(columns)), iter(partial(packed.read, CHUNK), b"")


_COPY = re.compile(r'COPY \S+?\."?(\w+)"? \((.*)\) FROM stdin;')
_END = b"\\.\n"
"""The line after the rows of a table. No row is like it, because COPY writes a backslash as two."""


def _sections_of_archive(archive: Path, tables: Sequence[str]) -> Iterator[Section]:
    command = [
        _restoring_program(archive),
        "--data-only",
        *(f"--table={name}" for name in tables),
        "--file=-",
        str(archive),
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        lines, errors = process.stdout, process.stderr
        assert lines is not None
        assert errors is not None
        for line in lines:
            if found := _COPY.match(line.decode()):
                columns = (name.strip('"') for name in found[2].split(", "))
                rows = takewhile(lambda row: row != _END, lines)
                yield Table(found[1], tuple(columns)), _joined(rows)
        complaint = errors.read().decode(errors="replace").strip()
    if process.returncode:
        raise DumpError(complaint)


def _joined(rows: Iterator[bytes]) -> Iterator[bytes]:
    while some := list(islice(rows, AT_ONCE)):
        yield b"".join(some)


# --- restoring -----------------------------------------------------------------------------------------


@contextmanager
def staging() -> Iterator[Callable[[], None]]:
    """Have this process and the processes that it starts use an empty schema instead of the installation's own.

    Yields the function that puts its tables in the place of the present ones. If that is not called they are removed.
    """
    target = _one("SELECT current_schema()")
    options = connection.settings_dict["OPTIONS"]
    before = options["options"]
    _execute(f"DROP SCHEMA IF EXISTS {STAGING} CASCADE", f"CREATE SCHEMA {STAGING}")
    connection.close()
    options["options"] = f"{before} -c search_path={STAGING} -c maintenance_work_mem=256MB"
    try:
        yield lambda: _replace(target)
    finally:
        connection.close()
        options["options"] = before
        _execute(f"DROP SCHEMA IF EXISTS {STAGING} CASCADE")


def _replace(target: str) -> None:
    schema = _quoted(target)
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(
            "SELECT relname FROM pg_class WHERE relkind IN ('r', 'p') AND relnamespace = to_regnamespace(%s)",
            [schema],
        )
        for (name,) in cursor.fetchall():
            cursor.execute(
                f"DROP TABLE IF EXISTS {schema}.{_quoted(name)} CASCADE"
            )  # partitions go with their table
        for name in [*_partitioned(), *(table.name for table in _tables())]:
            cursor.execute(f"ALTER TABLE {_quoted(name)} SET SCHEMA {schema}")
        cursor.execute(
            "SELECT proname, pg_get_function_identity_arguments(oid) FROM pg_proc "
            "WHERE pronamespace = current_schema()::regnamespace"
        )
        for name, arguments in cursor.fetchall():
            function = f"{_quoted(name)}({arguments})"
            cursor.execute(f"DROP FUNCTION IF EXISTS {schema}.{function} CASCADE")
            cursor.execute(f"ALTER FUNCTION {function} SET SCHEMA {schema}")


def load(folder: Path) -> None:
    """Load the rows of all tables. The schema must be that of the dump, without triggers."""
    _make_months(folder)
    indexes, foreign_keys = _drop_indexes()
    names = [table.name for table in _tables()]
    events = [name for name in names if name.startswith(months.TABLE)]
    others = [name for name in names if name not in events]
    _in_threads(partial(_load_tables, folder), [events, others])
    # The largest tables first, so that no thread ends with one of them alone.
    work = [[*indexes.get(name, []), f"ANALYZE {_quoted(name)}"] for name in [*_partitioned(), *names]]
    _in_threads(lambda statements: _execute(*statements), work)
    _execute(*foreign_keys)
    _advance_sequences()


def _load_tables(folder: Path, names: Sequence[str]) -> None:
    missing = set(names)
    for table, pieces in _sections(folder, names):
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(f"TRUNCATE {_quoted(table.name)}")
            with cursor.copy(f"COPY {table.quoted} FROM STDIN WITH (FREEZE)") as rows:
                for piece in pieces:
                    rows.write(piece)
        missing.remove(table.name)
    if missing:
        raise DumpError(f"The dump does not have {', '.join(sorted(missing))}.")


def _make_months(folder: Path) -> None:
    """Make the partitions that the dump has. Migrations make those of the present months."""
    if months.partitioned():
        for name in _names(folder):
            if found := _MONTH.fullmatch(name):
                months.make(Month.parse(found[1]), with_triggers=False)


def _names(folder: Path) -> list[str]:
    """The names of the tables in a dump."""
    if not (folder / ARCHIVE).exists():
        return [path.name.removesuffix(".copy.gz") for path in (folder / TABLES).glob("*.copy.gz")]
    listed = subprocess.run(
        [_restoring_program(folder / ARCHIVE), "--list", str(folder / ARCHIVE)],
        capture_output=True,
        text=True,
        check=False,
    )
    if listed.returncode:
        raise DumpError(listed.stderr.strip())
    return re.findall(r" TABLE DATA \S+ (\w+) ", listed.stdout)


def _restoring_program(archive: Path) -> str:
    if program := _program("pg_restore"):
        return program
    raise DumpError(
        f"{archive.name} is an archive of pg_dump, and there is no pg_restore in the PATH of the server's version "
        "or a later one."
    )


def _drop_indexes() -> tuple[dict[str, list[str]], list[str]]:
    """Drop all indexes and foreign keys. Return the statements that make them again: by table, and the foreign keys.

    Building an index over a loaded table costs a fraction of updating it for each row.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT relname, conname, pg_get_constraintdef(pg_constraint.oid), contype = 'f' FROM pg_constraint "
            "JOIN pg_class ON pg_class.oid = conrelid "
            "WHERE connamespace = current_schema()::regnamespace AND contype IN ('p', 'u', 'f', 'x') "
            "AND conparentid = 0"
        )
        constraints = cursor.fetchall()
        cursor.execute(
            # An index of a partition belongs to that of its table, which makes it again.
            "SELECT relname, indexrelid::regclass::text, replace(pg_get_indexdef(indexrelid), ' ON ONLY ', ' ON ') "
            "FROM pg_index "
            "JOIN pg_class ON pg_class.oid = indrelid WHERE relnamespace = current_schema()::regnamespace "
            "AND NOT EXISTS (SELECT 1 FROM pg_inherits WHERE inhrelid = indexrelid) "
            "AND NOT EXISTS (SELECT 1 FROM pg_constraint WHERE conindid = indexrelid AND contype IN ('p', 'u', 'x'))"
        )
        indexes = cursor.fetchall()
    made: dict[str, list[str]] = {}
    foreign_keys, others = [], []
    for table, name, definition, foreign in constraints:
        statement = f"ALTER TABLE {_quoted(table)} ADD CONSTRAINT {_quoted(name)} {definition}"
        drop = f"ALTER TABLE {_quoted(table)} DROP CONSTRAINT {_quoted(name)}"
        if foreign:
            foreign_keys.append(statement)
            _execute(drop)
        else:
            made.setdefault(table, []).append(statement)
            others.append(drop)
    for table, name, definition in indexes:
        made.setdefault(table, []).append(definition)
        others.append(f"DROP INDEX {name}")
    _execute(*others)
    return made, foreign_keys


def _partitioned() -> list[str]:
    """The tables of the current schema whose rows are in partitions."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT relname FROM pg_class WHERE relkind = 'p' AND relnamespace = current_schema()::regnamespace"
        )
        return [name for (name,) in cursor.fetchall()]


def _tables() -> list[Table]:
    """All tables of the current schema that have rows, and partitions, the largest first."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT relname, array_agg(attname::text ORDER BY attnum) FROM pg_class "
            "JOIN pg_attribute ON attrelid = pg_class.oid AND attnum > 0 AND NOT attisdropped AND attgenerated = '' "
            "WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace "
            "GROUP BY pg_class.oid, relname ORDER BY pg_table_size(pg_class.oid) DESC, relname"
        )
        return [Table(name, tuple(columns)) for name, columns in cursor.fetchall()]


def _advance_sequences() -> None:
    """Set identities to continue after the largest one in use."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT relname::text, attname::text, pg_get_serial_sequence(quote_ident(relname), attname) FROM pg_class "
            "JOIN pg_attribute ON attrelid = pg_class.oid AND attnum > 0 AND NOT attisdropped "
            "WHERE relkind IN ('r', 'p') AND relnamespace = current_schema()::regnamespace "
            "AND pg_get_serial_sequence(quote_ident(relname), attname) IS NOT NULL"
        )
        for table, column, sequence in cursor.fetchall():
            name, key = _quoted(table), _quoted(column)
            cursor.execute(f"SELECT setval(%s, coalesce(max({key}), 0) + 1, false) FROM {name}", [sequence])


# --- statements ----------------------------------------------------------------------------------------


def _in_threads(work: Callable[[T], None], parts: Iterable[T]) -> None:
    """Do the parts in threads, each with its own connection. The server does most of the work."""

    def one(part: T) -> None:
        try:
            work(part)
        finally:
            connection.close()

    with ThreadPoolExecutor(cores()) as pool:
        list(pool.map(one, parts))


def _execute(*statements: str) -> None:
    with connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)


def _one(statement: str) -> Any:
    with connection.cursor() as cursor:
        cursor.execute(statement)
        return cursor.fetchone()[0]


def _quoted(name: str) -> str:
    return connection.ops.quote_name(name)
