"""The folded games that this process served lately."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import cache as once
from pathlib import Path
from uuid import UUID

import orjson

from api.errors import NotFound
from eventstore.cache import StateCache
from eventstore.snapshots import Snapshots
from eventstore.store import EMPTY, Head, StoredEvent
from games import rules
from games.errors import NoSuchVersion
from games.rules import snapshot
from games.rules import table as tables
from games.rules.table import UNFOLDABLE, Table, Unfoldable, why_unfoldable

KIND = "game"
"""Of the streams that hold games."""

REMEMBERED = 4096
"""Games a process keeps folded; some kilobytes each."""


def evolve(table: Table | None, event: StoredEvent) -> Table:
    """Raises Unfoldable."""
    try:
        return tables.evolve(table, event.type, event.seat, event.data, event.private)
    except UNFOLDABLE as error:
        raise Unfoldable(event.version, why_unfoldable(error)) from error


SNAPSHOT_EVERY = 250
"""Events. No answer folds more than about so many, however long the game."""


@once
def _form() -> str:
    """Changes with the sources of the rules: what an older release has folded is folded again."""
    folder = Path(rules.__file__).parent
    sources = [path.read_bytes() for path in sorted(folder.rglob("*.py"))]
    return hashlib.sha256(b"\0".join(sources)).hexdigest()[:16]


def _dump(table: Table | None) -> bytes:
    assert table is not None, "a stream with events has a table"
    return orjson.dumps(snapshot.document(table))


def _load(dumped: bytes) -> Table | None:
    return snapshot.restored(orjson.loads(dumped))


cache: StateCache[Table | None] = StateCache(
    REMEMBERED, lambda stream: None, evolve, Snapshots(SNAPSHOT_EVERY, _form, _dump, _load)
)


def load(game_id: UUID) -> tuple[Head, Table]:
    """The game as the database has it. Raises NotFound, Unfoldable."""
    head, table = cache.load(game_id)
    if table is None:
        raise NotFound
    return head, table


def at(game_id: UUID, version: int) -> tuple[Head, Table]:
    """The game after its event `version`. Raises NoSuchVersion, Unfoldable."""
    head, table = cache.at(game_id, version)
    if table is None or head.version != version:
        raise NoSuchVersion
    return head, table


def peek(game_id: UUID) -> tuple[Head, Table] | None:
    """The game as this process last saw it, without a look at the database."""
    head, table = cache.peek(game_id) or (EMPTY, None)
    return None if table is None else (head, table)


def fold(events: Sequence[StoredEvent]) -> Table:
    """The table after the events of a stream from its beginning. Raises NotFound, Unfoldable."""
    table = None
    for event in events:
        table = evolve(table, event)
    if table is None:
        raise NotFound
    return table
