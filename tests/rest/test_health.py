from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.db import OperationalError, connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from django.test import Client, override_settings
from django.utils import timezone

from config import health
from config.celery import carry_out
from core import triggers
from jobs import services as jobs
from jobs import ticker

pytestmark = pytest.mark.django_db


@pytest.mark.both_databases
def test_alive_and_ready() -> None:
    assert Client().get("/healthz").json() == {"status": "alive"}
    answer = Client().get("/readyz")
    assert (answer.status_code, answer.json()["ready"], answer.json()["database"]) == (200, True, True)


@pytest.mark.both_databases
def test_not_ready_without_the_database(monkeypatch: pytest.MonkeyPatch) -> None:
    def gone(*_: object) -> None:
        raise OperationalError("no route to host")

    monkeypatch.setattr(connection, "cursor", gone)
    answer = Client().get("/readyz")
    assert (answer.status_code, answer.json()["database"]) == (503, False)


@override_settings(
    REDIS_URL="redis://127.0.0.1:1/0",
    CACHES={
        "default": {
            "BACKEND": "django.core.cache.backends.redis.RedisCache",
            "LOCATION": "redis://127.0.0.1:1/0",
        }
    },
)
def test_not_ready_without_redis() -> None:
    answer = Client().get("/readyz")
    assert (answer.status_code, answer.json()["redis"]) == (503, False)


@pytest.mark.parametrize(
    ("meta", "status"),
    [
        ({"REMOTE_ADDR": "127.0.0.1"}, 200),
        ({"REMOTE_ADDR": "::1"}, 200),
        ({"REMOTE_ADDR": "203.0.113.9"}, 404),
        ({"REMOTE_ADDR": ""}, 404),
        ({"REMOTE_ADDR": "127.0.0.1", "HTTP_X_FORWARDED_FOR": "203.0.113.9"}, 404),
    ],
)
def test_metrics_are_for_this_machine(meta: dict, status: int) -> None:
    Client().get("/healthz")  # is counted
    answer = Client().get("/metrics", **meta)
    assert answer.status_code == status
    if status == 200:
        assert b"racecard_requests_total" in answer.content


@pytest.mark.parametrize(
    ("meta", "status"),
    [
        ({"REMOTE_ADDR": "10.1.2.3"}, 200),
        ({"REMOTE_ADDR": "10.1.2.3", "HTTP_X_FORWARDED_FOR": "10.9.9.9"}, 404),
        ({"REMOTE_ADDR": "203.0.113.9"}, 404),
    ],
)
def test_metrics_are_for_named_networks(settings: Any, meta: dict, status: int) -> None:
    settings.RACECARD_METRICS_ALLOW = ["fd00::/8", "10.0.0.0/8"]
    assert Client().get("/metrics", **meta).status_code == status


def test_metrics_are_for_staff_from_anywhere(auditor, player) -> None:
    for who, status in ((auditor, 200), (player, 404)):
        browser = Client(REMOTE_ADDR="203.0.113.9")
        browser.force_login(who, backend="accounts.roles.PlayerBackend")
        assert browser.get("/metrics").status_code == status


@pytest.mark.both_databases
def test_not_ready_before_it_is_migrated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "_migrated", False)
    [last] = MigrationLoader(connection).graph.leaf_nodes("jobs")
    MigrationRecorder(connection).record_unapplied(*last)
    answer = Client().get("/readyz")
    assert (answer.status_code, answer.json()["migrations"]) == (503, False)


@pytest.mark.both_databases
def test_not_ready_without_a_trigger() -> None:
    name = next(each.name for each in triggers._wanted() if each.table == "eventstore_event")
    with connection.cursor() as cursor:
        cursor.execute(
            f"DROP TRIGGER {name}{'' if connection.vendor == 'sqlite' else ' ON eventstore_event'}"
        )
    answer = Client().get("/readyz")
    assert (answer.status_code, answer.json()["triggers"]) == (503, False)


def test_a_missing_ticker_is_reported_and_processes_stay_ready(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(ticker, "close_old_connections", lambda: None)  # this test's transaction is on it

    def health() -> tuple[int, int, bool, bool]:
        serves, works = Client().get("/readyz"), Client().get("/readyz?whole=1")
        assert serves.json() == works.json()
        return serves.status_code, works.status_code, serves.json()["working"], serves.json()["ticker"]

    assert health() == (200, 503, False, False)
    ticker.Ticker(carry_out).tick()
    assert health() == (200, 200, True, True)
    jobs.beat(name="ticker", now=timezone.now() - timedelta(seconds=31))
    assert health() == (200, 503, False, False)


def test_the_broker_is_reported(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    jobs.beat(name="ticker", now=timezone.now())
    options = {**settings.CELERY_BROKER_TRANSPORT_OPTIONS, "data_folder_out": str(tmp_path / "gone")}
    with override_settings(REDIS_URL="", CELERY_BROKER_TRANSPORT_OPTIONS=options):
        answer = Client().get("/readyz?whole=1")
    assert (answer.status_code, answer.json()["broker"], answer.json()["ready"]) == (503, False, True)
