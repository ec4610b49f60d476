from __future__ import annotations

import pytest
from django.db import OperationalError, connection
from django.test import Client, override_settings

pytestmark = pytest.mark.django_db


def test_alive_and_ready() -> None:
    assert Client().get("/healthz").json() == {"status": "alive"}
    answer = Client().get("/readyz")
    assert (answer.status_code, answer.json()["ready"], answer.json()["database"]) == (200, True, True)


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
    answer = Client().get("/metrics", **meta)
    assert answer.status_code == status
    if status == 200:
        assert b"racecard_requests_total" in answer.content


def test_metrics_are_for_staff_from_anywhere(auditor, player) -> None:
    for who, status in ((auditor, 200), (player, 404)):
        browser = Client(REMOTE_ADDR="203.0.113.9")
        browser.force_login(who, backend="accounts.backends.PlayerBackend")
        assert browser.get("/metrics").status_code == status
