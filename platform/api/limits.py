"""How many tables and streams one player may have open at once; the figures are settings."""

from __future__ import annotations

import secrets
from dataclasses import dataclass

from django.conf import settings
from django.core.cache import cache

from api.errors import TooManyRequests


class TooManyTables(TooManyRequests):
    code = "too-many-tables"
    title = "This player has as many tables open as allowed"


class TooManyStreams(TooManyRequests):
    code = "too-many-streams"
    title = "This player has as many event streams open as allowed"


def check_open_tables(already_open: int) -> None:
    """Raises TooManyTables if a player who has so many tables open may open no other."""
    most: int = settings.OPEN_TABLES_PER_PLAYER
    if already_open >= most:
        raise TooManyTables(f"At most {most} at once.", most=most)


@dataclass(frozen=True, slots=True)
class StreamPlace:
    """One of a player's places for an open stream: a lease that the stream renews while it lives.

    A process that dies gives its places back by letting them lapse.
    """

    key: str
    holder: str

    def renew(self) -> None:
        cache.set(self.key, self.holder, timeout=settings.STREAM_LEASE_SECONDS)

    def release(self) -> None:
        if cache.get(self.key) == self.holder:
            cache.delete(self.key)


def take_stream_place(who: str) -> StreamPlace:
    """A place for one more open stream of `who` (a player's id, or an address). Raises TooManyStreams.

    Renew it more often than every STREAM_LEASE_SECONDS.
    """
    holder = secrets.token_hex(8)
    most: int = settings.STREAMS_PER_PLAYER
    for number in range(most):
        key = f"stream:{who}:{number}"
        if cache.add(key, holder, timeout=settings.STREAM_LEASE_SECONDS):
            return StreamPlace(key, holder)
    raise TooManyStreams(f"At most {most} at once.", most=most)
