"""The folded states of the streams a process served lately, so that a move reads only the tail."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Generic, TypeVar
from uuid import UUID

from django.db import transaction

from eventstore import store
from eventstore.snapshots import Snapshot, Snapshots
from eventstore.store import EMPTY, Head, StoredEvent

S = TypeVar("S")

UNCOMMITTED = 64
"""States that a thread keeps of one transaction: a round deals and ends its games in smaller groups."""


class StateCache(Generic[S]):
    """Least recently used streams leave first. Safe between threads; states must be immutable.

    With `snapshots`, a fold of more events than lie between two of them starts from the last one before its end; a
    fold that finds none keeps those it passes.

    What `load` folds within a transaction is shared with other threads only after the commit: a rollback may take back
    what was read, and another event of the same version come instead. Until then only the next `load` of the same
    transaction starts from it, so that a transaction that loads a stream many times folds each event once. That is
    safe after a rollback to a savepoint too, because `load` compares hashes with the database. Callers `put` after
    their own commit.
    """

    def __init__(
        self,
        capacity: int,
        initial: Callable[[UUID], S],
        evolve: Callable[[S, StoredEvent], S],
        snapshots: Snapshots[S] | None = None,
    ) -> None:
        if capacity < 1:
            raise ValueError("a cache holds at least one state")
        self._capacity, self._initial, self._evolve = capacity, initial, evolve
        self._snapshots = snapshots
        self._page = snapshots.every if snapshots else store.PAGE
        self._entries: OrderedDict[UUID, tuple[Head, S]] = OrderedDict()
        self._uncommitted: _Uncommitted[S] = _Uncommitted()
        self._lock = threading.Lock()

    def load(self, stream: UUID) -> tuple[Head, S]:
        """The head and state as the database has them; EMPTY and the initial state if there is no stream."""
        known = self._uncommitted.entries().get(stream) or self.peek(stream)
        found = None if known is None else self._fold(stream, *known, None)
        if known is not None and found is None:
            # The database no longer has what was folded: a rollback or the restore of a backup has replaced it.
            self.forget(stream)
        head, state = found or self._from_start(stream, None)
        if head.version and (known is None or head != known[0]):
            if transaction.get_connection().in_atomic_block:
                self._uncommitted.put(stream, head, state)
            transaction.on_commit(lambda: self.put(stream, head, state))
        return head, state

    def at(self, stream: UUID, version: int) -> tuple[Head, S]:
        """The head and state after an event; those of the stream's last event if it is shorter, EMPTY for version 0."""
        if version == 0:
            return EMPTY, self._initial(stream)
        known = self.peek(stream)
        if known is not None and version - self._page <= known[0].version <= version:
            found = self._fold(stream, *known, version)
            if found is not None:
                return found
        return self._from_start(stream, version)

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

    def appended(self, stream: UUID, before: Head, head: Head, state: S) -> None:
        """Remember the committed state after an append, with a snapshot where one is due."""
        self.put(stream, head, state)
        if self._snapshots and self._snapshots.is_due(before.version, head.version):
            self._snapshots.save(stream, [Snapshot(head.version, head.hash, state)])

    def forget(self, stream: UUID) -> None:
        self._uncommitted.entries().pop(stream, None)
        with self._lock:
            self._entries.pop(stream, None)

    def clear(self) -> None:
        self._uncommitted = _Uncommitted()
        with self._lock:
            self._entries.clear()

    def _from_start(self, stream: UUID, until: int | None) -> tuple[Head, S]:
        found = self._fold(stream, EMPTY, self._initial(stream), until)
        assert found is not None, "nothing was remembered that the database could contradict"
        return found

    def _fold(self, stream: UUID, head: Head, state: S, until: int | None) -> tuple[Head, S] | None:
        """Fold what comes after `head`; None if the database has another event at that version."""
        found = self._behind(stream, head, until)
        if found is None:
            return None
        head, tail = found
        if self._snapshots and len(tail) == self._page:
            # More may follow than is folded at a time.
            snapshot = self._snapshots.latest(stream, after=head.version, until=until)
            if snapshot and (found := self._behind(stream, snapshot.head(), until)):
                state, (head, tail) = snapshot.state, found
        folded, passed = 0, list[Snapshot[S]]()
        try:
            while tail:
                for event in tail:
                    state = self._evolve(state, event)
                    if event.version % self._page == 0:
                        passed.append(Snapshot(event.version, event.hash, state))
                folded += len(tail)
                head = tail[-1].head()
                more = len(tail) == self._page
                tail = store.read(stream, after=head.version, until=until, limit=self._page) if more else []
        finally:
            if self._snapshots and folded > self._page:
                self._snapshots.save(stream, passed)
        return head, state

    def _behind(self, stream: UUID, head: Head, until: int | None) -> tuple[Head, list[StoredEvent]] | None:
        """The next page of events behind `head`, and the head with its time; None if it is no event of the stream."""
        if head.version == 0:
            return head, store.read(stream, until=until, limit=self._page)
        found = store.read(stream, after=head.version - 1, until=until, limit=self._page + 1)
        if not found or found[0].hash != head.hash:
            return None
        return found[0].head(), found[1:]


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
