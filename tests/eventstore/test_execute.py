"""`execute`: a command is decided on the present state, appended once, and decided again after a conflict."""

from __future__ import annotations

from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db import transaction
from django.utils import timezone

from core.errors import Conflict
from eventstore import store
from eventstore.cache import StateCache
from eventstore.store import Head, NewEvent, WrongVersion
from tests.concurrency import at_once

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.both_databases]

State = tuple[str, ...]


class Full(Conflict):
    """The refusal of the commands of these tests."""


@pytest.fixture
def cache() -> StateCache[State]:
    return StateCache(8, lambda stream: (), lambda state, event: (*state, event.type))


def append(stream: UUID, head: Head, type: str) -> None:
    store.append(stream, [NewEvent(type, {})], kind="test", expected=head, at=timezone.now())


@pytest.fixture
def stale(cache: StateCache[State], stream: UUID, append_events: Any) -> StateCache[State]:
    """A cache with the first event of a stream, to which another process has appended one."""
    append_events("a")
    cache.load(stream)
    append(stream, store.head(stream), "b")
    return cache


def test_a_command_is_decided_on_the_cached_state_without_a_query(
    cache: StateCache[State], stream: UUID, append_events: Any, django_assert_num_queries: Any
) -> None:
    append_events("a")
    cache.load(stream)
    with django_assert_num_queries(0):
        assert cache.execute(stream, lambda head, state: (head.version, state)) == (1, ("a",))


def test_after_a_conflict_a_command_is_decided_again_on_the_present_state(
    stale: StateCache[State], stream: UUID
) -> None:
    seen: list[State] = []

    def decide(head: Head, state: State) -> int:
        seen.append(state)
        append(stream, head, "c")
        return head.version + 1

    assert stale.execute(stream, decide) == 3
    assert seen == [("a",), ("a", "b")]
    assert stale.load(stream)[1] == ("a", "b", "c")


def test_after_a_conflict_the_stream_is_locked_first_until_it_is_found_unchanged(
    stale: StateCache[State], stream: UUID
) -> None:
    locked: list[bool] = []

    def decide(head: Head, state: State) -> None:
        locked.append(transaction.get_connection().in_atomic_block)
        append(stream, head, "c")
        transaction.on_commit(lambda: stale.put(stream, store.head(stream), (*state, "c")))

    for _ in range(3):
        stale.execute(stream, decide)
    assert locked == [False, True, True, False]


def test_a_refusal_on_a_stale_state_is_decided_again(stale: StateCache[State], stream: UUID) -> None:

    def decide(head: Head, state: State) -> State:
        if "b" not in state:
            raise Full
        return state

    assert stale.execute(stream, decide) == ("a", "b")


def test_a_refusal_on_the_present_state_is_raised_at_once(
    cache: StateCache[State], stream: UUID, append_events: Any
) -> None:
    append_events("a")
    decided: list[State] = []

    def decide(head: Head, state: State) -> None:
        decided.append(state)
        raise Full

    with pytest.raises(Full):
        cache.execute(stream, decide)
    assert decided == [("a",)]


def test_other_errors_are_not_decided_again(stale: StateCache[State], stream: UUID) -> None:
    decided: list[State] = []

    def decide(head: Head, state: State) -> None:
        decided.append(state)
        raise KeyError("a defect")

    with pytest.raises(KeyError):
        stale.execute(stream, decide)
    assert decided == [("a",)]


def test_a_refused_command_rolls_its_transaction_back(
    cache: StateCache[State], stream: UUID, append_events: Any
) -> None:
    append_events("a")

    def refused_after_an_append() -> None:
        with cache.locked(stream) as (head, _):
            append(stream, head, "b")
            raise Full

    with pytest.raises(Full):
        refused_after_an_append()
    assert store.head(stream).version == 1


def test_the_threads_of_a_process_append_without_a_conflict(
    cache: StateCache[State], stream: UUID, append_events: Any
) -> None:
    append_events("a")
    conflicts: list[WrongVersion] = []

    def decide(head: Head, state: State) -> None:
        try:
            append(stream, head, "b")
        except WrongVersion as conflict:
            conflicts.append(conflict)
            raise
        cache.put(stream, store.head(stream), (*state, "b"))

    def work() -> None:
        for _ in range(10):
            cache.execute(stream, decide)

    assert at_once(*[work] * 4) == [None] * 4
    assert store.head(stream).version == 41
    assert conflicts == []


def test_two_transactions_that_create_a_stream_by_their_first_event_both_append() -> None:
    stream = uuid4()

    def work() -> None:
        with transaction.atomic():
            store.append_to_end(stream, [NewEvent("a", {})], kind="test", at=timezone.now())

    assert at_once(*[work] * 2) == [None] * 2
    assert [event.version for event in store.read(stream)] == [1, 2]


def test_the_loser_of_a_creation_appends_after_the_winner(monkeypatch: pytest.MonkeyPatch) -> None:
    stream, real = uuid4(), store.lock

    def lock(of: UUID, **options: Any) -> Head:
        found = real(of, **options)
        if found.version == 0:  # the other transaction commits here
            append(of, found, "first")
        return found

    monkeypatch.setattr(store, "lock", lock)
    with transaction.atomic():
        [event] = store.append_to_end(stream, [NewEvent("second", {})], kind="test", at=timezone.now())
    assert (event.version, event.type) == (2, "second")
