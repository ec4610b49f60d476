"""A POST that is sent twice does its work once, also when both arrive together."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest
from django.db import connection
from rest_framework import status
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.test import APIRequestFactory, force_authenticate
from rest_framework.views import APIView

from core.errors import Conflict
from rest.idempotency import forget, idempotent
from rest.models import StoredResponse
from staff.actions import record_action
from staff.models import ActionRecord
from tests.conftest import NOW, person


class ActionView(APIView):
    """A view whose effect can be counted."""

    permission_classes = [AllowAny]
    throttle_classes: list[type] = []

    @idempotent
    def post(self, request: Request) -> Response:
        if request.data.get("refuse"):
            record_action(actor=None, action="refused-test", at=NOW)
            raise Conflict()
        action = record_action(actor=None, action="test", at=NOW)
        return Response(
            {"action": action.pk, "body": request.data},
            status=status.HTTP_201_CREATED,
            headers={"Location": "/x"},
        )


def send(who=None, *, key: str | None = "k1", body=None, path: str = "/actions/"):
    headers = {} if key is None else {"Idempotency-Key": key}
    request = APIRequestFactory().post(path, body or {}, format="json", headers=headers)
    if who is not None:
        force_authenticate(request, who)
    return ActionView.as_view()(request)


def actions_recorded() -> int:
    return ActionRecord.objects.filter(action__in=["test", "refused-test"]).count()


@pytest.mark.django_db
@pytest.mark.both_databases
def test_the_second_gets_the_first_ones_answer(player) -> None:
    first = send(player, body={"a": 1, "b": 2})
    again = send(player, body={"b": 2, "a": 1})
    assert (again.status_code, again.data, again["Location"]) == (201, first.data, "/x")
    assert again["Idempotent-Replay"] == "true"
    assert "Idempotent-Replay" not in first
    assert actions_recorded() == 1


@pytest.mark.django_db
def test_the_same_key_with_another_body_is_refused(player) -> None:
    send(player, body={"a": 1})
    answer = send(player, body={"a": True})
    assert (answer.status_code, answer.data["code"]) == (409, "idempotency-key-reused")
    assert actions_recorded() == 1


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("key", "code"),
    [
        (None, "idempotency-key-required"),
        ("", "idempotency-key-required"),
        ("two words", "idempotency-key-malformed"),
        ("k" * 129, "idempotency-key-malformed"),
        ("ключ", "idempotency-key-malformed"),
    ],
)
def test_a_key_is_needed_and_has_a_form(player, key: str | None, code: str) -> None:
    answer = send(player, key=key)
    assert (answer.status_code, answer.data["code"]) == (400, code)
    assert actions_recorded() == 0


@pytest.mark.django_db
def test_a_key_belongs_to_its_actor_and_its_address(player, rival) -> None:
    answers = [send(player), send(rival), send(player, path="/actions/2/")]
    assert len({answer.data["action"] for answer in answers}) == 3


@pytest.mark.django_db
@pytest.mark.both_databases
def test_a_refusal_is_not_stored_and_may_be_retried(player) -> None:
    assert send(player, body={"refuse": True}).status_code == 409
    assert (actions_recorded(), StoredResponse.objects.count()) == (0, 0)
    assert send(player, body={"refuse": False}).status_code == 201


@pytest.mark.django_db
def test_what_was_answered_to_one_who_is_erased_is_forgotten(player, rival) -> None:
    send(player)
    send(rival)
    forget(str(player.pk))
    assert StoredResponse.objects.get().actor == str(rival.pk)


@pytest.mark.django_db(transaction=True)
def test_of_many_at_once_one_acts_and_all_get_its_answer() -> None:
    ann = person("ann")
    together = threading.Barrier(4)

    def one(_: int) -> SimpleNamespace:
        try:
            together.wait(timeout=60)
            answer = send(ann, body={"a": 1})
            return SimpleNamespace(status=answer.status_code, action=answer.data.get("action"))
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(one, range(4)))
    assert {answer.status for answer in answers} == {201}
    assert len({answer.action for answer in answers}) == 1
    assert actions_recorded() == 1
