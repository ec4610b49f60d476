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


class StateCache(Generic[S]):
    """Least recently used streams leave first. Safe between threads; states must be immutable.

    Within a transaction `load` keeps what it folded only once that has committed: a rollback may take back
    what was read, and another event of the same version come instead. Callers `put` after their own commit.
    """

    def __init__(
        self, capacity: int, initial: Callable[[UUID], S], evolve: Callable[[S, StoredEvent], S]
    ) -> None:
        if capacity < 1:
            raise ValueError("a cache holds at least one state")
        self._capacity, self._initial, self._evolve = capacity, initial, evolve
        self._entries: OrderedDict[UUID, tuple[Head, S]] = OrderedDict()
        self._lock = threading.Lock()

    def load(self, stream: UUID) -> tuple[Head, S]:
        """The head and state as the database has them; EMPTY and the initial state if there is no stream."""
        head, state = self.peek(stream) or (EMPTY, self._initial(stream))
        tail = store.read(stream, after=head.version)
        if not self._continues(stream, head, tail):
            self.forget(stream)
            head, state = EMPTY, self._initial(stream)
            tail = store.read(stream)
        for event in tail:
            state = self._evolve(state, event)
        if tail:
            head = tail[-1].head()
            found = (stream, head, state)
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
        with self._lock:
            self._entries.pop(stream, None)

    def clear(self) -> None:
        with self._lock:
            self._entries.clear()

    def _continues(self, stream: UUID, head: Head, tail: list[StoredEvent]) -> bool:
        """Whether the database still tells the story that was folded (a restore may have taken it back)."""
        if tail:
            return tail[0].prev == head.hash and tail[0].version == head.version + 1
        return head.version == 0 or store.head(stream).hash == head.hash
