"""One after the other at tables where many move at once, so that nobody's move is decided upon in vain.

An append is refused when the stream has moved on: that keeps the game right, and this makes it quick. The threads of a
process wait for one another, and a table at which another process was faster is locked in the database before a move is
judged, until it is found once as this process left it.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from uuid import UUID

from django.db import transaction

from eventstore import store
from eventstore.store import Head
from games import state
from games.rules.table import Table

_LANES = tuple(threading.Lock() for _ in range(512))
"""A game has always the same lane, and shares it with few."""

_crowded: set[UUID] = set()
"""Games in which another process was faster than this one."""
REMEMBERED = 4096


@contextmanager
def lane(game_id: UUID) -> Iterator[None]:
    """Wait for the other threads of this process that move in the game."""
    with _LANES[hash(game_id) % len(_LANES)]:
        yield


@contextmanager
def alone(game_id: UUID) -> Iterator[tuple[Head, Table]]:
    """The game as it is and stays until the transaction that this opens is over. Raises NotFound."""
    remembered = state.peek(game_id)
    with transaction.atomic():
        store.lock(game_id)
        head, table = state.load(game_id)
        if remembered and remembered[0].version == head.version:
            _crowded.discard(game_id)
        yield head, table


def is_crowded(game_id: UUID) -> bool:
    return game_id in _crowded


def was_too_late(game_id: UUID) -> None:
    """Somebody else was faster."""
    if len(_crowded) >= REMEMBERED:
        _crowded.clear()
    _crowded.add(game_id)
