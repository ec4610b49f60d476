"""The threads of a process share one client of Redis, also if they need it first at the same time."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from core import redis_clients
from rest import throttles


def test_threads_that_begin_together_share_one_client(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[object] = []

    def slow(url: str) -> object:
        time.sleep(0.02)
        made.append(object())
        return made[-1]

    monkeypatch.setattr(redis_clients, "client", slow)
    throttles._client.cache_clear()
    try:
        with ThreadPoolExecutor(8) as threads:
            used = list(threads.map(lambda _: throttles._redis(), range(8)))
    finally:
        throttles._client.cache_clear()
    assert {*map(id, used)} == {id(one) for one in made}
    assert len(made) == 1
