"""Hints: a hub notifies waiting readers of streams with new events; writers do not depend on it."""

import asyncio
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor, wait
from uuid import uuid4

import pytest
from django.db import connection, transaction

from eventstore import feed

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.both_databases, pytest.mark.slow]


@pytest.fixture
def hub():
    one = feed.Hub(feed.waker())
    one.start()
    yield one
    one.stop()


def test_waiting_readers_are_notified_of_streams_with_new_events(hub, append_events, stream):
    other = uuid4()

    async def watch():
        with hub.subscribe([stream]) as subscription:
            await subscription.moved(timeout=0.5)
            await asyncio.to_thread(append, other)
            assert await subscription.moved(timeout=0.5) == {}
            waits = []
            for version in range(1, 6):
                await asyncio.to_thread(append, stream)
                began = time.monotonic()
                assert await subscription.moved(timeout=60) == {stream: version}
                waits.append(time.monotonic() - began)
            # Each begins right after the hub has read the heads. Without a hint it would wait for the next read.
            assert min(waits) < feed.SAFETY_INTERVAL / 2

    def append(to):
        try:
            [event] = append_events("a", to=to)
            feed.announce(to, event.version)
        finally:
            connection.close()

    asyncio.run(watch())


def test_unread_hints_are_merged(stream):
    other = uuid4()

    async def watch():
        subscription = feed.Subscription([stream, other])
        for version in range(1, 1001):
            subscription.hint({stream: version})
        subscription.hint({other: 7})
        await asyncio.sleep(0)
        assert await subscription.moved(timeout=1) == {stream: 1000, other: 7}
        assert await subscription.moved(timeout=0.01) == {}
        subscription.close()
        assert await subscription.moved(timeout=1) == {}
        assert subscription.closed

    asyncio.run(watch())


def test_an_event_of_the_same_process_is_hinted_at_its_commit(append_events, stream):
    class NeverWakes:
        def __init__(self):
            self.ends = threading.Event()

        def wait(self):
            self.ends.wait()

        def close(self):
            pass

    async def watch():
        hub = feed.Hub(NeverWakes())
        hub.start()
        try:
            with hub.subscribe([stream]) as subscription:
                await asyncio.to_thread(append, subscription)
                assert await subscription.moved(timeout=60) == {stream: 1}
        finally:
            hub._waker.ends.set()
            await asyncio.to_thread(hub.stop)

    def append(subscription):
        try:
            with transaction.atomic():
                append_events("a")
                feed.announce(stream, 1)
                feed.announce(uuid4(), 1)
                assert subscription._moved == {}
        finally:
            connection.close()

    asyncio.run(watch())


def test_a_lost_hint_delays_an_event_but_does_not_lose_it(append_events, stream):
    """Without a hint, the hub reads the heads periodically."""
    moved = []

    class SilentSource:
        def wait(self):
            time.sleep(0.01)

        def close(self):
            pass

    async def watch():
        hub = feed.Hub(SilentSource())
        hub.start()
        try:
            with hub.subscribe([stream]) as subscription:
                await asyncio.to_thread(append)
                moved.append(await subscription.moved(timeout=60))
        finally:
            await asyncio.to_thread(hub.stop)

    def append():
        try:
            append_events("a")
        finally:
            connection.close()

    asyncio.run(watch())
    assert moved == [{stream: 1}]


def test_an_unreachable_redis_does_not_delay_writers(settings, stream):
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        settings.REDIS_URL = f"redis://127.0.0.1:{unused.getsockname()[1]}/0"
        feed._reset()
        try:
            began = time.monotonic()
            for version in range(1, 50):
                feed.announce(stream, version)
            assert time.monotonic() - began < 3
        finally:
            feed._reset()


def test_threads_share_one_publisher(monkeypatch):
    made = []

    class Publisher:
        def __init__(self):
            made.append(self)

    monkeypatch.setattr(feed, "_Publisher", Publisher)
    feed._reset()
    try:
        with ThreadPoolExecutor(2) as pool, feed._creating:
            first, second = pool.submit(feed._publisher), pool.submit(feed._publisher)
            assert not wait([first, second], timeout=0.2).done  # each waits for the lock
        assert first.result() is second.result()
        assert len(made) == 1
    finally:
        feed._reset()


def test_forked_process_does_not_inherit_a_held_lock():
    feed._creating.acquire()
    feed._reset()
    assert feed._creating.acquire(blocking=False)
    feed._reset()


def test_a_rolled_back_event_is_not_announced(settings, stream, monkeypatch):
    announced = []

    class Publisher:
        def publish(self, stream, version):
            announced.append(version)

    settings.REDIS_URL = "redis://redis.invalid/0"
    monkeypatch.setattr(feed, "_publisher", Publisher)
    with transaction.atomic():
        feed.announce(stream, 1)
        transaction.set_rollback(True)
    with transaction.atomic():
        feed.announce(stream, 2)
        assert announced == []
    assert announced == [2]
