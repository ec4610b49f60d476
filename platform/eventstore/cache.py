"""The folded states of recently used streams, and the write path: load, decide, append.

The expected version of an append keeps a stream correct. Locks only save decisions that would be refused.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Generic, TypeVar
from uuid import UUID

from django.db import transaction

from core.errors import Problem
from core.replicas import is_reading
from core.transient import retried
from eventstore import store
from eventstore.snapshots import Snapshot, Snapshots
from eventstore.store import EMPTY, Head, StoredEvent, WrongVersion

S = TypeVar("S")
T = TypeVar("T")

_TURNS = tuple(threading.Lock() for _ in range(512))
"""A stream always uses the same lock, and shares it with few others."""

UNCOMMITTED = 64
"""States that a thread caches within one transaction: a round deals and ends its games in smaller groups."""


class StateCache(Generic[S]):
    """A cache that evicts the least recently used streams. Thread-safe; states must be immutable.

    With `snapshots`, a fold of more events than lie between two of them starts from the last snapshot before its end.
    A fold that finds none stores those that it passes.

    A state that `load` folds within a transaction is shared with other threads only after the commit, because a
    rollback may replace an event that was read by another one of the same version. Until then only the next `load` of
    the same transaction starts from it, so a transaction that loads a stream many times folds each event once. This
    is safe after a rollback to a savepoint too, because `load` compares hashes with the database. Callers `put` after
    their own commit.

    `refusals` are the exceptions by which a decision is refused, which depends on the state that it was given.
    """

    def __init__(
        self,
        capacity: int,
        initial: Callable[[UUID], S],
        evolve: Callable[[S, StoredEvent], S],
        snapshots: Snapshots[S] | None = None,
        refusals: tuple[type[Exception], ...] = (Problem,),
    ) -> None:
        if capacity < 1:
            raise ValueError("a cache holds at least one state")
        self._capacity, self._initial, self._evolve = capacity, initial, evolve
        self._snapshots, self._refusals = snapshots, refusals
        self._page = snapshots.every if snapshots else store.PAGE
        self._entries: OrderedDict[UUID, tuple[Head, S]] = OrderedDict()
        self._uncommitted: _Uncommitted[S] = _Uncommitted()
        self._lock = threading.Lock()
        self.contended: set[UUID] = set()
        """Streams to which another process appended while this one decided."""

    @retried
    def execute(self, stream: UUID, decide: Callable[[Head, S], T]) -> T:
        """Return the result of `decide(head, state)`, which appends after `head`, or refuses.

        `decide` is first called on the cached state, without a query. If another append came first, or if it refuses
        on a state that is no longer the present one, it is called again on the present state, with the stream locked.
        A stream to which another process appends too is locked before the first call, until it is found unchanged.

        The threads of this process wait for each other, unless the caller has opened a transaction.
        """
        with self._turn(stream):
            if stream not in self.contended:
                head, state = self.peek(stream) or self.load(stream)
                try:
                    return decide(head, state)
                except WrongVersion:
                    self._mark_contended(stream)
                except self._refusals:
                    if store.head(stream).hash == head.hash:
                        raise
            with self.locked(stream) as (head, state):
                return decide(head, state)

    @contextmanager
    def locked(self, stream: UUID, lock: Callable[[UUID], Head] = store.lock) -> Iterator[tuple[Head, S]]:
        """The present head and state; no other transaction appends to the stream until this one ends.

        `lock` locks the stream, and perhaps more, and returns the head.
        """
        known = self.peek(stream)
        with transaction.atomic():
            head, state = self.load(stream, lock(stream))
            if known and known[0].version == head.version:
                self.contended.discard(stream)
            yield head, state

    def _turn(self, stream: UUID) -> AbstractContextManager[object]:
        # A thread that holds locks of the database must not wait for a thread that may wait for those.
        in_transaction = transaction.get_connection().in_atomic_block
        return nullcontext() if in_transaction else _TURNS[hash(stream) % len(_TURNS)]

    def _mark_contended(self, stream: UUID) -> None:
        if len(self.contended) >= self._capacity:
            self.contended.clear()
        self.contended.add(stream)

    def load(self, stream: UUID, present: Head | None = None) -> tuple[Head, S]:
        """The current head and state; EMPTY and the initial state if there is no stream.

        `present` is the head that the caller has just read. A cached state of that head costs no query.
        """
        known = self._uncommitted.entries().get(stream) or self.peek(stream)
        if known is not None and known[0] == present:
            return known
        found = None if known is None else self._fold(stream, *known, None)
        if known is not None and found is None and not is_reading():
            # The database no longer has the folded events: a rollback or a restored backup has replaced them. A replica
            # may not have them yet.
            self.forget(stream)
        head, state = found or self._from_start(stream, None)
        if head.version and (known is None or head != known[0]):
            self.put_uncommitted(stream, head, state)
            transaction.on_commit(lambda: self.put(stream, head, state))
        return head, state

    def at(self, stream: UUID, version: int) -> tuple[Head, S]:
        """The head and state after an event; those of the last event if the stream is shorter, EMPTY for version 0."""
        if version == 0:
            return EMPTY, self._initial(stream)
        known = self.peek(stream)
        if known is not None and version - self._page <= known[0].version <= version:
            found = self._fold(stream, *known, version)
            if found is not None:
                return found
        return self._from_start(stream, version)

    def peek(self, stream: UUID) -> tuple[Head, S] | None:
        """The cached state, without a query. An append based on it is refused if it is stale."""
        with self._lock:
            entry = self._entries.get(stream)
            if entry is not None:
                self._entries.move_to_end(stream)
            return entry

    def put(self, stream: UUID, head: Head, state: S) -> None:
        """Cache a committed state; an older state never replaces a newer one."""
        with self._lock:
            known = self._entries.get(stream)
            if known is None or known[0].version <= head.version:
                self._entries[stream] = (head, state)
            self._entries.move_to_end(stream)
            while len(self._entries) > self._capacity:
                self._entries.popitem(last=False)

    def put_uncommitted(self, stream: UUID, head: Head, state: S) -> None:
        """Cache a state for the next `load` of the open transaction, if one is open."""
        if transaction.get_connection().in_atomic_block:
            self._uncommitted.put(stream, head, state)

    def written(self, stream: UUID) -> Head | None:
        """The head of the latest state that the open transaction has loaded or put; None if there is none."""
        known = self._uncommitted.entries().get(stream)
        return known and known[0]

    def appended(self, stream: UUID, before: Head, head: Head, state: S) -> None:
        """Cache the committed state after an append, and store a snapshot if one is due."""
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
        assert found is not None, "an empty cache cannot contradict the database"
        return found

    def _fold(self, stream: UUID, head: Head, state: S, until: int | None) -> tuple[Head, S] | None:
        """Fold the events after `head`; None if the database has another event at that version."""
        found = self._behind(stream, head, until)
        if found is None:
            return None
        head, tail = found
        if self._snapshots and len(tail) == self._page:
            # There may be more events than one page.
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
        """The next page of events after `head`, and the head with its time; None if it is not in the stream."""
        if head.version == 0:
            return head, store.read(stream, until=until, limit=self._page)
        found = store.read(stream, after=head.version - 1, until=until, limit=self._page + 1)
        if not found or found[0].hash != head.hash:
            return None
        return found[0].head(), found[1:]


class _Uncommitted(threading.local, Generic[S]):
    """The states that this thread has folded in its open transaction, of the latest streams only."""

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
