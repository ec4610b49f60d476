"""Databases that are made once for each state of the sources and copied for each test database.

`of` is the migrated, empty one, which `manage.py migrate` makes in a separate process; `grown` is one with thousands of
rows in each table that grows, made from it by `tests.grown`. They are stored for later runs: on SQLite as a file in the
system's folder for temporary files, on PostgreSQL as a database of the server.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import psycopg
from psycopg.sql import SQL, Identifier

from tools.locks import locked

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
    """The migrated template for the server of this DATABASE_URL, or without one for SQLite."""
    return _of_server(_server(url) if url else None)


def grown(url: str | None) -> Template:
    """The grown template. It is made again each day, because people's sessions and limits end."""
    return _grown(_server(url) if url else None)


Fill = Callable[[dict[str, str]], None]
"""Fills the database that these environment variables name."""


def _migrate(environment: dict[str, str]) -> None:
    _run("manage.py", "migrate", "--verbosity", "0", environment=environment)


def _grow(environment: dict[str, str]) -> None:
    _run("-m", "tests.grown", environment={**environment, "RACECARD_LOG_LEVEL": "ERROR"})


@functools.cache
def _of_server(server: str | None) -> Template:
    return _made(server, "template", fingerprint(), _migrate)


@functools.cache
def _grown(server: str | None) -> Template:
    empty = _of_server(server)
    state = f"{_digest(('tests', 'bench'), fingerprint())}_{datetime.now(UTC):%d}"
    return _made(server, "grown", state, _grow, empty)


def _made(server: str | None, kind: str, state: str, fill: Fill, empty: Template | None = None) -> Template:
    """The stored template of this state, or a new one that is filled, starting from `empty` if there is one."""
    # Of this checkout: another one, at work on another state of the sources, removes templates too.
    checkout = hashlib.sha256(str(ROOT).encode()).hexdigest()[:12]
    folder = Path(tempfile.gettempdir()) / f"racecard-test-templates-{os.getuid()}-{checkout}"
    folder.mkdir(mode=0o700, exist_ok=True)
    with locked(folder / "lock" if server is None else folder / f"lock-{urlsplit(server).port}"):
        if server is None:
            return _sqlite(folder, kind, state, fill, empty)
        return _postgresql(server, kind, state, fill, empty)


def _sqlite(folder: Path, kind: str, state: str, fill: Fill, empty: Template | None) -> Template:
    file = folder / f"{kind}-{state}.sqlite3"
    if not file.exists():
        with tempfile.TemporaryDirectory(prefix="racecard-template-") as data:
            made = f"{data}/racecard.sqlite3"
            if empty is not None:
                empty.copy_to(made)
            fill({"RACECARD_DATA": data})
            building = file.with_suffix(".building")
            building.unlink(missing_ok=True)
            Template(made).copy_to(building)
            building.rename(file)
        for old in sorted(folder.glob(f"{kind}-*.sqlite3"), key=lambda one: one.stat().st_mtime)[:-KEPT]:
            old.unlink()
    return Template(str(file))


def _postgresql(server: str, kind: str, state: str, fill: Fill, empty: Template | None) -> Template:
    name = f"test_{kind}_{state}"
    with psycopg.connect(server, autocommit=True) as control:
        if control.execute("SELECT 1 FROM pg_database WHERE datname = %s", [name]).fetchone():
            return Template(name, server)
        building = f"{name}_building"
        if empty is not None:
            _copy_database(server, empty.name, building)
        else:
            drop(server, building)
            control.execute(SQL("CREATE DATABASE {}").format(Identifier(building)))
        with tempfile.TemporaryDirectory(prefix="racecard-template-") as data:
            url = urlunsplit(urlsplit(server)._replace(path=f"/{building}"))
            fill({"RACECARD_DATA": data, "DATABASE_URL": url})
        control.execute(SQL("ALTER DATABASE {} RENAME TO {}").format(Identifier(building), Identifier(name)))
    return Template(name, server)


@functools.cache
def fingerprint() -> str:
    """Of all sources that could have a part in what `migrate` makes."""
    return _digest(PACKAGES, (ROOT / "requirements" / "run.txt").read_text(encoding="utf-8"))


def _digest(folders: tuple[str, ...], before: str) -> str:
    digest = hashlib.sha256(before.encode())
    for folder in folders:
        for path in sorted((ROOT / folder).rglob("*.py")):
            if not path.name.startswith("test_"):
                digest.update(path.relative_to(ROOT).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]


def _run(*words: str, environment: dict[str, str]) -> None:
    """Run Python on these words, with none of our variables but these."""
    ours = ("DATABASE_URL", "REDIS_URL", "RACECARD_", "DJANGO_", "PYTEST_")
    inherited = {key: value for key, value in os.environ.items() if not key.startswith(ours)}
    subprocess.run([sys.executable, *words], cwd=ROOT, env=inherited | environment, check=True)


def _server(url: str) -> str:
    return urlunsplit(urlsplit(url)._replace(path="/postgres"))


def drop(server: str, name: str) -> None:
    with psycopg.connect(server, autocommit=True) as control:
        control.execute(SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(Identifier(name)))


def _copy_database(server: str, source: str, target: str) -> None:
    drop(server, target)
    with psycopg.connect(server, autocommit=True) as control:
        control.execute(SQL("CREATE DATABASE {} TEMPLATE {}").format(Identifier(target), Identifier(source)))
