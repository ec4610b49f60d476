"""The web client's session: opened with name and password, never by another site's page, and closed again."""

from __future__ import annotations

import pytest
from django.contrib.sessions.models import Session

from accounts.models import Player
from tests.conftest import PASSWORD
from tests.signing_in import Browser, code_of, codes, pending, set_up_app, signed_in

pytestmark = pytest.mark.django_db

ME = "/api/v1/players/me/"


@pytest.fixture
def browser() -> Browser:
    return Browser()


@pytest.mark.both_databases
def test_a_session_is_opened_shown_and_closed(browser: Browser, player: Player) -> None:
    opened = browser.sign_in(player)
    assert opened.status_code == 200
    assert "no-store" in opened["Cache-Control"]
    assert opened.json()["data"]["user"]["id"] == str(player.pk)
    assert PASSWORD not in opened.content.decode()
    assert browser.get(ME).json()["username"] == player.username
    assert browser.ask("delete", "auth/session").status_code == 401
    assert browser.get(ME).status_code == 401


def test_another_sites_page_opens_and_closes_none(browser: Browser, player: Player) -> None:
    refused = browser.sign_in(player, headers={"X-CSRFToken": ""})
    assert (refused.status_code, refused.json()["code"]) == (403, "csrf-refused")
    assert browser.get(ME).status_code == 401
    assert browser.sign_in(player).status_code == 200
    assert browser.ask("delete", "auth/session", headers={"X-CSRFToken": ""}).status_code == 403
    assert browser.get(ME).status_code == 200


def test_sign_in_replaces_a_planted_session(browser: Browser, player: Player) -> None:
    browser.session.save()
    planted = browser.cookies["sessionid"].value
    browser.sign_in(player)
    assert browser.cookies["sessionid"].value != planted


def test_the_inactive_do_not_sign_in(browser: Browser, player: Player) -> None:
    Player.objects.filter(pk=player.pk).update(is_active=False)
    assert browser.sign_in(player).status_code == 401
    assert browser.get(ME).status_code == 401


def test_a_second_factor_is_required(browser: Browser, player: Player) -> None:
    secret = set_up_app(player)
    answer = browser.sign_in(player)
    assert (answer.status_code, pending(answer)) == (401, ["mfa_authenticate"])
    assert browser.get(ME).status_code == 401
    wrong = browser.ask("post", "auth/2fa/authenticate", {"code": "000000x"})
    assert (wrong.status_code, codes(wrong)) == (400, ["incorrect_code"])
    assert browser.ask("post", "auth/2fa/authenticate", {"code": code_of(secret)}).status_code == 200
    assert browser.get(ME).json()["second_factor"] is True


def test_a_token_opens_no_session_and_is_none_here(api, browser: Browser, player: Player) -> None:
    with_token = api(player)
    answer = with_token.get("/_allauth/browser/v1/auth/session")
    assert (answer.status_code, answer.json()["meta"]["is_authenticated"]) == (401, False)
    assert with_token.get("/_allauth/browser/v1/account/email").status_code == 401


def test_sessions_are_listed_and_ended_elsewhere(player: Player, rival: Player) -> None:
    here, there, foreign = signed_in(player), signed_in(player), signed_in(rival)
    listed = here.ask("get", "auth/sessions").json()["data"]
    assert [one["is_current"] for one in listed].count(True) == 1
    assert len(listed) == 2
    [other] = [one["id"] for one in listed if not one["is_current"]]
    assert foreign.ask("delete", "auth/sessions", {"sessions": [other]}).status_code == 400
    assert there.get(ME).status_code == 200
    assert here.ask("delete", "auth/sessions", {"sessions": [other]}).status_code == 200
    assert (there.get(ME).status_code, here.get(ME).status_code) == (401, 200)
    assert Session.objects.count() == 2


def test_signing_up_signs_in(browser: Browser) -> None:
    answer = browser.ask("post", "auth/signup", {"username": "zoe", "password": PASSWORD})
    assert answer.status_code == 200, answer.content
    assert browser.get(ME).json()["username"] == "zoe"


def test_a_name_that_is_taken_between_check_and_insertion(
    browser: Browser, player: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "allauth.account.internal.userkit.filter_users_by_username", lambda *names: Player.objects.none()
    )
    answer = browser.ask("post", "auth/signup", {"username": "ann", "password": PASSWORD})
    assert (answer.status_code, codes(answer)) == (400, ["username_taken"])
