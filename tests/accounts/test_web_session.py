"""The web client's session: opened with name and password, never by another site's page, and closed again."""

from __future__ import annotations

import pytest
from django.test import Client
from django_otp.oath import totp
from django_otp.plugins.otp_totp.models import TOTPDevice

from accounts.models import Player
from tests.conftest import PASSWORD

pytestmark = pytest.mark.django_db

SESSION = "/api/v1/session/"
ME = "/api/v1/players/me/"


@pytest.fixture
def browser() -> Client:
    """One that has loaded the page, and with it the CSRF cookie."""
    client = Client(enforce_csrf_checks=True)
    assert client.get("/").cookies["csrftoken"].value
    return client


def post(browser: Client, body: dict[str, str], **headers: str):
    return browser.post(SESSION, body, content_type="application/json", headers=headers)


def token(browser: Client) -> dict[str, str]:
    return {"X-CSRFToken": browser.cookies["csrftoken"].value}


def credentials(player: Player, **more: str) -> dict[str, str]:
    return {"username": player.username, "password": PASSWORD, **more}


def test_a_session_is_opened_shown_and_closed(browser: Client, player: Player) -> None:
    opened = post(browser, credentials(player), **token(browser))
    assert (opened.status_code, opened["Cache-Control"]) == (201, "no-store")
    assert opened.json()["id"] == str(player.pk)
    assert PASSWORD not in opened.content.decode()
    assert browser.get(ME).json()["username"] == player.username
    assert browser.delete(SESSION, headers=token(browser)).status_code == 204
    assert browser.get(ME).status_code == 401


def test_another_sites_page_opens_and_closes_none(browser: Client, player: Player) -> None:
    refused = post(browser, credentials(player))
    assert (refused.status_code, browser.get(ME).status_code) == (403, 401)
    assert post(browser, credentials(player), **token(browser)).status_code == 201
    assert browser.delete(SESSION).status_code == 403
    assert browser.get(ME).status_code == 200


def test_sign_in_replaces_a_planted_session(browser: Client, player: Player) -> None:
    browser.session.save()
    planted = browser.cookies["sessionid"].value
    post(browser, credentials(player), **token(browser))
    assert browser.cookies["sessionid"].value != planted


@pytest.mark.parametrize(
    ("given", "code"),
    [({"password": "wrong wrong wrong"}, "sign-in-refused"), ({"username": "nobody"}, "sign-in-refused")],
)
def test_it_is_refused_as_a_token_would_be(browser: Client, player: Player, given, code: str) -> None:
    answer = post(browser, credentials(player) | given, **token(browser))
    assert (answer.status_code, answer.json()["code"]) == (401, code)
    assert "sessionid" not in browser.cookies


def test_an_enrolled_code_is_required(browser: Client, player: Player) -> None:
    device = TOTPDevice.objects.create(user=player, name="authenticator", confirmed=True)
    requested = post(browser, credentials(player), **token(browser))
    assert (requested.status_code, requested.json()["code"]) == (401, "otp-required")
    code = f"{totp(device.bin_key):06}"
    assert post(browser, credentials(player, otp=code), **token(browser)).status_code == 201
    assert browser.session["otp_device_id"] == device.persistent_id


def test_signing_out_without_a_session_changes_nothing(browser: Client) -> None:
    assert browser.delete(SESSION, headers=token(browser)).status_code == 204


def test_a_token_has_no_session_to_open_or_close(api, player: Player) -> None:
    client = api(player)
    for answer in (client.post(SESSION, credentials(player), key=""), client.delete(SESSION)):
        assert (answer.status_code, answer.json()["code"]) == (409, "conflict")
    assert client.get(ME).status_code == 200
