"""Triggers that enforce an invariant against every writer: the ORM, the staff site, and raw SQL.

An app registers the triggers of its tables when it is ready. They are installed at every migrate, because on SQLite a
migration that rebuilds a table silently drops them. `require_installed` refuses to serve without them.
"""

# ruff: noqa: S608 - the names in these statements are those of our own tables

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from django.core import checks
from django.core.exceptions import ImproperlyConfigured
from django.db import connection, transaction

from core.checks import Fault, Report
from core.migration import with_short_locks

_TRIGGER = re.compile(
    r"\s*CREATE\s+(?:CONSTRAINT\s+)?TRIGGER\s+(\w+)\b.*?\sON\s+(\w+)", re.IGNORECASE | re.DOTALL
)
_EACH_STATEMENT = re.compile(r"\bFOR\s+EACH\s+STATEMENT\b", re.IGNORECASE)
_FUNCTION = re.compile(r"\s*CREATE\s+OR\s+REPLACE\s+FUNCTION\s+(\w+).*\$\$.*\$\$", re.IGNORECASE | re.DOTALL)


class TriggersMissing(ImproperlyConfigured):
    """The database lacks triggers that enforce its invariants; `manage.py migrate` installs them."""


@dataclass(frozen=True, slots=True)
class Statement:
    """One SQL statement of a registered set, which creates a trigger on `table` or, without one, a function."""

    sql: str
    name: str
    table: str | None

    @classmethod
    def of(cls, sql: str) -> Statement:
        if found := _TRIGGER.match(sql):
            return cls(sql.strip(), found[1].lower(), found[2].lower())
        if found := _FUNCTION.match(sql):
            return cls(sql.strip(), found[1].lower(), None)
        raise ImproperlyConfigured(f"This makes neither a trigger nor a function: {sql.strip()[:80]}")

    @property
    def key(self) -> tuple[str, str]:
        """Triggers and functions have separate namespaces: one of each may have the same name."""
        return ("trigger" if self.table else "function"), self.name

    @property
    def mark(self) -> str:
        """The mark that identifies an installed trigger or function."""
        return self.sql if self.table else self.sql.split("$$")[1]


_registered: dict[str, dict[str, list[Statement]]] = {}
_for_partitions: dict[str, Callable[[], Sequence[str]]] = {}
_needs: dict[str, frozenset[str]] = {}


def register_triggers(
    name: str,
    *,
    sqlite: Sequence[str],
    postgresql: Sequence[str],
    needs: Sequence[str] = (),
    for_partitions: Callable[[], Sequence[str]] | None = None,
) -> None:
    """Register the triggers (and on PostgreSQL their functions) that belong together under `name`.

    Each item is one statement. Functions use CREATE OR REPLACE and quote their body with $$; triggers are dropped and
    created again when their text changes. A trigger is installed once its table and the tables of `needs`, which it
    reads, exist. `for_partitions` returns the functions of PostgreSQL whose text depends on the present partitions.
    """
    _needs[name] = frozenset(needs)
    if for_partitions:
        _for_partitions[name] = for_partitions
    _registered[name] = {
        "sqlite": [Statement.of(sql) for sql in sqlite],
        "postgresql": [Statement.of(sql) for sql in postgresql],
    }


def register_append_only(
    table: str, *, unique: Sequence[Sequence[str]] = (("id",),), needs: Sequence[str] = ()
) -> None:
    """Refuse UPDATE, DELETE and (PostgreSQL) TRUNCATE on `table`.

    `unique` names the column sets of its unique constraints: on SQLite `REPLACE INTO` deletes the rows it
    collides with, and delete triggers then run only for connections that set `recursive_triggers`, so the
    collision itself is refused.
    """
    register_triggers(
        f"{table}_append_only",
        sqlite=[*_sqlite_append_only(table), *no_replace(table, unique)],
        postgresql=[_REFUSE, *_postgresql_append_only(table)],
        needs=needs,
    )


_REFUSE = """
CREATE OR REPLACE FUNCTION racecard_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% is append-only: % refused', TG_TABLE_NAME, TG_OP
        USING ERRCODE = 'integrity_constraint_violation';
END $$
"""


def _postgresql_append_only(table: str) -> list[str]:
    return [
        f"CREATE TRIGGER {table}_append_only BEFORE UPDATE OR DELETE ON {table} "
        "FOR EACH ROW EXECUTE FUNCTION racecard_append_only()",
        f"CREATE TRIGGER {table}_no_truncate BEFORE TRUNCATE ON {table} "
        "FOR EACH STATEMENT EXECUTE FUNCTION racecard_append_only()",
    ]


def _sqlite_append_only(table: str) -> list[str]:
    return [
        f"CREATE TRIGGER {table}_no_{event.lower()} BEFORE {event} ON {table} "
        f"BEGIN SELECT RAISE(ABORT, '{table} is append-only: {event} refused'); END"
        for event in ("UPDATE", "DELETE")
    ]


def no_replace(table: str, unique: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield the triggers that refuse `REPLACE INTO` a table on SQLite."""
    for index, columns in enumerate(unique):
        same = " AND ".join(f"{column} = NEW.{column}" for column in columns)
        # RAISE(ABORT) rather than a CHECK: under REPLACE the constraint itself would delete the older row.
        yield (
            f"CREATE TRIGGER {table}_no_replace_{index} BEFORE INSERT ON {table} "
            f"WHEN EXISTS (SELECT 1 FROM {table} WHERE {same}) "
            f"BEGIN SELECT RAISE(ABORT, 'UNIQUE constraint failed: {table} ({', '.join(columns)})'); END"
        )


# --- installing --------------------------------------------------------------------------------------


def install() -> None:
    """Create every registered trigger whose table exists; unchanged ones are left alone."""
    if _changed():
        with_short_locks(_install)


def _install() -> None:
    with connection.cursor() as cursor:
        for statement in _changed():
            _make(cursor, statement)


def _changed() -> list[Statement]:
    standing = _standing()
    return [wanted for wanted in _wanted() if standing.get(wanted.key) != wanted.mark]


def install_on_partitions(table: str) -> None:
    """Create the triggers that the partitions of a table lack, and the functions that depend on the present partitions,
    in the caller's transaction.
    """
    partitions = _partitions().get(table, ())
    functions = {statement for name in _for_partitions for statement in _depending_on_partitions(name)}
    with connection.cursor() as cursor:
        for statement in _changed():
            if statement.table in partitions or statement in functions:
                _make(cursor, statement)


def missing() -> list[str]:
    """Names of the registered triggers and functions that are absent, disabled or altered."""
    # Both sides are read one after the other, so a month that is made between them looks like a difference: read again.
    return _missing() and _missing()


def _missing() -> list[str]:
    standing = _standing()
    # Also those that cannot be installed because a table that they read is absent: nothing enforces their invariant.
    return [wanted.name for wanted in _wanted(readable=False) if standing.get(wanted.key) != wanted.mark]


def require_installed() -> None:
    """Called when a process starts to serve or to work. Raises TriggersMissing."""
    if absent := missing():
        raise TriggersMissing(
            f"The database lacks the triggers that keep it append-only: {', '.join(absent)}. "
            "Run `manage.py migrate`, then find out who removed them."
        )


PART = "database"
CHECKS = {
    "triggers": "every trigger and function that protects an invariant is installed and unaltered",
}


def audit() -> Report:
    """Check that the triggers are installed, as a part of an audit."""
    report, absent = Report(), missing()
    for name in absent:
        report.failed(Fault(PART, "triggers", name, "the trigger is missing, disabled or altered"))
    if not absent:
        report.passed(PART, "triggers")
    return report


def remove_all() -> None:
    """Drop the triggers on SQLite, within the transaction that creates them again with `install`."""
    with connection.cursor() as cursor:
        # Also those that another version has installed before a table existed that they read now.
        for statement in _wanted(readable=False):
            if statement.table:
                cursor.execute(_drop(statement))


@contextmanager
def removed(*tables: str) -> Iterator[None]:
    """Without the triggers of the tables, or of all tables if none is named, for the length of a block: for tests.

    No service uses it. Anyone who may run DDL can do the same; the hash chains and the signed checkpoints reveal it
    afterwards.
    """
    partitions = _partitions() if tables else {}
    named = {*tables, *(partition for table in tables for partition in partitions.get(table, ()))}
    gone = [one for one in _wanted() if one.table and (not tables or one.table in named)]
    with transaction.atomic(), connection.cursor() as cursor:
        for statement in gone:
            cursor.execute(_drop(statement))
    try:
        yield
    finally:
        with transaction.atomic(), connection.cursor() as cursor:
            for statement in gone:
                _make(cursor, statement)


def _wanted(*, readable: bool = True) -> list[Statement]:
    """The registered statements whose tables exist, and, if `readable`, the tables that they read."""
    tables = set(connection.introspection.table_names())
    wanted = (
        statement
        for name, dialects in _registered.items()
        if not readable or _needs[name] <= tables
        for statement in [*_depending_on_partitions(name), *dialects[connection.vendor]]
        if statement.table is None or statement.table in tables
    )
    unique = list(dict.fromkeys(wanted))  # several tables share a function
    return [*unique, *_on_partitions(unique)]


def _depending_on_partitions(name: str) -> list[Statement]:
    if connection.vendor != "postgresql" or name not in _for_partitions:
        return []
    return [Statement.of(sql) for sql in _for_partitions[name]()]


def _on_partitions(wanted: Sequence[Statement]) -> Iterator[Statement]:
    """The triggers of partitioned tables that each partition needs for itself. PostgreSQL copies those for each row to
    every partition, and the others to none.
    """
    partitions = _partitions()
    for one in wanted:
        for partition in partitions.get(one.table or "", ()) if _EACH_STATEMENT.search(one.sql) else ():
            yield Statement.of(one.sql.replace(str(one.table), partition))


def _partitions() -> dict[str, list[str]]:
    """The partitions of each partitioned table."""
    found: dict[str, list[str]] = {}
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT parent.relname, child.relname FROM pg_inherits JOIN pg_class child ON child.oid = inhrelid "
                "JOIN pg_class parent ON parent.oid = inhparent WHERE parent.relkind = 'p' "
                "AND parent.relnamespace = current_schema()::regnamespace ORDER BY child.relname"
            )
            for table, partition in cursor.fetchall():
                found.setdefault(table, []).append(partition)
    return found


def _drop(statement: Statement) -> str:
    on = "" if connection.vendor == "sqlite" else f" ON {statement.table}"
    return f"DROP TRIGGER IF EXISTS {statement.name}{on}"


def _make(cursor: Any, statement: Statement) -> None:
    if statement.table:
        cursor.execute(_drop(statement))
    cursor.execute(statement.sql)
    if statement.table and connection.vendor == "postgresql":
        _comment(cursor, statement)


def _standing() -> dict[tuple[str, str], str]:
    """Key and mark of the installed triggers: SQLite stores a trigger's text, PostgreSQL gets a comment."""
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute("SELECT 'trigger', name, sql FROM sqlite_master WHERE type = 'trigger'")
        else:
            cursor.execute(
                "SELECT 'trigger', tgname, coalesce(obj_description(pg_trigger.oid, 'pg_trigger'), '') FROM pg_trigger "
                "JOIN pg_class ON pg_class.oid = tgrelid "
                "WHERE NOT tgisinternal AND tgparentid = 0 AND tgenabled IN ('O', 'A') "
                # Each partition has copies, which can be disabled one by one.
                "AND NOT EXISTS (SELECT 1 FROM pg_trigger copy "
                "WHERE copy.tgparentid = pg_trigger.oid AND copy.tgenabled NOT IN ('O', 'A')) "
                "AND relnamespace = current_schema()::regnamespace "
                "UNION ALL SELECT 'function', proname, prosrc FROM pg_proc "
                "WHERE pronamespace = current_schema()::regnamespace"
            )
        return {(kind, name): mark for kind, name, mark in cursor.fetchall()}


def _comment(cursor: Any, statement: Statement) -> None:
    text = statement.sql.replace("'", "''")
    cursor.execute(f"COMMENT ON TRIGGER {statement.name} ON {statement.table} IS '{text}'")


# --- hooks of Django -----------------------------------------------------------------------------------

_repairing = False


@contextmanager
def repairing() -> Iterator[None]:
    """During migrate's own checks missing triggers are expected, because it is about to install them."""
    global _repairing
    _repairing = True
    try:
        yield
    finally:
        _repairing = False


def check_triggers(
    app_configs: Any, databases: Sequence[str] | None = None, **_: Any
) -> list[checks.CheckMessage]:
    """System check (`manage.py check --database default`)."""
    if _repairing or not databases:
        return []
    return [
        checks.Error(
            f"The trigger {name} is missing, disabled or altered; rows could be changed unseen.",
            hint="Run `manage.py migrate`, then find out what removed it.",
            id="eventstore.E001",
        )
        for name in missing()
    ]


def install_after_migrate(**_: Any) -> None:
    install()
