"""Requests with a token go through `API_MIDDLEWARE`; their responses are those of the whole `MIDDLEWARE`."""

from __future__ import annotations

import uuid
from typing import Any

import pytest
from django.conf import settings
from django.core.signals import request_finished, request_started
from django.test import Client, override_settings
from django.utils.module_loading import import_string

from accounts.models import Player
from accounts.services import issue_token
from config.request_log import RequestLog
from tests.conftest import headers_of

pytestmark = pytest.mark.django_db

ONLY_FOR_BROWSERS = {
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "accounts.middleware.StrictAccountRequests",
    "allauth.account.middleware.AccountMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
}
API_FORM = {"rest.middleware.ContentPolicy": "rest.middleware.ApiContentPolicy"}
HANDLER = "rest.middleware.ApiHandler"


def test_the_lists_differ_by_what_only_browsers_need() -> None:
    assert settings.MIDDLEWARE[0] == HANDLER
    expected = [API_FORM.get(path, path) for path in settings.MIDDLEWARE[1:] if path not in ONLY_FOR_BROWSERS]
    assert expected == settings.API_MIDDLEWARE


@pytest.mark.parametrize("hook", ["process_exception", "process_template_response"])
def test_no_middleware_needs_a_hook_that_the_handler_does_not_call(hook: str) -> None:
    assert not [path for path in settings.API_MIDDLEWARE if hasattr(import_string(path), hook)]


Request = tuple[str, str, dict[str, str], int]
REQUESTS: list[Request] = [
    ("GET", "/api/v1/players/me/", {}, 200),
    ("HEAD", "/api/v1/players/me/", {}, 200),
    ("OPTIONS", "/api/v1/players/me/", {}, 200),
    ("GET", "/api/v1/games/", {"Origin": "https://evil.example"}, 200),
    ("GET", "/api/v1/games/", {"Accept": "text/html"}, 406),
    ("GET", "/api/v1/games/?no=1", {}, 400),
    ("GET", "/api/v1/games/", {"Host": "evil.example"}, 400),
    ("GET", "/api/v1/players/me/", {"Authorization": "Bearer nonsense"}, 401),
    ("GET", "/api/v1/players/me/", {"Authorization": "bearer"}, 401),
    ("GET", f"/api/v1/games/{uuid.UUID(int=1)}/", {}, 404),
    ("GET", "/api/v1/no-such-address/", {}, 404),
    ("GET", "/api/v1/players/me", {}, 404),
    ("PUT", "/api/v1/players/me/", {"Referer": "https://evil.example/"}, 405),
    ("POST", "/api/v1/games/", {}, 400),
]


@pytest.fixture
def token(player: Player) -> str:
    return issue_token(player=player)[1]


def whole_list() -> Any:
    return override_settings(MIDDLEWARE=settings.MIDDLEWARE[1:])


def answer(request: Request, token: str) -> tuple[int, bytes, dict[str, str], Any]:
    method, path, headers, _ = request
    client = Client(raise_request_exception=False)
    sent = {"Authorization": f"Bearer {token}", **headers}
    found = client.generic(method, path, b"", headers=sent)
    return found.status_code, found.content, headers_of(found), dict(found.cookies)


@override_settings(ALLOWED_HOSTS=["testserver"], SECURE_HSTS_SECONDS=60)
def test_a_response_is_that_of_the_whole_list(token: str, subtests: pytest.Subtests) -> None:
    for request in REQUESTS:
        with subtests.test(request=request):
            short = answer(request, token)
            assert short[0] == request[3]
            with whole_list():
                assert short == answer(request, token)


@override_settings(SECURE_SSL_REDIRECT=True)
def test_a_request_without_https_is_redirected_as_by_the_whole_list(token: str) -> None:
    short = answer(REQUESTS[0], token)
    assert short[0] == 301
    with whole_list():
        assert short == answer(REQUESTS[0], token)


def test_a_fault_outside_a_view_is_a_problem_document_in_both_lists(
    token: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: Any, **__: Any) -> None:
        raise RuntimeError("a secret")

    monkeypatch.setattr(RequestLog, "process_view", broken)
    found = [answer(REQUESTS[0], token)]
    with whole_list():
        found.append(answer(REQUESTS[0], token))
    assert [status for status, *_ in found] == [500, 500]
    assert found[0][2:] == found[1][2:]
    assert b"secret" not in found[0][1]
    assert b"server-error" in found[0][1]


def test_a_session_sent_with_a_token_is_ignored(player: Player, rival: Player, token: str) -> None:
    client = Client()
    client.force_login(rival, backend="accounts.roles.PlayerBackend")
    found = client.get("/api/v1/players/me/", headers={"Authorization": f"Bearer {token}"})
    assert found.json()["username"] == player.username
    assert not hasattr(found.wsgi_request, "session")


def test_django_signals_the_start_and_the_end_of_each_request_once(token: str) -> None:
    seen: list[object] = []

    def record(signal: object, **_: Any) -> None:
        seen.append(signal)

    for signal in (request_started, request_finished):
        signal.connect(record)
    answer(REQUESTS[0], token)
    for signal in (request_started, request_finished):
        signal.disconnect(record)
    assert seen == [request_started, request_finished]
