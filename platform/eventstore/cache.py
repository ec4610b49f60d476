"""The folded states of the streams a process served lately, so that a move reads only the tail."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Generic, TypeVar
from uuid import UUID

from django.db import transaction

from eventstore import store
from eventstore.store import EMPTY, Head, StoredEvent

S = TypeVar("S")

UNCOMMITTED = 64
"""States that a thread keeps of one transaction: a round deals and ends its games in smaller groups."""


class StateCache(Generic[S]):
    """Least recently used streams leave first. Safe between threads; states must be immutable.

    What `load` folds within a transaction is shared with other threads only after the commit: a rollback may take back
    what was read, and another event of the same version come instead. Until then only the next `load` of the same
    transaction starts from it, so that a transaction that loads a stream many times folds each event once. That is
    safe after a rollback to a savepoint too, because `load` compares hashes with the database. Callers `put` after
    their own commit.
    """

    def __init__(
        self, capacity: int, initial: Callable[[UUID], S], evolve: Callable[[S, StoredEvent], S]
    ) -> None:
        if capacity < 1:
            raise ValueError("a cache holds at least one state")
        self._capacity, self._initial, self._evolve = capacity, initial, evolve
        self._entries: OrderedDict[UUID, tuple[Head, S]] = OrderedDict()
        self._uncommitted: _Uncommitted[S] = _Uncommitted()
        self._lock = threading.Lock()

    def load(self, stream: UUID) -> tuple[Head, S]:
        """The head and state as the database has them; EMPTY and the initial state if there is no stream."""
        uncommitted = self._uncommitted.entries()
        head, state = uncommitted.get(stream) or self.peek(stream) or (EMPTY, self._initial(stream))
        # The last known event is read again: its hash shows whether the database still has the same history.
        tail = store.read(stream, after=max(head.version - 1, 0))
        if head.version:
            if tail and tail[0].hash == head.hash:
                del tail[0]
            else:  # a rollback or the restore of a backup has replaced it
                self.forget(stream)
                head, state = EMPTY, self._initial(stream)
                tail = store.read(stream)
        for event in tail:
            state = self._evolve(state, event)
        if tail:
            head = tail[-1].head()
            found = (stream, head, state)
            if transaction.get_connection().in_atomic_block:
                self._uncommitted.put(*found)
            transaction.on_commit(lambda: self.put(*found))
        return head, state

    def peek(self, stream: UUID) -> tuple[Head, S] | None:
        """What is remembered, without a look at the database; an append upon it is refused if it is stale."""
        with self._lock:
            entry = self._entries.get(stream)
            if entry is not None:
                self._entries.move_to_end(stream)
            return entry

    def put(self, stream: UUID, head: Head, state: S) -> None:
        """Remember a committed state; an older one never replaces a newer."""
        with self._lock:
            known = self._entries.get(stream)
            if known is None or known[0].version <= head.version:
                self._entries[stream] = (head, state)
            self._entries.move_to_end(stream)
            while len(self._entries) > self._capacity:
                self._entries.popitem(last=False)

    def forget(self, stream: UUID) -> None:
        self._uncommitted.entries().pop(stream, None)
        with self._lock:
            self._entries.pop(stream, None)

    def clear(self) -> None:
        self._uncommitted = _Uncommitted()
        with self._lock:
            self._entries.clear()


class _Uncommitted(threading.local, Generic[S]):
    """What this thread has folded in its open transaction, the latest streams only."""

    def __init__(self) -> None:
        self._entries: OrderedDict[UUID, tuple[Head, S]] = OrderedDict()

    def entries(self) -> OrderedDict[UUID, tuple[Head, S]]:
        """Empty outside a transaction."""
        if not transaction.get_connection().in_atomic_block:
            self._entries.clear()
        return self._entries

    def put(self, stream: UUID, head: Head, state: S) -> None:
        self._entries[stream] = (head, state)
        self._entries.move_to_end(stream)
        if len(self._entries) > UNCOMMITTED:
            self._entries.popitem(last=False)
