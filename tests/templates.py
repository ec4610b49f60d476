"""The migrated, empty database of the test run, kept before the first test for whoever needs one of its own.

To replay all migrations takes seconds of the processor, to copy what they made takes none.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import psycopg
from django.db import connection
from psycopg.sql import SQL, Identifier


@dataclass(frozen=True, slots=True)
class Template:
    """A file on SQLite; on PostgreSQL a database of the `server` (the address of its database `postgres`)."""

    name: str
    server: str | None = None

    def copy_to(self, place: Path | str) -> None:
        """Put a copy where there is no database yet, or in the place of the one at the address."""
        if self.server is None:
            Path(place).parent.mkdir(parents=True, exist_ok=True)
            _copy_file(Path(self.name), Path(place))
        else:
            _copy_database(self.server, self.name, urlsplit(str(place)).path[1:])


_kept: Template | None = None


def of(url: str | None) -> Template | None:
    """The template for an installation with this DATABASE_URL, unless there is none on that server."""
    if _kept is None or _kept.server != (_server(url) if url else None):
        return None
    return _kept


@contextlib.contextmanager
def kept(folder: Path) -> Iterator[None]:
    """Keep the database of the connection as it is now, until the end of the context."""
    global _kept
    name = str(connection.settings_dict["NAME"])
    connection.close()  # nobody may be connected to a database of PostgreSQL while it is copied
    if connection.vendor == "sqlite":
        template = Template(str(folder / "template.sqlite3"))
        _copy_file(Path(name), Path(template.name))
    else:
        template = Template(f"{name}_template", _server(os.environ["DATABASE_URL"]))
        _copy_database(str(template.server), name, template.name)
    _kept = template
    try:
        yield
    finally:
        _kept = None
        if template.server:
            _drop(template.server, template.name)


def _server(url: str) -> str:
    return urlunsplit(urlsplit(url)._replace(path="/postgres"))


def _copy_file(source: Path, target: Path) -> None:
    with (
        contextlib.closing(sqlite3.connect(source)) as one,
        contextlib.closing(sqlite3.connect(target)) as other,
    ):
        one.backup(other)


def _copy_database(server: str, source: str, target: str) -> None:
    _drop(server, target)
    with psycopg.connect(server, autocommit=True) as control:
        control.execute(SQL("CREATE DATABASE {} TEMPLATE {}").format(Identifier(target), Identifier(source)))


def _drop(server: str, name: str) -> None:
    with psycopg.connect(server, autocommit=True) as control:
        control.execute(SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(Identifier(name)))
