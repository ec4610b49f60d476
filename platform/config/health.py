"""Health checks: whether a process is alive, whether it can serve, and whether the installation works; and metrics."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from datetime import timedelta
from ipaddress import ip_address, ip_network
from typing import Any

from django.conf import settings
from django.core.cache import cache
from django.db import Error, connection
from django.db.migrations.executor import MigrationExecutor
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from redis.exceptions import RedisError

from core import metrics as counted
from core import triggers
from core.clock import TOLERANCE, database_now, skew
from jobs import services as jobs

TICKS_WITHIN = timedelta(seconds=30)
"""A ticker records a heartbeat every five seconds."""


ALIVE = {"status": "alive"}


@require_safe
@never_cache
def alive(request: HttpRequest) -> JsonResponse:
    """Liveness of this process. No other service is checked: a restart would not repair them.

    The web process answers this address and `/readyz` before a request reaches Django (`config.server.bridge`).
    """
    return JsonResponse(ALIVE)


@require_safe
@never_cache
def ready(request: HttpRequest) -> JsonResponse:
    """Readiness: 503 while this process cannot serve; with `?whole=1` also while jobs are not done."""
    found = readiness()
    return JsonResponse(found, status=status(found, whole=request.GET.get("whole") == "1"))


def readiness() -> dict[str, bool]:
    """Each check by name; `ready` if requests can be served, `working` if jobs are done too.

    Requests need the database with the current schema and, where it is used, Redis. Jobs need the broker, a ticker,
    and a correct clock, and recurring ones must be scheduled within their interval. Without these a web process stays
    in service, because removing it would not help.
    """
    to_serve = {name: _holds(check) for name, check in _to_serve()}
    to_work = {
        "broker": _holds(_broker_takes),
        "ticker": _holds(_ticker_ticks),
        "clock": _holds(_clock_agrees),
        "recurring": _holds(_recurring_jobs_run),
    }
    serves = all(to_serve.values())
    works = serves and all(to_work.values())
    return {"ready": serves, "working": works, **to_serve, **to_work}


def status(found: Mapping[str, bool], *, whole: bool) -> int:
    return 200 if found["working" if whole else "ready"] else 503


Check = Callable[[], bool]


def _to_serve() -> list[tuple[str, Check]]:
    checks: list[tuple[str, Check]] = [
        ("database", _database_answers),
        ("migrations", is_migrated),
        ("triggers", _has_triggers),
    ]
    return [*checks, ("redis", _redis_answers)] if settings.REDIS_URL else checks


def _holds(check: Check) -> bool:
    try:
        return check()
    except (Error, RedisError, OSError):
        return False


def _database_answers() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
        return bool(cursor.fetchone() == (1,))


_migrated = False


def is_migrated() -> bool:
    """Whether the database has this version's migrations. Cached once true: those of a process do not change."""
    global _migrated
    if not _migrated:
        executor = MigrationExecutor(connection)
        _migrated = not executor.migration_plan(executor.loader.graph.leaf_nodes())
    return _migrated


def _has_triggers() -> bool:
    return not triggers.missing()


def _redis_answers() -> bool:
    cache.get("ready")
    return True


def _broker_takes() -> bool:
    """Redis, or the folder of the messages."""
    if settings.REDIS_URL:
        return _redis_answers()
    folder = settings.CELERY_BROKER_TRANSPORT_OPTIONS["data_folder_out"]
    return os.access(folder, os.W_OK | os.X_OK)


def _ticker_ticks() -> bool:
    beat = jobs.last_beat(name=jobs.HEARTBEAT)
    # A heartbeat from the future does not say when the ticker last ran.
    return beat is not None and abs(database_now() - beat) <= TICKS_WITHIN


def _clock_agrees() -> bool:
    return abs(skew()) <= TOLERANCE


def _recurring_jobs_run() -> bool:
    return jobs.recurring_jobs_run(now=database_now())


@require_safe
@never_cache
def metrics(request: HttpRequest) -> HttpResponse:
    """The metrics of all processes of this machine, for a known scraper, or for staff with a session."""
    user: Any = request.user
    if not (_is_local(request) or (user.is_active and user.is_staff)):
        raise Http404
    return HttpResponse(counted.exposition(), content_type=counted.CONTENT_TYPE)


def _is_local(request: HttpRequest) -> bool:
    """Whether the request comes from this machine or from a network of RACECARD_METRICS_ALLOW.

    Behind a proxy every request has a local address; a forwarded one is not local.
    """
    passed_on = {"HTTP_X_FORWARDED_FOR", "HTTP_FORWARDED", "HTTP_X_REAL_IP", "HTTP_VIA"} & request.META.keys()
    try:
        address = ip_address(request.META.get("REMOTE_ADDR", ""))
        known = (ip_network(one) for one in settings.RACECARD_METRICS_ALLOW)
        return not passed_on and (address.is_loopback or any(address in network for network in known))
    except ValueError:
        return False
