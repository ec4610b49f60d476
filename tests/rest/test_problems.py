"""Every refusal has one form, a stable code, and no traceback."""

from __future__ import annotations

from uuid import UUID

import pytest
from django.test import Client, override_settings
from django.urls import path
from rest_framework.permissions import AllowAny
from rest_framework.views import APIView

from accounts.models import Player
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


def test_an_unknown_address(api) -> None:
    is_problem(api(None).get("/api/v1/nothing/"), 404, "not-found")


def test_an_address_without_its_slash_is_not_redirected(api) -> None:
    is_problem(api(None).post("/api/v1/players", {}), 404, "not-found")
    is_problem(api(None).get("/api/v1/rules"), 404, "not-found")


def test_an_unknown_method(api, player) -> None:
    answer = api(player).put("/api/v1/players/me/", {})
    is_problem(answer, 405, "method-not-allowed")
    assert "PATCH" in answer["Allow"]


def test_another_form_of_answer(api) -> None:
    is_problem(api(None).get("/api/v1/", headers={"Accept": "text/csv"}), 406, "not-acceptable")


@pytest.mark.parametrize(
    "form", ["multipart/form-data; boundary=x", "application/x-www-form-urlencoded", "text/plain"]
)
def test_another_form_of_body(api, form: str) -> None:
    answer = api(None).generic("POST", "/api/v1/players/", b"username=ann", content_type=form)
    is_problem(answer, 415, "unsupported-media-type")


def test_a_body_too_large(api) -> None:
    body = b'{"username": "' + b"a" * 300_000 + b'"}'
    answer = api(None).generic("POST", "/api/v1/players/", body, content_type="application/json")
    is_problem(answer, 413, "body-too-large")


def test_no_response_asks_for_http_authentication(api) -> None:
    answer = api(None).get("/api/v1/players/me/")
    is_problem(answer, 401, "not-authenticated")
    assert answer["WWW-Authenticate"] == "Bearer"


def test_no_token_crashes_the_server(subtests: pytest.Subtests) -> None:
    for token in ["", "x", "é", "a b", "0" * 64, "\x00", "0" * 5000]:
        with subtests.test(token=token):
            answer = Client().get("/api/v1/players/me/", HTTP_AUTHORIZATION=f"Bearer {token}")
            is_problem(answer, 401, "not-authenticated")


@override_settings(ALLOWED_HOSTS=["club.example"])
def test_a_host_that_is_not_served(api) -> None:
    is_problem(api(None).get("/api/v1/", HTTP_HOST="evil.example"), 400, "invalid-input")


def test_a_session_needs_its_csrf_token(player: Player) -> None:
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(player, backend="accounts.roles.PlayerBackend")
    assert browser.get("/api/v1/players/me/").status_code == 200
    answer = browser.patch("/api/v1/players/me/", {"display_name": "x"}, content_type="application/json")
    is_problem(answer, 403, "csrf-refused")
    player.refresh_from_db()
    assert player.display_name == ""


@pytest.mark.parametrize("address", ["broken", "plain"])
@override_settings(ROOT_URLCONF=__name__)
def test_a_server_error_contains_only_its_id(api, address: str) -> None:
    answer = api(None).get(f"/api/v1/{address}/")
    document = is_problem(answer, 500, "server-error")
    assert document["request_id"] == answer["X-Request-ID"]
    assert "secret" not in str(document)
    assert "Traceback" not in str(document)
