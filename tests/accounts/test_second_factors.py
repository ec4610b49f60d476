"""Authenticator apps and recovery codes, and the confirmation of an identity before sensitive requests."""

from __future__ import annotations

from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from django.conf import settings
from django.test import override_settings
from django.urls import reverse

from accounts.models import Player
from accounts.services import erase_player, export_player
from tests.conftest import NOW, PASSWORD
from tests.money import cash, fund
from tests.signing_in import Browser, code_of, pending, set_up_app, signed_in

pytestmark = pytest.mark.django_db

APP = "account/authenticators/totp"
CODES = "account/authenticators/recovery-codes"


def test_an_app_is_set_up_with_recovery_codes_and_removed(player: Player) -> None:
    browser = signed_in(player)
    browser.confirm()
    offered = browser.ask("get", APP)
    assert offered.status_code == 404
    secret = offered.json()["meta"]["secret"]
    assert offered.json()["meta"]["totp_url"].startswith("otpauth://totp/ann?secret=")
    image = browser.get("/accounts/authenticator.svg")
    assert (image.status_code, image["Content-Type"]) == (200, "image/svg+xml")
    assert "no-store" in image["Cache-Control"]
    assert browser.ask("post", APP, {"code": "000000x"}).status_code == 400
    assert browser.ask("post", APP, {"code": code_of(secret)}).status_code == 200
    assert browser.get("/accounts/authenticator.svg").status_code == 404
    codes = browser.ask("get", CODES).json()["data"]["unused_codes"]
    assert len(set(codes)) == 10

    other = Browser()
    assert pending(other.sign_in(player)) == ["mfa_authenticate"]
    assert other.ask("post", "auth/2fa/authenticate", {"code": codes[0]}).status_code == 200
    again = Browser()
    again.sign_in(player)
    assert again.ask("post", "auth/2fa/authenticate", {"code": codes[0]}).status_code == 400
    assert browser.ask("delete", APP).status_code == 200
    assert not Authenticator.objects.exists()


def test_ways_to_sign_in_are_changed_only_after_a_confirmation(player: Player) -> None:
    browser = signed_in(player)
    secret = browser.ask("get", APP).json()["meta"]["secret"]
    for method, path, body in [
        ("post", APP, {"code": code_of(secret)}),
        ("get", "account/authenticators/webauthn", None),
        ("post", "account/email", {"email": "ann@club.example"}),
    ]:
        answer = browser.ask(method, path, body)
        assert (answer.status_code, answer.json()["meta"]["is_authenticated"]) == (401, True), path
    assert not Authenticator.objects.exists()
    browser.confirm()
    assert browser.ask("post", APP, {"code": code_of(secret)}).status_code == 200


def test_an_image_is_shown_to_its_session_only(player: Player) -> None:
    browser = signed_in(player)
    browser.confirm()
    browser.ask("get", APP)
    assert Browser().get("/accounts/authenticator.svg").status_code == 404
    assert signed_in(player).get("/accounts/authenticator.svg").status_code == 404


def test_factors_and_sessions_are_exported_and_erased(player: Player) -> None:
    set_up_app(player)
    browser = Browser(headers={"User-Agent": "Firefox"})
    browser.sign_in(player)
    exported = export_player(player=player)
    assert [factor["kind"] for factor in exported["second_factors"]] == ["totp"]
    Authenticator.objects.all().delete()
    signed_in(player)
    [session] = export_player(player=player)["sessions"]
    assert session["address"] == "127.0.0.1"
    set_up_app(player)
    erase_player(player=player, now=NOW)
    gone = export_player(player=player)
    names = ("second_factors", "sessions", "email_addresses", "linked_accounts")
    assert {name: gone[name] for name in names} == {name: [] for name in names}


@pytest.fixture
def strict() -> Any:
    with override_settings(REQUIRE_RECENT_SIGN_IN=True):
        yield


def grow_old(browser: Browser) -> None:
    """Let the session's sign-in be longer ago than a confirmation lasts."""
    session = browser.session
    for record in session["account_authentication_methods"]:
        record["at"] -= settings.ACCOUNT_REAUTHENTICATION_TIMEOUT + 1
    session.save()


def test_a_payout_needs_a_recent_sign_in(player: Player, strict: None) -> None:
    fund(cash(player.pk), 5_000)
    browser = signed_in(player)
    given = {"amount": 1_000, "destination": "DE00 1234"}

    def ask(key: str) -> Any:
        return browser.call("post", "/api/v1/withdrawals/", given, headers={"Idempotency-Key": key})

    assert ask("one").status_code == 201
    grow_old(browser)
    assert (ask("two").status_code, ask("two").json()["code"]) == (403, "recent-sign-in-required")
    assert browser.get("/api/v1/withdrawals/").status_code == 200
    assert browser.confirm("wrong").status_code == 400
    assert ask("two").status_code == 403
    assert browser.confirm().status_code == 200
    assert ask("two").status_code == 201


def test_a_code_confirms_too(player: Player, strict: None) -> None:
    secret = set_up_app(player)
    browser = Browser()
    browser.sign_in(player)
    browser.ask("post", "auth/2fa/authenticate", {"code": code_of(secret)})
    grow_old(browser)
    assert browser.ask("post", "auth/2fa/reauthenticate", {"code": "000000x"}).status_code == 400
    assert browser.call("delete", "/api/v1/players/me/").json()["code"] == "recent-sign-in-required"
    assert browser.ask("post", "auth/2fa/reauthenticate", {"code": code_of(secret)}).status_code == 200
    assert browser.call("delete", "/api/v1/players/me/").status_code == 204


def test_roles_need_a_recent_sign_in_on_the_page_and_over_rest(
    administrator: Player, player: Player, strict: None
) -> None:
    browser = signed_in(administrator)
    page = reverse("admin:accounts_player_roles", args=[player.pk])
    address = f"/api/v1/players/{player.pk}/roles/"
    assert browser.get(page).status_code == 200
    grow_old(browser)
    sent = {"roles": ["auditor"], "reason": "she audits", "key": "1", "confirmed": "yes"}
    for answer in (browser.get(page), browser.post(page, sent, headers=browser.token())):
        assert answer["Location"].startswith("/confirm-identity/?next=%2Fadmin%2Faccounts%2Fplayer%2F")
    refused = browser.call("put", address, {"roles": ["auditor"]})
    assert (refused.status_code, refused.json()["code"]) == (403, "recent-sign-in-required")
    assert not player.groups.exists()
    assert browser.get("/admin/accounts/player/").status_code == 200, "looking needs none"
    browser.confirm()
    assert browser.call("put", address, {"roles": ["auditor"]}).status_code == 200


def test_money_of_staff_needs_a_recent_sign_in(administrator: Player, player: Player, strict: None) -> None:
    browser = signed_in(administrator)
    grow_old(browser)
    given = {"player": str(player.pk), "amount": 100, "reason": "cash", "currency": "XTS"}
    refused = browser.call("post", "/api/v1/deposits/", given, headers={"Idempotency-Key": "d"})
    assert (refused.status_code, refused.json()["code"]) == (403, "recent-sign-in-required")
    page = browser.get(reverse("admin:ledger_account_deposit"))
    assert page["Location"].startswith("/confirm-identity/")


def test_a_token_is_not_asked(api: Any, player: Player, strict: None) -> None:
    fund(cash(player.pk), 5_000)
    given = {"amount": 1_000, "destination": "DE00 1234"}
    assert api(player).post("/api/v1/withdrawals/", given).status_code == 201
    refused = api(player).delete("/api/v1/players/me/", {})
    assert (refused.status_code, refused.json()["code"]) == (400, "invalid-input")
    assert api(player).delete("/api/v1/players/me/", {"password": PASSWORD}).status_code == 204


def test_with_play_money_nobody_is_asked(player: Player) -> None:
    assert settings.RACECARD_CURRENCY == settings.PLAY_MONEY
    required = (settings.REQUIRE_RECENT_SIGN_IN, settings.REQUIRE_SECOND_FACTOR, settings.REQUIRE_EMAIL)
    assert required == (False, False, False)
    fund(cash(player.pk), 5_000)
    browser = signed_in(player)
    grow_old(browser)
    given = {"amount": 1_000, "destination": "DE00 1234"}
    answer = browser.call("post", "/api/v1/withdrawals/", given, headers={"Idempotency-Key": "w"})
    assert answer.status_code == 201
