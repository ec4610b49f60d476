"""Transient faults of the database: the transaction is retried, or the answer is 503, and nothing is half done."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from types import SimpleNamespace
from typing import Any

import psycopg
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

from accounts.models import Player
from core import transient
from rest.idempotency import idempotent
from rest.models import StoredResponse
from staff.actions import record_action
from staff.models import ActionRecord
from tests.conftest import NOW

pytestmark = pytest.mark.django_db(transaction=True)

Fault = Callable[[], None]


class Actions(APIView):
    """Records an action, then raises the next of the test's faults."""

    permission_classes = [AllowAny]
    throttle_classes: list[type] = []
    faults: list[Fault] = []
    calls = 0

    @idempotent
    def post(self, request: Request) -> Response:
        type(self).calls += 1
        action = record_action(actor=None, action="test", at=NOW)
        if self.faults:
            self.faults.pop(0)()
        return Response({"action": action.pk}, status=201)


@pytest.fixture(autouse=True)
def view(monkeypatch: pytest.MonkeyPatch) -> type[Actions]:
    monkeypatch.setattr(Actions, "faults", [])
    monkeypatch.setattr(Actions, "calls", 0)
    return Actions


def send(key: str = "k") -> Response:
    request = APIRequestFactory().post("/actions/", {}, format="json", headers={"Idempotency-Key": key})
    try:
        answer: Response = Actions.as_view()(request)
        return answer
    finally:
        close_old_connections()  # as after every request


def recorded() -> int:
    return ActionRecord.objects.filter(action="test").count()


def is_503(answer: Any, code: str) -> bool:
    return (answer.status_code, answer.data["code"], answer["Retry-After"]) == (503, code, "1")


def fails_with(state: str) -> Fault:
    """Return a fault that raises an error with this SQLSTATE on the server."""

    def fail() -> None:
        with connection.cursor() as cursor:
            cursor.execute(f"DO $$ BEGIN RAISE EXCEPTION 'row: secret' USING ERRCODE = '{state}'; END $$")

    return fail


@pytest.mark.postgres
@pytest.mark.parametrize("state", ["40P01", "40001"])
def test_rolled_back_transaction_is_retried(view: type[Actions], state: str) -> None:
    view.faults = [fails_with(state)] * 2
    assert send().status_code == 201
    assert (view.calls, recorded(), StoredResponse.objects.count()) == (3, 1, 1)


@pytest.mark.postgres
def test_retries_end_with_503(view: type[Actions]) -> None:
    view.faults = [fails_with("40P01")] * 9
    answer = send()
    assert is_503(answer, "busy")
    assert "secret" not in str(answer.data)
    assert (view.calls, recorded(), StoredResponse.objects.count()) == (1 + len(transient.PAUSES), 0, 0)
    view.faults = []
    assert send().status_code == 201
    assert recorded() == 1


@pytest.mark.postgres
def test_part_of_a_larger_transaction_is_not_retried(view: type[Actions]) -> None:
    def within() -> None:
        with transaction.atomic():
            record_action(actor=None, action="test", at=NOW)
            with transaction.atomic():
                send()

    view.faults = [fails_with("40P01")]
    within()
    assert view.calls == 1


@pytest.mark.postgres
def test_defect_is_not_retried(view: type[Actions]) -> None:
    view.faults = [fails_with("23505")]
    assert send().status_code == 500
    assert (view.calls, recorded()) == (1, 0)


def lock_both(first: Player, second: Player, wait: Callable[[], object]) -> Fault:
    def lock() -> None:
        Player.objects.select_for_update().get(pk=first.pk)
        wait()
        Player.objects.select_for_update().get(pk=second.pk)

    return lock


@pytest.mark.postgres
def test_both_transactions_of_a_deadlock_succeed(view: type[Actions], player: Player, rival: Player) -> None:
    """PostgreSQL ends one of the two, which then succeeds after the other."""
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
    assert (view.calls, recorded()) == (3, 2)


def cut() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_terminate_backend(pg_backend_pid())")


def as_on_a_standby() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL transaction_read_only = on")
        cursor.execute("DELETE FROM rest_storedresponse")


def answered_twice() -> None:
    """As by a server that ends the connection in the same moment as it commits."""
    with connection.wrap_database_errors:
        raise psycopg.InternalError("received 2 results from command 'COMMIT'")


@pytest.mark.postgres
@pytest.mark.parametrize(
    "fault", [cut, as_on_a_standby, answered_twice, fails_with("57P01"), fails_with("08006")]
)
def test_lost_connection_is_replaced_and_the_work_done(view: type[Actions], fault: Fault) -> None:
    connection.ensure_connection()
    before = connection.connection
    view.faults = [fault]
    assert send().status_code == 201
    assert connection.connection is not before
    assert (view.calls, recorded(), StoredResponse.objects.count()) == (2, 1, 1)


@pytest.mark.postgres
def test_database_that_stays_away_answers_503_and_the_next_request_reconnects(view: type[Actions]) -> None:
    view.faults = [cut] * 9
    assert is_503(send(), "unavailable")
    assert (view.calls, recorded()) == (1 + len(transient.PAUSES), 0)
    view.faults = []
    assert send().status_code == 201
    assert recorded() == 1


@pytest.mark.postgres
def test_nothing_is_repeated_while_the_primary_is_known_to_be_away(
    view: type[Actions], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.replicas.primary_is_away", lambda: True)
    view.faults = [cut] * 9
    assert is_503(send(), "unavailable")
    assert (view.calls, recorded()) == (1, 0)


@pytest.mark.postgres
def test_commit_of_unknown_outcome_is_decided_by_the_key(
    view: type[Actions], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The connection breaks after the commit: the command is found, and its response returned."""
    commit, cuts = connection._commit, [cut]

    def commit_and_break() -> None:
        commit()
        if cuts:
            cuts.pop()()

    monkeypatch.setattr(connection, "_commit", commit_and_break)
    answer = send()
    assert (answer.status_code, answer["Idempotent-Replay"]) == (201, "true")
    assert (view.calls, recorded()) == (1, 1)


@pytest.mark.postgres
@pytest.mark.parametrize("state", ["53100", "53300", "25006", "25P03", "57P03", "08P01"])
def test_every_fault_of_a_failover_answers_503(view: type[Actions], state: str) -> None:
    """Also those of PgBouncer, whose refusals are protocol violations (08P01)."""
    view.faults = [fails_with(state)] * 9
    answer = send()
    assert (answer.status_code, "Retry-After" in answer) == (503, True)
    assert answer.data["code"] == ("storage-full" if state == "53100" else "unavailable")


@contextmanager
def another_writer() -> Iterator[sqlite3.Connection]:
    name = str(connection.settings_dict["NAME"])
    with closing(sqlite3.connect(name, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield other


@pytest.fixture
def impatient(db: None) -> Iterator[None]:
    """Wait 10 ms for another writer; an installation waits 20 seconds."""
    connection.ensure_connection()
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA busy_timeout = 10")
    yield
    connection.close()


@pytest.mark.sqlite
def test_database_with_another_writer_is_busy(view: type[Actions], impatient: None) -> None:
    with another_writer():
        assert is_503(send(), "busy")
    assert (view.calls, recorded()) == (0, 0)
    assert send().status_code == 201


@pytest.mark.sqlite
def test_writer_that_ends_in_time_is_waited_for(
    view: type[Actions], impatient: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    with another_writer() as other:
        clock = SimpleNamespace(monotonic=time.monotonic, sleep=lambda pause: other.execute("ROLLBACK"))
        monkeypatch.setattr(transient, "time", clock)
        assert send().status_code == 201
        assert not other.in_transaction
    assert (view.calls, recorded()) == (1, 1)


def lost(request: object) -> None:
    raise OperationalError("the connection is closed")


def full(request: object) -> None:
    error = sqlite3.OperationalError("database or disk is full")
    error.sqlite_errorcode = sqlite3.SQLITE_FULL
    raise OperationalError("database or disk is full") from error


urlpatterns = [
    path("api/v1/lost/", lost),
    path("lost/", lost),
    path("api/v1/full/", full),
    path("full/", full),
]
handler500 = "rest.problems.server_error"


@override_settings(ROOT_URLCONF=__name__)
def test_faults_outside_of_api_views_answer_503(api: Any) -> None:
    answer = api(None).get("/api/v1/lost/")
    assert (answer.status_code, answer.json()["code"], answer["Retry-After"]) == (503, "unavailable", "1")
    page = api(None).get("/lost/")
    assert (page.status_code, page["Retry-After"]) == (503, "1")
    assert b"try again" in page.content


@override_settings(ROOT_URLCONF=__name__)
def test_full_disk_answers_503_in_the_api_and_on_pages(api: Any) -> None:
    answer = api(None).get("/api/v1/full/")
    assert (answer.status_code, answer.json()["code"], answer["Retry-After"]) == (503, "storage-full", "30")
    page = api(None).get("/full/")
    assert (page.status_code, page["Retry-After"]) == (503, "30")
    assert b"disk of the database is full" in page.content


def test_without_redis_requests_are_refused(api: Any, player: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuses(key: str, by: int, *, lasting: int) -> int:
        raise RedisError("connection refused")

    client = api(player)
    monkeypatch.setattr("rest.throttles.raised", refuses)
    answer = client.get("/api/v1/players/me/")
    assert (answer.status_code, answer.json()["code"], answer["Retry-After"]) == (503, "unavailable", "1")
