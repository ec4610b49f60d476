"""A token or a session identifies the caller, never both: with a token, cookies are ignored."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from accounts.models import Player
from accounts.services import issue_token


@pytest.fixture
def browser(player: Player) -> Client:
    """Signed in as the player; its cookies go with every request."""
    client = Client(enforce_csrf_checks=True)
    client.force_login(player, backend="accounts.roles.PlayerBackend")
    return client


def ask(client: Client, authorization: str) -> Any:
    return client.get("/api/v1/players/me/", headers={"Authorization": authorization})


def rename(client: Client, **headers: str) -> Any:
    headers = {"Idempotency-Key": "k", **headers}
    sent = {"display_name": "Ann"}
    return client.patch("/api/v1/players/me/", sent, content_type="application/json", headers=headers)


def test_a_token_takes_precedence_over_a_session(browser: Client, player: Player, rival: Player) -> None:
    assert browser.get("/api/v1/players/me/").json()["id"] == str(player.pk)
    token = issue_token(player=rival)[1]
    for scheme in ("Bearer", "bearer", "BEARER"):
        assert ask(browser, f"{scheme} {token}").json()["id"] == str(rival.pk)


def test_a_session_does_not_replace_an_invalid_token(browser: Client, subtests: pytest.Subtests) -> None:
    for sent in ["Bearer", "Bearer ", "Bearer no-such-token", "bearer a b", "Bearerish", "BEARER\tx"]:
        with subtests.test(sent=sent):
            answer = ask(browser, sent)
            assert answer.status_code == 401
            assert answer.json()["code"] in ("not-authenticated", "authentication-failed")


def test_a_session_changes_nothing_without_its_csrf_token(browser: Client) -> None:
    assert rename(browser).status_code == 403


@pytest.mark.parametrize("sent", ["Bearer", "Bearerish", "bearer no-such-token"])
def test_no_header_gets_a_session_past_the_check(browser: Client, sent: str) -> None:
    assert rename(browser, Authorization=sent).status_code == 401


def test_outside_the_api_the_header_is_ignored(administrator: Player) -> None:
    """The staff pages accept sessions only."""
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(administrator, backend="accounts.roles.PlayerBackend")
    token = issue_token(player=administrator)[1]
    refused = browser.post("/admin/logout/", headers={"Authorization": f"Bearer {token}"})
    assert refused.status_code == 403


def test_a_token_needs_no_cookie_and_gets_none(player: Player) -> None:
    answer = ask(Client(enforce_csrf_checks=True), f"Bearer {issue_token(player=player)[1]}")
    assert answer.status_code == 200
    assert not answer.cookies
