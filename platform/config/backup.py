"""Backups of a running installation, and their restoration.

A backup is a folder: a snapshot of the database, the keys, the published checkpoints, and a manifest with the hash of
every file. It contains secrets (the keys, the seeds of running games) and is readable by its owner only.

SQLite is copied with SQLite's own backup; PostgreSQL with COPY in one snapshot, which needs no program besides the
server. Both work while games are played. A restore is one transaction on PostgreSQL and one rename on SQLite: nothing
changes unless the restored data verifies.
"""

from __future__ import annotations

import gzip
import hashlib
import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import orjson
from django.apps import apps
from django.conf import settings
from django.core.management import call_command
from django.db import connection, transaction
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.recorder import MigrationRecorder

from config import checkpoints
from core import triggers
from core.checks import Fault, Report
from eventstore.chain import MOST_FAULTS, format_at
from eventstore.checkpoints import service as checkpoint
from eventstore.checkpoints.service import Published
from eventstore.models import Epoch
from eventstore.verify import verify_all
from jobs import services as jobs
from ledger import selectors as ledger

FORMAT = "racecard-backup/1"
MANIFEST = "manifest.json"
DATABASE = "database.sqlite3"
CHUNK = 1 << 20

Say = Callable[[str], None]


class Unusable(Exception):
    """The backup cannot be made or restored. The text has the reason and what to do."""


class NotWhole(Unusable):
    """The restored data does not verify and was discarded."""

    def __init__(self, faults: list[str]) -> None:
        super().__init__("The data of the backup does not verify; nothing was changed:\n" + "\n".join(faults))
        self.faults = faults


@dataclass(frozen=True, slots=True)
class Restored:
    report: Report
    epoch: int
    newer: list[Fault] = field(default_factory=list)
    """Checkpoints that were published after the backup."""


# --- backup --------------------------------------------------------------------------------------------


def backup(*, to: Path, now: datetime) -> dict[str, Any]:
    """Copy the installation into the new folder `to` and return the manifest. Raises Unusable."""
    if to.exists() and any(to.iterdir()):
        raise Unusable(f"{to} is not empty; name a new folder.")
    to.mkdir(mode=0o700, parents=True, exist_ok=True)
    to.chmod(0o700)
    if connection.vendor == "sqlite":
        _copy_sqlite(to / DATABASE)
        state = _state_of_sqlite(to / DATABASE)
    else:
        state = CopyDump(to / "tables").write()
    for name in _keys():
        _write(to / "keys" / name, (Path(settings.DATA) / name).read_bytes())
    if checkpoints.published_file().exists():
        _write(to / checkpoints.published_file().name, checkpoints.published_file().read_bytes())
    manifest = {
        "format": FORMAT,
        "made": format_at(now),
        "database": connection.vendor,
        **state,
        "files": {str(path.relative_to(to)): _digest(path) for path in _files(to)},
    }
    _write(to / MANIFEST, orjson.dumps(manifest, option=orjson.OPT_INDENT_2))
    return manifest


def _copy_sqlite(target: Path) -> None:
    """Copy in one step: writers continue in the write-ahead log, and the copy is the state at its start."""
    target.touch(mode=0o600)
    with closing(sqlite3.connect(_database_file())) as source, closing(sqlite3.connect(target)) as copy:
        source.backup(copy)
        copy.execute("PRAGMA journal_mode=DELETE")
        if (found := copy.execute("PRAGMA integrity_check").fetchone()) != ("ok",):
            raise Unusable(f"SQLite says of the copy: {found[0]}")


def _state_of_sqlite(file: Path) -> dict[str, Any]:
    with closing(sqlite3.connect(f"{file.as_uri()}?mode=ro", uri=True)) as copy:
        migrations = copy.execute("SELECT app, name FROM django_migrations ORDER BY id").fetchall()
        [[events]] = copy.execute("SELECT count(*) FROM eventstore_event").fetchall()
        [[newest]] = copy.execute("SELECT max(number) FROM eventstore_checkpoint").fetchall()
    return {"migrations": [list(row) for row in migrations], "events": events, "checkpoint": newest}


def _keys() -> list[str]:
    return sorted(path.name for path in Path(settings.DATA).glob("*.key"))


# --- restore -------------------------------------------------------------------------------------------


def restore(
    *,
    source: Path,
    now: datetime,
    replace: bool = False,
    known: Path | None = None,
    say: Say = lambda text: None,
) -> Restored:
    """Restore a backup and verify it, in a new epoch and with the jobs paused. Raises Unusable, NotWhole.

    `replace` allows it over an installation that has events. `known` is a file of published checkpoints to compare
    with, besides the one in the data folder.
    """
    manifest = read_manifest(source)
    say(f"backup of {manifest['made']}, {manifest['events']} events; its files are as they were written")
    if not replace and _has_events():
        raise Unusable("This installation has events; use --replace to replace it with the backup.")
    published = [*checkpoints.read_published(), *(checkpoints.read_published(known) if known else ())]
    with _RestoredKeys(source, now) as keys:
        if connection.vendor == "sqlite":
            restored = _restore_sqlite(source, now, published, say)
        else:
            restored = _restore_postgresql(source, manifest, now, published, say)
        keys.keep()
    _restore_publication(source, now, behind=bool(restored.newer))
    return restored


def read_manifest(source: Path) -> dict[str, Any]:
    """Raise Unusable unless every file has the hash in the manifest."""
    try:
        manifest: dict[str, Any] = orjson.loads((source / MANIFEST).read_bytes())
    except (OSError, ValueError):
        raise Unusable(f"{source} holds no readable {MANIFEST}; is it a backup?") from None
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise Unusable(f"{source} is no backup of a kind that this version knows ({FORMAT}).")
    if manifest["database"] != connection.vendor:
        raise Unusable(
            f"The backup is one of {manifest['database']}, and this installation uses {connection.vendor}. "
            "Set or unset DATABASE_URL."
        )
    found = {str(path.relative_to(source)) for path in _files(source)} - {MANIFEST}
    if strange := found ^ set(manifest["files"]):
        raise Unusable(f"Missing from the backup or foreign to it: {', '.join(sorted(strange))}")
    for name, digest in manifest["files"].items():
        if _digest(source / name) != digest:
            raise Unusable(f"{name} is not as the backup wrote it.")
    return manifest


def _restore_sqlite(source: Path, now: datetime, published: list[Published], say: Say) -> Restored:
    target = _database_file()
    fresh = target.with_name(f"{target.name}.restoring")
    _claim_sqlite(target)
    fresh.unlink(missing_ok=True)
    fresh.touch(mode=0o600)
    shutil.copyfile(source / DATABASE, fresh)
    connection.close()
    connection.settings_dict["NAME"] = str(fresh)
    try:
        restored = _bring_up_to_date(now, published, say)
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        connection.close()
        if target.exists():
            target.rename(_aside(target, now))
        fresh.rename(target)
    finally:
        connection.close()
        connection.settings_dict["NAME"] = str(target)
        for leftover in fresh.parent.glob(f"{fresh.name}*"):
            leftover.unlink()
    return restored


def _claim_sqlite(target: Path) -> None:
    """Only a database without open connections can leave the write-ahead log."""
    if not target.exists():
        return
    connection.close()
    with closing(sqlite3.connect(target, timeout=2)) as present:
        try:
            present.execute("PRAGMA journal_mode=DELETE")
        except sqlite3.OperationalError:
            raise Unusable("The installation is running. Stop it, then restore.") from None


def _restore_postgresql(
    source: Path, manifest: dict[str, Any], now: datetime, published: list[Published], say: Say
) -> Restored:
    with transaction.atomic():
        _claim_postgresql()
        dump = CopyDump(source / "tables")
        dump.drop_tables()
        # The backup's own schema first: that of a later version may have other columns.
        executor = MigrationExecutor(connection)
        applied = [(app, name) for app, name in manifest["migrations"] if apps.is_installed(_label(app))]
        executor.migrate(_leaves(executor, applied))
        dump.load()
        return _bring_up_to_date(now, published, say)


def _label(app: str) -> str:
    return next((config.name for config in apps.get_app_configs() if config.label == app), app)


def _leaves(executor: MigrationExecutor, applied: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """The applied migrations on which no other applied one of their app depends."""
    known = set(applied)
    if unknown := [
        f"{app}.{name}" for app, name in applied if (app, name) not in executor.loader.graph.nodes
    ]:
        raise _of_a_later_version(unknown)
    return [
        node
        for node in applied
        if not any(
            child.key in known and child.key[0] == node[0]
            for child in executor.loader.graph.node_map[node].children
        )
    ]


def _claim_postgresql() -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() "
            "AND pid <> pg_backend_pid() AND backend_type = 'client backend'"
        )
        if cursor.fetchone()[0]:
            raise Unusable(
                "The installation is running: its database has other connections. Stop it, then restore."
            )


def _bring_up_to_date(now: datetime, published: list[Published], say: Say) -> Restored:
    """Migrate, start a new epoch, pause the jobs, and verify. Raises NotWhole."""
    if unknown := _unknown_migrations():
        raise _of_a_later_version(unknown)
    call_command("migrate", verbosity=0, interactive=False)
    triggers.require_installed()
    last = Epoch.objects.order_by("-number").values_list("number", flat=True).first() or 0
    Epoch.objects.create(number=last + 1, began=now, reason="restored from a backup")
    jobs.pause(reason="restored from a backup", now=now)
    say("verifying every event, every checkpoint, and the ledger")
    report = verify_all()
    faults = [str(fault) for fault in report.faults] + _faults_of_the_books()
    newer = [fault for known in published if (fault := checkpoint.verify_against(known))]
    if faults:
        raise NotWhole(faults)
    return Restored(report, last + 1, newer)


def _of_a_later_version(migrations: list[str]) -> Unusable:
    return Unusable(
        f"The backup is of a later version: it knows {', '.join(migrations)}. Upgrade, then restore."
    )


def _unknown_migrations() -> list[str]:
    known = MigrationExecutor(connection).loader.disk_migrations
    labels = {config.label for config in apps.get_app_configs()}
    applied = MigrationRecorder(connection).applied_migrations()
    return sorted(
        f"{app}.{name}"
        for app, name in applied
        if app in labels
        and (app, name) not in known
        and not any((app, name) in migration.replaces for migration in known.values())
    )


def _faults_of_the_books() -> list[str]:
    """Recompute every balance from its transfers, and check that they add up to zero."""
    return [str(difference) for difference in islice(ledger.reconcile(), MOST_FAULTS)]


def _has_events() -> bool:
    if connection.vendor == "sqlite" and not _database_file().exists():
        return False
    with connection.cursor() as cursor:
        if "eventstore_event" not in connection.introspection.table_names(cursor):
            return False
        cursor.execute("SELECT 1 FROM eventstore_event LIMIT 1")
        return cursor.fetchone() is not None


class _RestoredKeys:
    """Install the backup's keys for the verification; restore the present ones if it fails."""

    def __init__(self, source: Path, now: datetime) -> None:
        self._source, self._now = source / "keys", now
        self._aside: list[tuple[Path, Path | None]] = []
        self._kept = False

    def __enter__(self) -> _RestoredKeys:
        for key in sorted(self._source.glob("*.key")):
            present = Path(settings.DATA) / key.name
            before: Path | None = None
            if present.exists():
                if present.read_bytes() == key.read_bytes():
                    continue
                before = _aside(present, self._now)
                present.rename(before)
            _write(present, key.read_bytes())
            self._aside.append((present, before))
        return self

    def keep(self) -> None:
        self._kept = True

    def __exit__(self, *_: object) -> None:
        for present, before in self._aside if not self._kept else ():
            present.unlink()
            if before:
                before.rename(present)


def _restore_publication(source: Path, now: datetime, *, behind: bool) -> None:
    """Move a publication that is ahead of the database away, as evidence. Publication starts again."""
    present, backed_up = checkpoints.published_file(), source / checkpoints.published_file().name
    if present.exists() and not behind:
        return
    if present.exists():
        present.rename(_aside(present, now))
    if backed_up.exists():
        _write(present, backed_up.read_bytes())


# --- files ---------------------------------------------------------------------------------------------


def _database_file() -> Path:
    return Path(str(connection.settings_dict["NAME"]))


def _aside(path: Path, now: datetime) -> Path:
    return path.with_name(f"{path.name}.before-restore-{now:%Y%m%dT%H%M%S}")


def _files(folder: Path) -> Iterator[Path]:
    return (path for path in sorted(folder.rglob("*")) if path.is_file())


def _digest(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(CHUNK):
            digest.update(chunk)
    return digest.hexdigest()


def _write(path: Path, content: bytes) -> None:
    """Write a file that only its owner may read, and sync it to the disk."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


# ruff: noqa: S608 - names come from the database's own catalogue, quoted


class Table(NamedTuple):
    name: str
    columns: tuple[str, ...]

    @property
    def quoted(self) -> str:
        """For COPY: the table and its columns in order."""
        columns = ", ".join(connection.ops.quote_name(column) for column in self.columns)
        return f"{connection.ops.quote_name(self.name)} ({columns})"


class CopyDump:
    """A folder with one gzipped file per table, the first line naming its columns."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def write(self) -> dict[str, Any]:
        """Dump all tables and return their entries of the manifest."""
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
        """Replace the rows of all tables. The schema must be the dump's; the triggers must not be installed yet."""
        present = {table.name for table in tables()}
        with connection.cursor() as cursor:
            quoted = ", ".join(connection.ops.quote_name(name) for name in sorted(present))
            cursor.execute(f"TRUNCATE {quoted}")
            # The tables are in order of name, not dependence; constraints are checked together below.
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
        """All tables of the installation in the database's current schema."""
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
    """Set identities to continue after the largest one in use."""
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
