"""Every refusal has one form, a stable code, and no traceback."""

from __future__ import annotations

from uuid import UUID

import pytest
from django.test import Client, override_settings
from django.urls import path
from rest_framework.permissions import AllowAny
from rest_framework.views import APIView

from core.errors import Conflict
from rest.problems import problem_document

pytestmark = pytest.mark.django_db


class Broken(APIView):
    permission_classes = [AllowAny]

    def get(self, request):
        raise RuntimeError("the secret of the site")


def broken(request):
    raise RuntimeError("the secret of the site")


urlpatterns = [path("api/v1/broken/", Broken.as_view()), path("api/v1/plain/", broken)]
handler500 = "rest.problems.server_error"


def is_problem(answer, status: int, code: str) -> dict:
    assert answer.status_code == status, answer.content
    assert answer["Content-Type"] == "application/problem+json"
    document = answer.json()
    assert (document["status"], document["code"]) == (status, code)
    assert document["type"] == f"/docs/errors/{code}/"
    assert document["title"]
    assert document["detail"]
    assert UUID(answer["X-Request-ID"])
    return document


def test_no_further_member_replaces_one_of_every_problem() -> None:
    document = problem_document(Conflict("It ended.", status="ended", version=3))
    assert document == problem_document(Conflict("It ended.")) | {"version": 3}


JSON, LARGE = "application/json", b'{"username": "' + b"a" * 300_000 + b'"}'
PLAYERS, FORM = "/api/v1/players/", b"username=ann"


@pytest.mark.parametrize(
    ("request_line", "body", "headers", "status", "code"),
    [
        ("GET /api/v1/nothing/", b"", {}, 404, "not-found"),
        ("POST /api/v1/players", b"{}", {}, 404, "not-found"),  # not redirected to the address with its slash
        ("GET /api/v1/rules", b"", {}, 404, "not-found"),
        ("GET /api/v1/", b"", {"Accept": "text/csv"}, 406, "not-acceptable"),
        (f"POST {PLAYERS}", FORM, {"Content-Type": "multipart/form-data; boundary=x"}, 415, "unsupported-media-type"),
        (f"POST {PLAYERS}", FORM, {"Content-Type": "application/x-www-form-urlencoded"}, 415, "unsupported-media-type"),
        (f"POST {PLAYERS}", FORM, {"Content-Type": "text/plain"}, 415, "unsupported-media-type"),
        (f"POST {PLAYERS}", LARGE, {}, 413, "body-too-large"),
        ("GET /api/v1/", b"", {"Host": "evil.example"}, 400, "invalid-input"),
    ],
)  # fmt: skip
@override_settings(ALLOWED_HOSTS=["testserver"])
def test_a_request_that_is_not_understood(
    request_line: str, body: bytes, headers: dict[str, str], status: int, code: str
) -> None:
    content_type = headers.pop("Content-Type", JSON)
    method, address = request_line.split()
    is_problem(Client().generic(method, address, body, content_type, headers=headers), status, code)


def test_an_unknown_method(api, player) -> None:
    answer = api(player).put("/api/v1/players/me/", {})
    is_problem(answer, 405, "method-not-allowed")
    assert "PATCH" in answer["Allow"]


def test_no_token_crashes_the_server_or_is_asked_for_by_a_dialog(subtests: pytest.Subtests) -> None:
    for token in ["", "x", "é", "a b", "0" * 64, "\x00", "0" * 5000]:
        with subtests.test(token=token):
            answer = Client().get("/api/v1/players/me/", HTTP_AUTHORIZATION=f"Bearer {token}")
            is_problem(answer, 401, "not-authenticated")
            assert answer["WWW-Authenticate"] == "Bearer"


@pytest.mark.parametrize("address", ["broken", "plain"])
@override_settings(ROOT_URLCONF=__name__)
def test_a_server_error_contains_only_its_id(api, address: str) -> None:
    answer = api(None).get(f"/api/v1/{address}/")
    document = is_problem(answer, 500, "server-error")
    assert document["request_id"] == answer["X-Request-ID"]
    assert "secret" not in str(document)
    assert "Traceback" not in str(document)
