"""Snapshots: a fold is not longer than the distance between two of them, and invalid snapshots are not used."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import UUID

import orjson
import pytest
from django.db import connection, transaction

from core import triggers
from eventstore import snapshots as module
from eventstore import store
from eventstore.cache import StateCache
from eventstore.models import Snapshot
from eventstore.snapshots import Snapshots
from eventstore.store import StoredEvent

pytestmark = [pytest.mark.both_databases, pytest.mark.django_db(transaction=True)]

EVERY = 10
State = tuple[str, ...]


class Wrong(Exception):
    """An event that cannot be folded."""


class Folds:
    """A cache whose states are event types, and which counts the events that it folds."""

    def __init__(self) -> None:
        self.folded = 0
        self.form = "first"
        self.cache: StateCache[State] = StateCache(
            8,
            lambda stream: (),
            self._evolve,
            Snapshots(EVERY, lambda: self.form, orjson.dumps, lambda dumped: tuple(orjson.loads(dumped))),
        )

    def _evolve(self, state: State, event: StoredEvent) -> State:
        self.folded += 1
        if event.type == "wrong":
            raise Wrong
        return (*state, event.type)

    def cost(self, look: Callable[[], Any]) -> int:
        """Return the number of events that a process with empty caches folds."""
        self.cache.clear()
        before = self.folded
        look()
        return self.folded - before


@pytest.fixture
def folds() -> Folds:
    return Folds()


@pytest.fixture
def types(append_events: Any) -> Callable[[int], State]:
    def append(count: int) -> State:
        expected = tuple(f"e{n}" for n in range(count))
        append_events(*expected, until_final=False)
        return expected

    return append


@pytest.mark.parametrize("length", [35, 135])
def test_a_fold_of_a_long_stream_is_as_short(
    folds: Folds, stream: UUID, types: Callable[[int], State], length: int
) -> None:
    expected = types(length)
    assert folds.cost(lambda: folds.cache.load(stream)) == length, (
        "the first keeps the snapshots that it passes"
    )
    assert Snapshot.objects.count() == length // EVERY
    assert folds.cost(lambda: folds.cache.load(stream)) <= EVERY
    assert folds.cache.load(stream) == (store.head(stream), expected)
    for version in (1, EVERY, length // 2, length):
        assert folds.cost(lambda version=version: folds.cache.at(stream, version)) <= EVERY
        head, state = folds.cache.at(stream, version)
        assert (head.version, state) == (version, expected[:version])
    assert folds.cache.at(stream, length + 1)[0].version == length


def test_an_old_cached_state_does_not_make_the_fold_longer(
    folds: Folds, stream: UUID, types: Callable[[int], State]
) -> None:
    types(3)
    folds.cache.load(stream)
    remembered = folds.cache.peek(stream)
    assert remembered is not None
    types(90)
    folds.cost(lambda: folds.cache.load(stream))
    folds.cache.clear()
    folds.cache.put(stream, *remembered)
    before = folds.folded
    assert folds.cache.load(stream)[0] == store.head(stream)
    assert folds.folded - before <= EVERY


def test_an_append_is_followed_by_a_snapshot(
    folds: Folds, stream: UUID, types: Callable[[int], State]
) -> None:
    types(9)
    before, state = folds.cache.load(stream)
    types(3)
    head = store.head(stream)
    folds.cache.appended(stream, before, head, (*state, "e0", "e1", "e2"))
    assert Snapshot.objects.get().version == 12
    folds.cache.appended(stream, head, head, state)
    assert Snapshot.objects.count() == 1


@pytest.mark.parametrize("column", ["state", "hash", "version", "mac"])
def test_a_forged_snapshot_is_not_used(
    folds: Folds, stream: UUID, types: Callable[[int], State], column: str
) -> None:
    expected = types(35)
    folds.cache.load(stream)
    forged: dict[str, Any] = {"state": b'["x"]', "hash": "f" * 64, "version": 34, "mac": "f" * 64}
    with connection.cursor() as cursor:
        cursor.execute(
            f"UPDATE eventstore_snapshot SET {column} = %s WHERE version = 30",
            [forged[column]],
        )
    folds.cache.clear()
    assert folds.cache.load(stream)[1] == expected


def test_a_snapshot_of_another_version_of_the_code_is_not_used(
    folds: Folds, stream: UUID, types: Callable[[int], State]
) -> None:
    types(35)
    folds.cache.load(stream)
    folds.form = "second"
    assert folds.cost(lambda: folds.cache.load(stream)) == 35
    assert folds.cost(lambda: folds.cache.load(stream)) <= EVERY
    assert Snapshot.objects.filter(form="second").count() == Snapshot.objects.count()


def test_a_snapshot_of_a_replaced_history_is_not_used(
    folds: Folds, stream: UUID, types: Callable[[int], State], append_events: Any
) -> None:
    types(35)
    folds.cache.load(stream)
    with triggers.removed("eventstore_event", "eventstore_stream"), connection.cursor() as cursor:
        cursor.execute("DELETE FROM eventstore_event")
        cursor.execute("DELETE FROM eventstore_stream")
    other = tuple("x" * 35)
    append_events(*other, until_final=False)
    folds.cache.clear()
    assert folds.cache.load(stream)[1] == other
    assert folds.cost(lambda: folds.cache.load(stream)) <= EVERY


def test_a_rolled_back_transaction_leaves_no_snapshot(
    folds: Folds, stream: UUID, types: Callable[[int], State]
) -> None:
    with transaction.atomic():
        types(35)
        folds.cache.load(stream)
        transaction.set_rollback(True)
    assert not Snapshot.objects.exists()


def test_a_stream_that_cannot_be_folded_is_not_folded_from_the_start_each_time(
    folds: Folds, stream: UUID, types: Callable[[int], State], append_events: Any
) -> None:
    types(35)
    append_events("wrong", until_final=False)

    def look() -> None:
        with pytest.raises(Wrong):
            folds.cache.load(stream)

    assert folds.cost(look) == 36
    assert folds.cost(look) <= EVERY


def test_a_failure_to_store_a_snapshot_changes_no_response(
    folds: Folds, stream: UUID, types: Callable[[int], State], monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = types(35)
    monkeypatch.setattr(module, "_INSERT", "INSERT INTO nowhere VALUES {rows}")
    assert folds.cache.load(stream) == (store.head(stream), expected)
