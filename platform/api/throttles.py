"""How often one caller may do what; the rates are settings, the counters live in the shared cache.

A counter is raised atomically in a window of time, so two processes cannot both take the last place of one. Where
places are many a process takes some at a time, so that not every request waits for the shared cache; those that it does
not use are nobody's, and what is refused too early by them is less than a hundredth of the rate for each process.
"""

from __future__ import annotations

import functools
import hashlib
import threading
import time
from typing import Any

import redis
from django.conf import settings
from django.core.cache import cache
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from api.addresses import caller_at

TOGETHER = 10
"""Places that a process takes at a time, at most."""


class _Held:
    """Places that this process has taken and not used yet, by caller and window."""

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
                if len(self._places) >= self.MOST:  # of windows that are over, nearly all of them
                    self._places.clear()
                self._places[key] = self._places.get(key, 0) + places


_held = _Held()


def raised(key: str, by: int, *, lasting: int) -> int:
    """What a counter that all processes share stands at once it has been raised; it is kept for so many seconds."""
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


@functools.cache
def _redis() -> redis.Redis:
    """One for the process: Django's cache makes a client and a connection of its own for every request."""
    return redis.Redis.from_url(settings.REDIS_URL)


def forget() -> None:
    """For tests, which begin their counts at nothing."""
    _held.clear()


class WindowThrottle(BaseThrottle):
    """At most `API_RATES[scope] = (count, seconds)` requests of one caller in each window of so many seconds."""

    scope: str
    _left: float = 0

    def allow_request(self, request: Request, view: Any) -> bool:
        who = self.caller(request)
        if who is None:
            return True
        return self.take(who)

    def take(self, who: str) -> bool:
        """Count one request of `who`; False if it is one too many."""
        most, seconds = settings.API_RATES[self.scope]
        now = time.time()
        window = int(now // seconds)
        self._left = (window + 1) * seconds - now
        key = f"rate:{self.scope}:{who}:{window}"
        if _held.take(key):
            return True
        several = max(1, min(TOGETHER, most // 100))
        free = most - (raised(key, several, lasting=seconds + 5) - several)
        if free > 1:
            _held.keep(key, min(several, free) - 1)
        return free > 0

    def wait(self) -> float:
        return self._left

    def caller(self, request: Request) -> str | None:
        """Who is counted: the player, or the address of one who is not signed in."""
        if request.user.is_authenticated:
            return str(request.user.pk)
        return address_of(request)


def address_of(request: Any) -> str:
    """Where a request comes from, as the server knows it; what a header says of it is anybody's invention."""
    return caller_at(request.META.get("REMOTE_ADDR") or "unknown")


class AddressThrottle(WindowThrottle):
    def caller(self, request: Request) -> str:
        return address_of(request)


class RequestThrottle(WindowThrottle):
    """Every request of the API, as a bound on runaway clients."""

    scope = "requests"


class MoveThrottle(WindowThrottle):
    scope = "moves"


class HintThrottle(WindowThrottle):
    """A hint is a search: it costs the server more than all else that is asked of it."""

    scope = "hints"


class StreamThrottle(WindowThrottle):
    """Connects to event streams, which stay open: how many at once is `api.limits`."""

    scope = "streams"


class SignUpThrottle(AddressThrottle):
    scope = "sign-up"


class SignInThrottle(AddressThrottle):
    scope = "sign-in"


class GuessThrottle(WindowThrottle):
    """Failed sign-ins under one name, wherever they come from."""

    scope = "guesses"

    def is_exhausted(self, name: str) -> bool:
        return self._after(name, 0) >= settings.API_RATES[self.scope][0]

    def count(self, name: str) -> None:
        self._after(name, 1)

    def _after(self, name: str, by: int) -> int:
        seconds = settings.API_RATES[self.scope][1]
        now = time.time()
        window = int(now // seconds)
        self._left = (window + 1) * seconds - now
        digest = hashlib.sha256(name.lower().encode()).hexdigest()
        return raised(f"rate:{self.scope}:{digest}:{window}", by, lasting=seconds + 5)


class RecoveryThrottle(AddressThrottle):
    scope = "recovery"
