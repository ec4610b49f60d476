"""Throttles: how often one caller may do something. The rates are settings; the counters are in the shared cache.

A counter is increased atomically within a window of time, so two processes cannot both take its last place. Where a
rate is high, a process reserves several places at a time, so that not every request waits for the shared cache.
Unused places expire; they lower the rate by less than a hundredth per process.
"""

from __future__ import annotations

import functools
import threading
import time
from typing import Any

import redis
from django.conf import settings
from django.core.cache import cache
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from core import redis_clients
from core.addresses import caller_at

TOGETHER = 10
"""The largest number of places that a process reserves at a time."""


class _Held:
    """Places that this process has reserved and not used yet, by caller and window."""

    MOST = 10_000

    def __init__(self) -> None:
        self._places: dict[str, int] = {}
        self._lock = threading.Lock()

    def take(self, key: str) -> bool:
        with self._lock:
            places = self._places.pop(key, 0)
            if places > 1:
                self._places[key] = places - 1
            return places > 0

    def clear(self) -> None:
        with self._lock:
            self._places.clear()

    def keep(self, key: str, places: int) -> None:
        if places:
            with self._lock:
                if len(self._places) >= self.MOST:  # nearly all of them of past windows
                    self._places.clear()
                self._places[key] = self._places.get(key, 0) + places


_held = _Held()


def raised(key: str, by: int, *, lasting: int) -> int:
    """Increase a counter shared by all processes, which expires after so many seconds, and return its value."""
    if settings.REDIS_URL:
        with _redis().pipeline(transaction=False) as both:
            both.set(key, 0, ex=lasting, nx=True)
            both.incrby(key, by)
            return int(both.execute()[1])
    cache.add(key, 0, timeout=lasting)
    try:
        return cache.incr(key, by)
    except ValueError:  # it was evicted between the two calls
        return by


_creating = threading.Lock()


def _redis() -> redis.Redis:
    """One client per process: Django's cache would open a connection for every request.

    Threads must not create one each: a client that is not kept closes its connections while a pipeline uses them.
    """
    with _creating:
        return _client()


@functools.cache
def _client() -> redis.Redis:
    return redis_clients.client(settings.REDIS_URL)


def forget() -> None:
    """Reset the counters, for tests."""
    _held.clear()


class WindowThrottle(BaseThrottle):
    """At most `API_RATES[scope] = (count, seconds)` requests of one caller in each window."""

    scope: str
    _left: float = 0

    def allow_request(self, request: Request, view: Any) -> bool:
        who = self.caller(request)
        if who is None:
            return True
        return self.take(who)

    def take(self, who: str) -> bool:
        """Count one request of `who`. False if it exceeds the rate."""
        most, seconds = settings.API_RATES[self.scope]
        key = self._key(who, seconds)
        if _held.take(key):
            return True
        several = max(1, min(TOGETHER, most // 100))
        free = most - (raised(key, several, lasting=seconds + 5) - several)
        if free > 1:
            _held.keep(key, min(several, free) - 1)
        return free > 0

    def _key(self, who: str, seconds: int) -> str:
        """The counter of `who` in the present window, the end of which `wait` then returns."""
        now = time.time()
        window = int(now // seconds)
        self._left = (window + 1) * seconds - now
        return f"rate:{self.scope}:{who}:{window}"

    def wait(self) -> float:
        return self._left

    def caller(self, request: Request) -> str | None:
        """The counted caller: the player, or the address of a caller who is not signed in."""
        if request.user.is_authenticated:
            return str(request.user.pk)
        return address_of(request)


def address_of(request: Any) -> str:
    """The address of a request as the server sees it. Headers are not trusted."""
    return caller_at(request.META.get("REMOTE_ADDR") or "unknown")


class RequestThrottle(WindowThrottle):
    """Every request of the API, as a bound on runaway clients."""

    scope = "requests"


class MoveThrottle(WindowThrottle):
    scope = "moves"


class HintThrottle(WindowThrottle):
    """Hints: a search, the most expensive request."""

    scope = "hints"


class BotThrottle(WindowThrottle):
    """Bots that a player creates: retiring one makes room for another."""

    scope = "bots"


class ChallengeThrottle(WindowThrottle):
    """Challenges that a player makes, each of which bothers others."""

    scope = "challenges"


class PairingThrottle(WindowThrottle):
    """Requests for opponents, each of which may open a table."""

    scope = "pairings"


class StreamThrottle(WindowThrottle):
    """Connections to event streams; `config.streams.reads` bounds how many are open at once."""

    scope = "streams"
