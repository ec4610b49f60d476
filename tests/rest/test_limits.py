"""Rates, open tables and open streams are bounded, and counted exactly when many come at once."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest
from django.core.cache import cache
from django.test import override_settings

from config.streams.reads import TooManyStreams, renew_stream_places, take_stream_place
from rest import throttles
from rest.throttles import MoveThrottle


@pytest.fixture(autouse=True)
def still_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """No window ends while its requests are counted."""
    monkeypatch.setattr(throttles, "time", SimpleNamespace(time=lambda: 1_800_000_000.0))


@override_settings(API_RATES={"moves": (10, 3600)})
def test_of_many_moves_at_once_no_more_than_the_rate_pass() -> None:
    with ThreadPoolExecutor(8) as pool:
        passed = list(pool.map(lambda _: MoveThrottle().take("ann"), range(40)))
    assert sum(passed) == 10
    assert MoveThrottle().take("bob")


@override_settings(STREAMS_PER_PLAYER=2)
def test_a_stream_gives_its_place_back() -> None:
    first, _ = take_stream_place("ann"), take_stream_place("ann")
    with pytest.raises(TooManyStreams):
        take_stream_place("ann")
    take_stream_place("bob")
    first.release()
    again = take_stream_place("ann")
    first.release()
    assert cache.get(again.key) == again.holder, "a place that another holds by now is not given back"
    cache.delete(again.key)  # as when it lapses
    renew_stream_places([again])
    with pytest.raises(TooManyStreams):
        take_stream_place("ann")


@override_settings(API_RATES={"moves": (1000, 3600)})
def test_where_places_are_many_some_are_taken_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    trips = 0
    incr = cache.incr

    def counted(key: str, delta: int = 1) -> int:
        nonlocal trips
        trips += 1
        return incr(key, delta)

    monkeypatch.setattr(cache, "incr", counted)
    with ThreadPoolExecutor(8) as pool:
        passed = sum(pool.map(lambda _: MoveThrottle().take("cleo"), range(950)))
    assert trips < 200
    assert passed > 850
    assert passed + sum(MoveThrottle().take("cleo") for _ in range(300)) == 1000
