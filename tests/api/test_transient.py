"""What the database gives up for no fault of the request is done again or answered with 503, and never by half."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from types import SimpleNamespace
from typing import Any

import pytest
from django.db import OperationalError, close_old_connections, connection, connections, transaction
from django.test import override_settings
from django.urls import path
from redis.exceptions import RedisError
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.test import APIRequestFactory
from rest_framework.views import APIView

from accounts.models import Player, StaffAction
from accounts.services import record_action
from api import transient
from api.idempotency import idempotent
from api.models import Answer
from tests.conftest import NOW

pytestmark = pytest.mark.django_db(transaction=True)

Fault = Callable[[], None]


class Deeds(APIView):
    """Does a deed, and then meets what the test has in store for it."""

    permission_classes = [AllowAny]
    throttle_classes: list[type] = []
    faults: list[Fault] = []
    asked = 0

    @idempotent
    def post(self, request: Request) -> Response:
        type(self).asked += 1
        deed = record_action(actor=None, action="deed", at=NOW)
        if self.faults:
            self.faults.pop(0)()
        return Response({"deed": deed.pk}, status=201)


@pytest.fixture(autouse=True)
def view(monkeypatch: pytest.MonkeyPatch) -> type[Deeds]:
    monkeypatch.setattr(Deeds, "faults", [])
    monkeypatch.setattr(Deeds, "asked", 0)
    return Deeds


def send(key: str = "k") -> Response:
    request = APIRequestFactory().post("/deeds/", {}, format="json", headers={"Idempotency-Key": key})
    try:
        answer: Response = Deeds.as_view()(request)
        return answer
    finally:
        close_old_connections()  # as after every request


def deeds() -> int:
    return StaffAction.objects.filter(action="deed").count()


def is_503(answer: Any, code: str) -> bool:
    return (answer.status_code, answer.data["code"], answer["Retry-After"]) == (503, code, "1")


def fails_with(state: str) -> Fault:
    """The server's own error of that SQLSTATE."""

    def fail() -> None:
        with connection.cursor() as cursor:
            cursor.execute(f"DO $$ BEGIN RAISE EXCEPTION 'row: secret' USING ERRCODE = '{state}'; END $$")

    return fail


@pytest.mark.postgres
@pytest.mark.parametrize("state", ["40P01", "40001"])
def test_a_transaction_that_was_rolled_back_is_made_again(view: type[Deeds], state: str) -> None:
    view.faults = [fails_with(state)] * 2
    assert send().status_code == 201
    assert (view.asked, deeds(), Answer.objects.count()) == (3, 1, 1)


@pytest.mark.postgres
def test_not_for_ever(view: type[Deeds]) -> None:
    view.faults = [fails_with("40P01")] * 9
    answer = send()
    assert is_503(answer, "busy")
    assert "secret" not in str(answer.data)
    assert (view.asked, deeds(), Answer.objects.count()) == (1 + len(transient.PAUSES), 0, 0)
    view.faults = []
    assert send().status_code == 201
    assert deeds() == 1


@pytest.mark.postgres
def test_a_part_of_a_larger_transaction_is_not_made_again_by_itself(view: type[Deeds]) -> None:
    def within() -> None:
        with transaction.atomic():
            record_action(actor=None, action="deed", at=NOW)
            with transaction.atomic():
                send()

    view.faults = [fails_with("40P01")]
    within()
    assert view.asked == 1


@pytest.mark.postgres
def test_a_defect_is_no_passing_fault(view: type[Deeds]) -> None:
    view.faults = [fails_with("23505")]
    assert send().status_code == 500
    assert (view.asked, deeds()) == (1, 0)


def lock_both(first: Player, second: Player, met: Callable[[], object]) -> Fault:
    def lock() -> None:
        Player.objects.select_for_update().get(pk=first.pk)
        met()
        Player.objects.select_for_update().get(pk=second.pk)

    return lock


@pytest.mark.postgres
def test_of_two_that_wait_for_each_other_both_succeed(
    view: type[Deeds], player: Player, rival: Player
) -> None:
    """A real deadlock: PostgreSQL ends one of them, which comes after the other then."""
    both = threading.Barrier(2)
    view.faults = [
        lock_both(player, rival, lambda: both.wait(60)),
        lock_both(rival, player, lambda: both.wait(60)),
    ]

    def one(key: str) -> int:
        try:
            return int(send(key).status_code)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(2) as threads:
        assert list(threads.map(one, ["one", "other"])) == [201, 201]
    assert (view.asked, deeds()) == (3, 2)


@pytest.mark.postgres
def test_a_lost_connection_is_answered_with_503_and_the_next_request_has_another(view: type[Deeds]) -> None:
    def cut() -> None:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_terminate_backend(pg_backend_pid())")

    view.faults = [cut]
    assert is_503(send(), "unavailable")
    assert send().status_code == 201
    assert (view.asked, deeds()) == (2, 1)


@contextmanager
def another_writer() -> Iterator[sqlite3.Connection]:
    name = str(connection.settings_dict["NAME"])
    with closing(sqlite3.connect(name, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield other


@pytest.fixture
def impatient(db: None) -> Iterator[None]:
    """Waits a moment for another writer, where an installation waits 20 seconds."""
    connection.ensure_connection()
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA busy_timeout = 10")
    yield
    connection.close()


@pytest.mark.sqlite
def test_a_database_that_is_written_to_by_somebody_else_is_busy(view: type[Deeds], impatient: None) -> None:
    with another_writer():
        assert is_503(send(), "busy")
    assert (view.asked, deeds()) == (0, 0)
    assert send().status_code == 201


@pytest.mark.sqlite
def test_a_writer_that_ends_is_waited_for(
    view: type[Deeds], impatient: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    with another_writer() as other:
        clock = SimpleNamespace(monotonic=time.monotonic, sleep=lambda pause: other.execute("ROLLBACK"))
        monkeypatch.setattr(transient, "time", clock)
        assert send().status_code == 201
        assert not other.in_transaction
    assert (view.asked, deeds()) == (1, 1)


def lost(request: object) -> None:
    raise OperationalError("the connection is closed")


urlpatterns = [path("api/v1/lost/", lost), path("lost/", lost)]
handler500 = "api.handlers.server_error"


@override_settings(ROOT_URLCONF=__name__)
def test_beside_the_views_of_the_api_too(api: Any) -> None:
    answer = api(None).get("/api/v1/lost/")
    assert (answer.status_code, answer.json()["code"], answer["Retry-After"]) == (503, "unavailable", "1")
    page = api(None).get("/lost/")
    assert (page.status_code, page["Retry-After"]) == (503, "1")
    assert b"try again" in page.content


def test_without_the_server_of_the_counters_nobody_is_let_through(
    api: Any, player: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuses(key: str, by: int, *, lasting: int) -> int:
        raise RedisError("connection refused")

    client = api(player)
    monkeypatch.setattr("api.throttles.raised", refuses)
    answer = client.get("/api/v1/players/me/")
    assert (answer.status_code, answer.json()["code"], answer["Retry-After"]) == (503, "unavailable", "1")
