import threading
from uuid import uuid4

import pytest
from django.db import connection, transaction

from core import triggers
from eventstore import store
from eventstore.cache import StateCache
from eventstore.store import EMPTY, Head

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def folded():
    return []


@pytest.fixture
def cache(folded):
    """A cache whose states are tuples of event types. `folded` lists each event that was folded."""

    def evolve(state, event):
        folded.append(event.version)
        return (*state, event.type)

    return StateCache(2, lambda stream: (), evolve)


def test_a_stream_that_does_not_exist_is_empty(cache, stream):
    assert cache.load(stream) == (EMPTY, ())
    assert cache.peek(stream) is None


def test_only_the_tail_is_read(cache, stream, append_events, folded):
    append_events("a", "b")
    assert cache.load(stream) == (store.head(stream), ("a", "b"))
    append_events("c")
    assert cache.load(stream) == (store.head(stream), ("a", "b", "c"))
    assert folded == [1, 2, 3]


def test_peek_reads_only_memory(cache, stream, append_events, django_assert_num_queries):
    append_events("a")
    cache.load(stream)
    append_events("b")
    with django_assert_num_queries(0):
        head, state = cache.peek(stream)
    assert (head.version, state) == (1, ("a",))


def test_the_least_recently_used_state_is_evicted(cache, append_events):
    first, second, third = uuid4(), uuid4(), uuid4()
    for stream in (first, second):
        append_events("a", to=stream)
        cache.load(stream)
    cache.peek(first)
    append_events("a", to=third)
    cache.load(third)
    assert cache.peek(first)
    assert cache.peek(third)
    assert cache.peek(second) is None


def test_a_state_read_in_an_open_transaction_is_not_cached(cache, stream, append_events):
    with transaction.atomic():
        append_events("a")
        assert cache.load(stream)[1] == ("a",)
        transaction.set_rollback(True)
    assert cache.peek(stream) is None
    assert cache.load(stream) == (EMPTY, ())


def test_an_older_state_does_not_replace_a_newer(cache, stream):
    cache.put(stream, Head(2, "b" * 64, None), ("a", "b"))
    cache.put(stream, Head(1, "a" * 64, None), ("a",))
    assert cache.peek(stream)[1] == ("a", "b")


@pytest.mark.parametrize("then", [["x"], ["x", "y"], ["x", "y", "z"]])
def test_a_replaced_history_is_folded_again(cache, stream, append_events, then):
    """A restored backup has other events in the same stream, which may be shorter, equally long, or longer."""
    append_events("a", "b")
    cache.load(stream)
    with triggers.removed("eventstore_event", "eventstore_stream"), connection.cursor() as cursor:
        cursor.execute("DELETE FROM eventstore_event")
        cursor.execute("DELETE FROM eventstore_stream")
    append_events(*then)
    assert cache.load(stream) == (store.head(stream), tuple(then))


def test_threads_may_share_a_cache(append_events):
    streams = [uuid4() for _ in range(6)]
    cache = StateCache(3, lambda stream: 0, lambda state, event: state + 1)
    for stream in streams:
        append_events("a", "b", to=stream)
    wrong = []

    def work(offset):
        try:
            for turn in range(60):
                stream = streams[(turn * (offset + 1)) % 6]
                if cache.load(stream)[1] != 2:
                    wrong.append(stream)
                if turn % 7 == offset:
                    cache.forget(stream)
        finally:
            connection.close()

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_a_cache_must_have_a_positive_size():
    with pytest.raises(ValueError, match="at least one"):
        StateCache(0, lambda stream: (), lambda state, event: state)


def test_a_transaction_folds_each_event_once(cache, stream, append_events, folded, django_assert_num_queries):
    with transaction.atomic():
        append_events("a", "b")
        cache.load(stream)
        append_events("c")
        with django_assert_num_queries(1):
            assert cache.load(stream)[1] == ("a", "b", "c")
        assert folded == [1, 2, 3]
        assert cache.peek(stream) is None, "not committed yet"
    assert cache.peek(stream) == (store.head(stream), ("a", "b", "c"))


def test_events_rolled_back_to_a_savepoint_are_not_loaded(cache, stream, append_events):
    append_events("a")
    with transaction.atomic():
        with transaction.atomic():
            append_events("b", "c")
            assert cache.load(stream)[1] == ("a", "b", "c")
            transaction.set_rollback(True)
        assert cache.load(stream)[1] == ("a",)
        append_events("x", "y")
        assert cache.load(stream)[1] == ("a", "x", "y")
    assert cache.load(stream)[1] == ("a", "x", "y")


def test_a_transaction_caches_the_latest_streams_only(cache, append_events, folded, monkeypatch):
    monkeypatch.setattr("eventstore.cache.UNCOMMITTED", 1)
    first, second = uuid4(), uuid4()
    with transaction.atomic():
        for stream in (first, second):
            append_events("a", to=stream)
            cache.load(stream)
        cache.load(second)
        assert folded == [1, 1]
        cache.load(first)
        assert folded == [1, 1, 1]


def test_a_state_of_the_head_that_the_caller_has_read_costs_no_query(
    cache, stream, append_events, django_assert_num_queries
):
    append_events("a")
    cache.load(stream)
    append_events("b")
    head = store.head(stream)
    with transaction.atomic():
        assert cache.load(stream, head) == (head, ("a", "b"))
        assert cache.written(stream) == head
        with django_assert_num_queries(0):
            assert cache.load(stream, head) == (head, ("a", "b"))
    assert cache.written(stream) is None
