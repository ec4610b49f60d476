"""The migrated, empty database: made once for each state of the sources and copied for each test database.

`manage.py migrate` makes it in a separate process. It is stored for later runs: on SQLite as a file in the system's
folder for temporary files, on PostgreSQL as a database of the server.
"""

from __future__ import annotations

import contextlib
import fcntl
import functools
import hashlib
import os
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import psycopg
from psycopg.sql import SQL, Identifier

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("platform", "ledger", "games", "tournaments", "disputes", "audit")
KEPT = 3
"""Templates of earlier states of the sources that stay on the disk."""


@dataclass(frozen=True, slots=True)
class Template:
    """A file on SQLite; on PostgreSQL a database of `server` (the address of its database `postgres`)."""

    name: str
    server: str | None = None

    def copy_to(self, place: Path | str) -> None:
        """Make a copy at the path, or replace the database at the address."""
        if self.server is None:
            Path(place).parent.mkdir(parents=True, exist_ok=True)
            with (
                contextlib.closing(self.opened()) as source,
                contextlib.closing(sqlite3.connect(place)) as target,
            ):
                source.backup(target)
        else:
            _copy_database(self.server, self.name, urlsplit(str(place)).path[1:])

    def opened(self) -> sqlite3.Connection:
        """The file, read-only."""
        return sqlite3.connect(f"file:{self.name}?mode=ro", uri=True)


def of(url: str | None) -> Template:
    """The template for the server of this DATABASE_URL, or without one for SQLite."""
    return _of_server(_server(url) if url else None)


@functools.cache
def _of_server(server: str | None) -> Template:
    # Of this checkout: another one, at work on another state of the sources, removes templates too.
    checkout = hashlib.sha256(str(ROOT).encode()).hexdigest()[:12]
    folder = Path(tempfile.gettempdir()) / f"racecard-test-templates-{os.getuid()}-{checkout}"
    folder.mkdir(mode=0o700, exist_ok=True)
    with _locked(folder / "lock" if server is None else folder / f"lock-{urlsplit(server).port}"):
        return _sqlite(folder) if server is None else _postgresql(server)


def _sqlite(folder: Path) -> Template:
    file = folder / f"{fingerprint()}.sqlite3"
    if not file.exists():
        with tempfile.TemporaryDirectory(prefix="racecard-template-") as data:
            _migrate(RACECARD_DATA=data)
            building = file.with_suffix(".building")
            building.unlink(missing_ok=True)
            Template(f"{data}/racecard.sqlite3").copy_to(building)
            building.rename(file)
        for old in sorted(folder.glob("*.sqlite3"), key=lambda one: one.stat().st_mtime)[:-KEPT]:
            old.unlink()
    return Template(str(file))


def _postgresql(server: str) -> Template:
    name = f"test_template_{fingerprint()}"
    with psycopg.connect(server, autocommit=True) as control:
        if control.execute("SELECT 1 FROM pg_database WHERE datname = %s", [name]).fetchone():
            return Template(name, server)
        building = f"{name}_building"
        control.execute(SQL("DROP DATABASE IF EXISTS {}").format(Identifier(building)))
        control.execute(SQL("CREATE DATABASE {}").format(Identifier(building)))
        with tempfile.TemporaryDirectory(prefix="racecard-template-") as data:
            _migrate(
                RACECARD_DATA=data, DATABASE_URL=urlunsplit(urlsplit(server)._replace(path=f"/{building}"))
            )
        control.execute(SQL("ALTER DATABASE {} RENAME TO {}").format(Identifier(building), Identifier(name)))
    return Template(name, server)


@functools.cache
def fingerprint() -> str:
    """Of all sources that could have a part in what `migrate` makes."""
    digest = hashlib.sha256((ROOT / "requirements" / "run.txt").read_bytes())
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            digest.update(path.relative_to(ROOT).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]


def _migrate(**environment: str) -> None:
    ours = ("DATABASE_URL", "REDIS_URL", "RACECARD_", "DJANGO_", "PYTEST_")
    inherited = {key: value for key, value in os.environ.items() if not key.startswith(ours)}
    subprocess.run(
        [sys.executable, "manage.py", "migrate", "--verbosity", "0"],
        cwd=ROOT,
        env=inherited | environment,
        check=True,
    )


@contextlib.contextmanager
def _locked(file: Path) -> Iterator[None]:
    with file.open("w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def _server(url: str) -> str:
    return urlunsplit(urlsplit(url)._replace(path="/postgres"))


def drop(server: str, name: str) -> None:
    with psycopg.connect(server, autocommit=True) as control:
        control.execute(SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(Identifier(name)))


def _copy_database(server: str, source: str, target: str) -> None:
    drop(server, target)
    with psycopg.connect(server, autocommit=True) as control:
        control.execute(SQL("CREATE DATABASE {} TEMPLATE {}").format(Identifier(target), Identifier(source)))
