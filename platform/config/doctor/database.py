"""The database: whether it answers, what the role may do, and the settings on which durability depends."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cache
from ipaddress import ip_address
from pathlib import Path
from typing import Any, NamedTuple

from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, Warning, run_checks
from django.db import DEFAULT_DB_ALIAS, connection
from django.db import Error as DatabaseError

from config import health
from core import replicas

MIGRATE = "Run `manage.py migrate` as the role that owns the tables."

BESIDES_THREADS = 15
"""Connections that are needed besides one for each thread: event streams, readiness, workers, ticker, a person."""


class Wanted(NamedTuple):
    values: tuple[str, ...]
    why: str


WANTED = {
    "fsync": Wanted(("on",), "a power failure can destroy the database"),
    "full_page_writes": Wanted(("on",), "a power failure can destroy the database"),
    "synchronous_commit": Wanted(
        ("on", "remote_apply"), "a move that was confirmed can be lost in a power failure"
    ),
    "default_transaction_isolation": Wanted(
        ("read committed",), "locked rows are expected to be read in their newest version"
    ),
    "default_transaction_read_only": Wanted(("off",), "nothing can be written"),
    "server_encoding": Wanted(("UTF8",), "names in other alphabets cannot be stored"),
}

NETWORK_FILESYSTEMS = ("nfs", "cifs", "smb", "fuse.sshfs", "9p", "ceph", "glusterfs", "afs")


def check() -> Iterator[CheckMessage]:
    if why := _fault():
        if "unsupported startup parameter" in why and not connection.settings_dict.get("POOLED"):
            yield _unknown_pooler()  # it accepts none of the parameters of a connection to the server itself
            return
        yield Error(
            f"The database does not answer: {why}",
            "Check that the server runs, and host, port, role, and password of DATABASE_URL.",
            id="database.unreachable",
        )
        return
    yield from _postgresql() if connection.vendor == "postgresql" else _sqlite()
    if not is_usable():
        yield Error("The database is not migrated to this version.", MIGRATE, id="database.migrations")
        return
    yield from run_checks(tags=[Tags.database], databases=[DEFAULT_DB_ALIAS])


def is_usable() -> bool:
    """Whether the database answers and is migrated to this version."""
    return not _fault() and health.is_migrated()


@cache
def _fault() -> str:
    """Why the database does not answer; "" if it does."""
    try:
        connection.ensure_connection()
    except (DatabaseError, OSError) as error:
        return str(error)
    return ""


def _rows(statement: str) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement)
        rows: list[tuple[Any, ...]] = cursor.fetchall()
    return rows


# --- PostgreSQL ---


def _postgresql() -> Iterator[CheckMessage]:
    if _rows("SELECT pg_is_in_recovery()") == [(True,)]:
        yield Error(
            "The server is a standby, on which nothing can be written.",
            "Name the primary in DATABASE_URL.",
            id="database.standby",
        )
    yield from _rights()
    yield from _server_settings()
    yield from _encryption()
    yield from _pooler()
    yield from _replica()


def _rights() -> Iterator[CheckMessage]:
    [(role, is_super, schema)] = _rows(
        "SELECT current_user, rolsuper, current_schema() FROM pg_roles WHERE rolname = current_user"
    )
    if is_super:
        yield Warning(
            f"The role {role} is a superuser: it can disable every trigger and read files of the server.",
            "Create a role without rights, and let it own the database: CREATE ROLE racecard LOGIN; "
            "ALTER DATABASE racecard OWNER TO racecard.",
            id="database.superuser",
        )
    if schema is None:
        yield Error(
            f"The role {role} may not use any schema of the search path.",
            f"GRANT USAGE, CREATE ON SCHEMA public TO {role};",
            id="database.schema",
        )
        return
    yield from _ungranted(role, schema)
    [(may_create,)] = _rows(
        "SELECT has_schema_privilege(current_schema(), 'CREATE') "
        "AND has_database_privilege(current_database(), 'CREATE')"
    )
    if not may_create:
        yield Warning(
            f"The role {role} may not create tables and schemas, so it can neither migrate nor restore.",
            f"GRANT CREATE ON SCHEMA {schema} TO {role}; and GRANT CREATE ON DATABASE … TO {role}; or run both as "
            "another role.",
            id="database.create",
        )


def _ungranted(role: str, schema: str) -> Iterator[CheckMessage]:
    allowed = " AND ".join(
        f"has_table_privilege(oid, '{right}')" for right in ("SELECT", "INSERT", "UPDATE", "DELETE")
    )
    tables = [
        name
        for (name,) in _rows(
            f"SELECT relname FROM pg_class WHERE NOT ({allowed}) AND relkind IN ('r', 'p') "  # noqa: S608  # constant
            "AND relnamespace = current_schema()::regnamespace ORDER BY relname"
        )
    ]
    sequences = [
        name
        for (name,) in _rows(
            "SELECT relname FROM pg_class WHERE relnamespace = current_schema()::regnamespace "
            "AND CASE relkind WHEN 'S' THEN NOT has_sequence_privilege(oid, 'USAGE') END ORDER BY relname"
        )
    ]
    for names, what, grant in (
        (tables, "tables", "SELECT, INSERT, UPDATE, DELETE ON ALL TABLES"),
        (sequences, "sequences", "USAGE ON ALL SEQUENCES"),
    ):
        if names:
            listed = ", ".join(names[:3]) + (f", and {len(names) - 3} more" if len(names) > 3 else "")
            yield Error(
                f"The role {role} lacks rights on {what}: {listed}.",
                f"GRANT {grant} IN SCHEMA {schema} TO {role};",
                id="database.rights",
            )


def _server_settings() -> Iterator[CheckMessage]:
    current = dict(_rows("SELECT name, setting FROM pg_settings"))
    for name, wanted in WANTED.items():
        if current[name] not in wanted.values:
            yield Error(
                f"PostgreSQL's {name} is {current[name]}: {wanted.why}.",
                f"Set {name} = {wanted.values[0]} for the server and the role; a connection pooler may set it too."
                if name != "server_encoding"
                else "Create the database again with ENCODING 'UTF8', and restore a backup.",
                id=f"database.{name.replace('_', '-')}",
            )
    if current["idle_in_transaction_session_timeout"] == "0":
        yield Warning(
            "PostgreSQL ends no transaction that is left open; one delays checkpoints and vacuum.",
            "ALTER ROLE … SET idle_in_transaction_session_timeout = '60s';",
            id="database.idle-in-transaction",
        )
    threads = os.environ.get("RACECARD_THREADS", "16")
    needed = (int(threads) if threads.isdecimal() else 16) + BESIDES_THREADS
    free = int(current["max_connections"]) - int(current["superuser_reserved_connections"])
    if free < needed:
        yield Warning(
            f"PostgreSQL accepts {free} connections; one web process with its workers needs {needed}.",
            "Raise max_connections, or lower RACECARD_THREADS.",
            id="database.connections",
        )


def _encryption() -> Iterator[CheckMessage]:
    host = str(connection.settings_dict["HOST"])
    if _is_local(host):
        return
    if _rows("SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()") == [(False,)]:
        yield Warning(
            f"The connection to the database on {host} is not encrypted.",
            "Add ?sslmode=verify-full to DATABASE_URL, unless the network between the two is trusted.",
            id="database.encryption",
        )


def _unknown_pooler() -> CheckMessage:
    return Error(
        "DATABASE_URL leads to PgBouncer: prepared statements and cursors are lost between transactions.",
        "Set RACECARD_DATABASE_POOLED=1.",
        id="database.unknown-pooler",
    )


def _pooler() -> Iterator[CheckMessage]:
    if not connection.settings_dict.get("POOLED"):
        if _is_pgbouncer():
            yield _unknown_pooler()
        return
    if _rows("SHOW jit") != [("off",)]:
        yield Warning(
            "PostgreSQL compiles statements (jit), which takes longer than running most of them. A connection cannot "
            "change this through a pooler.",
            "ALTER ROLE … SET jit = off;",
            id="database.pooled-jit",
        )
    if not settings.RACECARD_DATABASE_DIRECT_URL:
        yield Warning(
            "Backups need one connection throughout, which a pooler does not give.",
            "Set RACECARD_DATABASE_DIRECT_URL to the address of PostgreSQL itself.",
            id="database.direct",
        )


def _is_pgbouncer() -> bool:
    """Whether the connection is one of PgBouncer, which does not report the number of the server's process."""
    with connection.cursor() as cursor:
        reported: int = cursor.connection.info.backend_pid
    return _rows("SELECT pg_backend_pid()") != [(reported,)]


def _replica() -> Iterator[CheckMessage]:
    if not settings.RACECARD_REPLICA_URL:
        return
    behind = replicas.lag()
    if behind == float("inf"):
        yield Warning(
            "The replica does not answer: the primary answers every read.",
            "Check that it runs, and host, port, role, and password of RACECARD_REPLICA_URL.",
            id="database.replica",
        )
    elif behind > settings.RACECARD_REPLICA_LAG:
        yield Warning(
            f"The replica is {behind:.0f} s behind: the primary answers every read.",
            "Check its load and its network, or raise RACECARD_REPLICA_LAG.",
            id="database.replica-lag",
        )


def _is_local(host: str) -> bool:
    if not host or host == "localhost" or host.startswith("/"):
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


# --- SQLite ---


def _sqlite() -> Iterator[CheckMessage]:
    path = Path(str(connection.settings_dict["NAME"]))
    kind = filesystem(path.parent)
    if kind.startswith(NETWORK_FILESYSTEMS):
        yield Error(
            f"The SQLite database is on a network file system ({kind}), on which its locks do not hold.",
            "Move RACECARD_DATA to a local disk, or use PostgreSQL.",
            id="database.network",
        )
    if _rows("PRAGMA journal_mode") != [("wal",)]:
        yield Error(
            "SQLite cannot use its write-ahead log here; readers and writers would block each other.",
            "Move RACECARD_DATA to a local disk.",
            id="database.journal",
        )


def filesystem(folder: Path) -> str:
    """The type of the file system that contains the folder, such as `ext4`; "" if the system does not say."""
    mounts = Path("/proc/self/mounts")
    found = (Path("/"), "")
    for line in mounts.read_text(errors="replace").splitlines() if mounts.exists() else ():
        _, point, kind, *_ = line.split(" ")
        mounted = Path(point.replace("\\040", " "))
        if folder.resolve().is_relative_to(mounted) and len(mounted.parts) >= len(found[0].parts):
            found = (mounted, kind)
    return found[1]
