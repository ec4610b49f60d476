"""Backups of a running installation, and their restoration.

A backup is a folder: a snapshot of the database, the keys, the published checkpoints, and a manifest with the hash of
every file. It contains secrets (the keys, the seeds of running games) and is readable by its owner only.

SQLite is copied with SQLite's own backup, PostgreSQL is dumped in one snapshot (`config.postgresql.dump`). Both work
while games are played. A restore builds the database next to the present one, and puts it in its place by one
transaction on PostgreSQL and one rename on SQLite: nothing changes unless the restored data verifies.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import IO, Any

import orjson
from django.apps import apps
from django.conf import settings
from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.recorder import MigrationRecorder

from audit.report import sorted_faults
from audit.services import verify_storage
from config import checkpoints
from config.parallel import spread_over_cores
from config.postgresql import dump
from core.checks import Fault, Report
from eventstore.chain import MOST_FAULTS, format_at
from eventstore.checkpoints import service as checkpoint
from eventstore.checkpoints.service import Published
from eventstore.models import Epoch
from eventstore.packs import storage
from eventstore.packs.form import digest_of
from jobs import services as jobs

FORMAT = "racecard-backup/1"
MANIFEST = "manifest.json"
DATABASE = "database.sqlite3"
PATIENCE = 5.0
"""Seconds in which the processes of a verification leave the database."""

ARCHIVE = "archive"
"""The folder with the packs of archived games, if the backup includes them."""

Say = Callable[[str], None]
Verify = Callable[[], Report]


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


def backup(*, to: Path, now: datetime, with_archive: bool = False) -> dict[str, Any]:
    """Copy the installation into the new folder `to` and return the manifest. Raises Unusable.

    The database has the index of the archive. `with_archive` copies its packs as well.
    """
    if to.exists() and any(to.iterdir()):
        raise Unusable(f"{to} is not empty; name a new folder.")
    _require_own_connection()
    to.mkdir(mode=0o700, parents=True, exist_ok=True)
    to.chmod(0o700)
    keys = _keys()
    if connection.vendor == "sqlite":
        state = _copy_sqlite(to / DATABASE)
    else:
        try:
            state = dump.write(to, _state)
        except dump.DumpError as error:
            raise Unusable(str(error)) from None
    if keys != _keys():
        raise Unusable("The keys were changed during the backup; make another one.")
    for name, key in keys.items():
        _write(to / "keys" / name, key)
    if checkpoints.published_file().exists():
        # Those that were signed after the copy began are not in its database.
        _write(to / checkpoints.published_file().name, _published_until(state["checkpoint"]))
    if with_archive:
        _copy_packs(state["packs"], to)
    manifest = {
        "format": FORMAT,
        "made": format_at(now),
        "database": connection.vendor,
        **state,
        "packs_included": with_archive,
        "files": {str(path.relative_to(to)): _digest(path) for path in _files(to)},
    }
    _write(to / MANIFEST, orjson.dumps(manifest, option=orjson.OPT_INDENT_2))
    return manifest


def _require_own_connection() -> None:
    """Raise Unusable with a pooler: other connections share the snapshot of a copy, and a restored schema is a setting
    of the connection.
    """
    if connection.settings_dict.get("POOLED"):
        raise Unusable(
            "DATABASE_URL leads to a pooler; set RACECARD_DATABASE_DIRECT_URL to the address of PostgreSQL itself."
        )


def _copy_sqlite(target: Path) -> dict[str, Any]:
    """Copy in one step: writers continue in the write-ahead log, and the copy is the state at its start."""
    target.touch(mode=0o600)
    with closing(sqlite3.connect(_database_file())) as source, closing(sqlite3.connect(target)) as copy:
        source.backup(copy)
        copy.execute("PRAGMA journal_mode=DELETE")
        # Not integrity_check, which also compares every index with its table and takes many times as long.
        if (found := copy.execute("PRAGMA quick_check").fetchone()) != ("ok",):
            raise Unusable(f"SQLite says of the copy: {found[0]}")
        return _state(copy.cursor())


def _state(cursor: Any) -> dict[str, Any]:
    """What the manifest says of a database."""
    migrations = cursor.execute("SELECT app, name FROM django_migrations ORDER BY id").fetchall()
    [[events]] = cursor.execute("SELECT count(*) FROM eventstore_event").fetchall()
    [[newest]] = cursor.execute("SELECT max(number) FROM eventstore_checkpoint").fetchall()
    [[has_archive]] = cursor.execute(_HAS_ARCHIVE[connection.vendor]).fetchall()
    packs = []
    if has_archive:
        packs = cursor.execute("SELECT digest FROM eventstore_archivepack ORDER BY digest").fetchall()
    return {
        "migrations": [list(row) for row in migrations],
        "events": events,
        "checkpoint": newest,
        "packs": [digest for (digest,) in packs],
    }


# A backup before an upgrade is one of the earlier version's tables.
_HAS_ARCHIVE = {
    "sqlite": "SELECT count(*) FROM sqlite_master WHERE name = 'eventstore_archivepack'",
    "postgresql": "SELECT count(*) FROM pg_tables "
    "WHERE tablename = 'eventstore_archivepack' AND schemaname = current_schema()",
}


def _copy_packs(digests: Iterable[str], to: Path) -> None:
    """Copy packs from the store, and compare each with its digest. Raises Unusable."""
    for digest in digests:
        target = to / ARCHIVE / storage.name_of(digest)
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        try:
            with storage.fetched(digest) as pack:
                if digest_of(pack) != digest:
                    raise Unusable(f"The pack {digest} of the archive was changed; see docs/operations.md.")
                _write(target, pack)
        except storage.ArchiveUnavailable:
            raise Unusable(f"The store of the archive does not answer, or lacks the pack {digest}.") from None


def _restore_packs(source: Path, digests: Iterable[str]) -> None:
    """Copy the packs of a backup into the store, which keeps those that it has. Raises Unusable."""
    for digest in digests:
        with (source / ARCHIVE / storage.name_of(digest)).open("rb") as pack:
            try:
                storage.save(pack, digest)
            except storage.ArchiveUnavailable:
                raise Unusable("The store of the archive does not answer; see RACECARD_ARCHIVE.") from None


def _keys() -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(Path(settings.DATA).glob("*.key"))}


def _published_until(number: int | None) -> bytes:
    lines = checkpoints.published_file().read_bytes().splitlines(keepends=True)
    return b"".join(line for line in lines if orjson.loads(line)["number"] <= (number or 0))


# --- restore -------------------------------------------------------------------------------------------


def restore(
    *,
    source: Path,
    now: datetime,
    replace: bool = False,
    known: Path | None = None,
    without_archive: bool = False,
    say: Say = lambda text: None,
) -> Restored:
    """Restore a backup and verify it, in a new epoch and with the jobs paused. Raises Unusable, NotWhole.

    `replace` allows it over an installation that has events. `known` is a file of published checkpoints to compare
    with, besides the one in the data folder. `without_archive` does not check that the packs of archived games are in
    the store.
    """
    _require_own_connection()
    manifest = read_manifest(source)
    say(f"backup of {manifest['made']}, {manifest['events']} events; its files are as they were written")
    if not replace and _has_events():
        raise Unusable("This installation has events; use --replace to replace it with the backup.")
    if manifest.get("packs_included"):
        _restore_packs(source, manifest["packs"])
    published = [*checkpoints.read_published(), *(checkpoints.read_published(known) if known else ())]
    verify = partial(verify_storage, spread=spread_over_cores, archive=not without_archive)
    with _RestoredKeys(source, now) as keys:
        if connection.vendor == "sqlite":
            restored = _restore_sqlite(source, now, published, verify, say)
        else:
            restored = _restore_postgresql(source, manifest, now, published, verify, say)
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


def _restore_sqlite(
    source: Path, now: datetime, published: list[Published], verify: Verify, say: Say
) -> Restored:
    target = _database_file()
    fresh = target.with_name(f"{target.name}.restoring")
    _claim_sqlite(target)
    fresh.unlink(missing_ok=True)
    fresh.touch(mode=0o600)
    shutil.copyfile(source / DATABASE, fresh)
    connection.close()
    connection.settings_dict["NAME"] = str(fresh)
    try:
        restored = _bring_up_to_date(now, published, verify, say)
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
    source: Path,
    manifest: dict[str, Any],
    now: datetime,
    published: list[Published],
    verify: Verify,
    say: Say,
) -> Restored:
    _claim_postgresql()
    with dump.staging() as replace:
        # The backup's own schema first: that of a later version may have other columns.
        executor = MigrationExecutor(connection)
        applied = [(app, name) for app, name in manifest["migrations"] if apps.is_installed(_label(app))]
        executor.migrate(_leaves(executor, applied))
        try:
            dump.load(source)
        except dump.DumpError as error:
            raise Unusable(str(error)) from None
        restored = _bring_up_to_date(now, published, verify, say)
        _claim_postgresql(patience=PATIENCE)
        replace()
    return restored


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


def _claim_postgresql(patience: float = 0.0) -> None:
    deadline = time.monotonic() + patience
    while _others():
        if time.monotonic() >= deadline:
            raise Unusable(
                "The installation is running: its database has other connections. Stop it, then restore."
            )
        time.sleep(0.1)


def _others() -> int:
    """The number of other connections to the database."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() "
            "AND pid <> pg_backend_pid() AND backend_type = 'client backend'"
        )
        return int(cursor.fetchone()[0])


def _bring_up_to_date(now: datetime, published: list[Published], verify: Verify, say: Say) -> Restored:
    """Migrate, start a new epoch, pause the jobs, and verify. Raises NotWhole."""
    if unknown := _unknown_migrations():
        raise _of_a_later_version(unknown)
    call_command("migrate", verbosity=0, interactive=False)
    last = Epoch.objects.order_by("-number").values_list("number", flat=True).first() or 0
    Epoch.objects.create(number=last + 1, began=now, reason="restored from a backup")
    jobs.pause(reason="restored from a backup", now=now)
    say("verifying every event, every checkpoint, and the ledger")
    report = verify()
    if report.faults:
        raise NotWhole([str(fault) for fault in sorted_faults(report.faults)[:MOST_FAULTS]])
    newer = [fault for known in published if (fault := checkpoint.verify_against(known))]
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
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _write(path: Path, content: bytes | IO[bytes]) -> None:
    """Write a file that only its owner may read, and sync it to the disk."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
        if isinstance(content, bytes):
            file.write(content)
        else:
            content.seek(0)
            shutil.copyfileobj(content, file)
        file.flush()
        os.fsync(file.fileno())
