"""Cache of folded games in this process."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache as once
from pathlib import Path
from typing import TypeVar
from uuid import UUID

import orjson

from core.errors import NoSuchVersion, NotFound, Problem
from eventstore import store
from eventstore.cache import StateCache
from eventstore.snapshots import Snapshots
from eventstore.store import Head, StoredEvent
from games import rules
from games.rules import Refused, snapshot
from games.rules import table as tables
from games.rules.table import UNFOLDABLE, Table, Unfoldable, why_unfoldable

T = TypeVar("T")

KIND = "game"
"""The kind of streams that contain games."""

REMEMBERED = 4096
"""Games that a process caches; some kilobytes each."""


def evolve(table: Table | None, event: StoredEvent) -> Table:
    """Apply one event. Raises Unfoldable."""
    try:
        return tables.evolve(table, event.type, event.seat, event.data, event.private)
    except UNFOLDABLE as error:
        raise Unfoldable(event.version, why_unfoldable(error)) from error


SNAPSHOT_EVERY = 250
"""Events between snapshots: a request folds at most about this many."""


@once
def _form() -> str:
    """A hash of the rules' sources: a snapshot of an older release is not used."""
    folder = Path(rules.__file__).parent
    sources = [path.read_bytes() for path in sorted(folder.rglob("*.py"))]
    return hashlib.sha256(b"\0".join(sources)).hexdigest()[:16]


def _dump(table: Table | None) -> bytes:
    assert table is not None, "a stream with events has a table"
    return orjson.dumps(snapshot.document(table))


def _load(dumped: bytes) -> Table | None:
    return snapshot.restored(orjson.loads(dumped))


cache: StateCache[Table | None] = StateCache(
    REMEMBERED,
    lambda stream: None,
    evolve,
    Snapshots(SNAPSHOT_EVERY, _form, _dump, _load),
    refusals=(Refused, Problem),
)


def execute(game_id: UUID, decide: Callable[[Head, Table], T]) -> T:
    """Return the result of `decide(head, table)`, which appends after `head`; see `StateCache.execute`.

    Raises NotFound, Unfoldable, and what `decide` raises on the present state.
    """
    return cache.execute(game_id, lambda head, table: decide(head, _existing(table)))


@contextmanager
def locked(game_id: UUID, lock: Callable[[UUID], Head] = store.lock) -> Iterator[tuple[Head, Table]]:
    """Return the present state of the game, locked until the transaction ends. Raises NotFound, Unfoldable.

    `lock` locks the stream, and perhaps more, and returns its head.
    """
    with cache.locked(game_id, lock) as (head, table):
        yield head, _existing(table)


def _existing(table: Table | None) -> Table:
    if table is None:
        raise NotFound
    return table


def load(game_id: UUID, present: Head | None = None) -> tuple[Head, Table]:
    """Return the present state of the game from the database; see `StateCache.load`. Raises NotFound, Unfoldable."""
    head, table = cache.load(game_id, present)
    return head, _existing(table)


def written(game_id: UUID) -> Head | None:
    """Return the head of the game as the open transaction has left it; None if it has not."""
    return cache.written(game_id)


def at(game_id: UUID, version: int) -> tuple[Head, Table]:
    """Return the game after event `version`. Raises NoSuchVersion, Unfoldable."""
    head, table = cache.at(game_id, version)
    if table is None or head.version != version:
        raise NoSuchVersion
    return head, table


def fold(events: Sequence[StoredEvent]) -> Table:
    """Return the table after all events of a stream. Raises NotFound, Unfoldable."""
    table = None
    for event in events:
        table = evolve(table, event)
    return _existing(table)
