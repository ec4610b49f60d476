"""Which requests read from the replica (docs/decisions/replicas.md)."""

from __future__ import annotations

import hashlib
import re
import time

from django.conf import settings
from django.core.cache import cache
from django.http import HttpRequest, HttpResponseBase
from redis.exceptions import RedisError
from rest_framework.permissions import SAFE_METHODS

from core import replicas
from core.errors import Unavailable
from core.metrics import Counter
from rest.framing import FRAMED
from rest.middleware import Handler
from rest.problems import ACCOUNT_PREFIX, PREFIX, json_problem

_TOURNAMENT = (
    r"tournaments(/[0-9a-f-]{36}(/(bracket|entries|standings|rounds|ratings|events|pairings|pairs)(/\d+)?)?)?"
)
_not_noted_until = float("-inf")
"""Of the monotonic clock: until then this process reads from the primary, because a write could not be noted."""
READS = Counter("racecard_replica_reads", "Requests answered from the replica")

FOR_CALLERS = re.compile(
    rf"{PREFIX}v1/(rules|ratings|matches|changes|checkpoints(/\w+)?|audit/reports(/\d+)?|{_TOURNAMENT})"
    r"(/|\.csv)"
)
"""What a caller with a token or session reads from the replica: no money, and nothing that a seat or its turn depends
on. A caller without either is a spectator, who reads everything from it.
"""


class ReadReplica:
    """Answers a read from the replica if that is fresh enough, and if the caller has not written a moment ago.

    An error is never the last word of a replica, which may lack what was just written: the primary is asked again. So
    it is if the session would end or change, which the replica may not know yet.
    """

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if not settings.RACECARD_REPLICA_URL:
            return self.get_response(request)
        if (
            request.method in SAFE_METHODS
            and _may_be_stale(request)
            and replicas.lag() <= settings.RACECARD_REPLICA_LAG
        ):
            with replicas.reading():
                response = self.get_response(request)
            if response.status_code < 400 and settings.SESSION_COOKIE_NAME not in response.cookies:
                READS.inc()
                return response
            if response.status_code >= 500:
                replicas.failed()
            request.__dict__.pop("_cached_user", None)  # the session's user, as the replica knew it
        return self._from_primary(request)

    def _from_primary(self, request: HttpRequest) -> HttpResponseBase:
        """The response of the primary. While it is away no request of the API waits for it, since those that the
        replica can answer need the threads.
        """
        if request.path_info.startswith((PREFIX, ACCOUNT_PREFIX)) and replicas.primary_is_away():
            return json_problem(Unavailable(retry_after=1))
        response = self.get_response(request)
        if request.method not in SAFE_METHODS:
            _note_write(request, response)
        return response


def _may_be_stale(request: HttpRequest) -> bool:
    caller = _caller(request)
    if caller is None:
        return request.path_info.startswith((f"{PREFIX}v1/", FRAMED))
    return bool(FOR_CALLERS.fullmatch(request.path_info)) and not _has_written(caller)


def _caller(request: HttpRequest) -> str | None:
    """The key of the token or session; None without either."""
    known = request.META.get("HTTP_AUTHORIZATION") or request.COOKIES.get(settings.SESSION_COOKIE_NAME)
    return _key(known) if known else None


def _key(known: str) -> str:
    return f"wrote:{hashlib.sha256(known.encode()).hexdigest()}"


def _note_write(request: HttpRequest, response: HttpResponseBase) -> None:
    """Note it for the caller, and for the session that the response begins, which the replica does not know yet."""
    global _not_noted_until
    callers = [_caller(request)]
    if (begun := response.cookies.get(settings.SESSION_COOKIE_NAME)) is not None:
        callers.append(_key(begun.value))
    for caller in filter(None, callers):
        try:
            cache.set(caller, 1, settings.RACECARD_REPLICA_LAG * 2)
        except RedisError:
            _not_noted_until = time.monotonic() + settings.RACECARD_REPLICA_LAG * 2
            return


def _has_written(caller: str) -> bool:
    """Whether the caller has, or may have: without Redis each process would know only the writes that it has done."""
    if not _is_shared() or time.monotonic() < _not_noted_until:
        return True
    try:
        return cache.get(caller) is not None
    except RedisError:
        return True


def _is_shared() -> bool:
    return bool(settings.REDIS_URL)
