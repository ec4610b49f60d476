"""The folded games that this process served lately."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from api.errors import NotFound
from eventstore.cache import StateCache
from eventstore.store import EMPTY, Head, StoredEvent
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


cache: StateCache[Table | None] = StateCache(REMEMBERED, lambda stream: None, evolve)


def load(game_id: UUID) -> tuple[Head, Table]:
    """The game as the database has it. Raises NotFound, Unfoldable."""
    head, table = cache.load(game_id)
    if table is None:
        raise NotFound
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
