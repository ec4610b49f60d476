"""Sign-in by OpenID Connect, at a real provider over HTTP."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import oidc_provider_mock
import pytest
from allauth.account.models import EmailAddress
from allauth.socialaccount.models import SocialAccount
from oidc_provider_mock import User

from accounts.models import Player
from accounts.services import erase_player, export_player
from tests.conftest import NOW
from tests.signing_in import ACCOUNT, Browser, code_of, codes, pending, set_up_app, signed_in
from tools.services import free_port

pytestmark = pytest.mark.django_db

HERE = "/sign-in/"


@pytest.fixture(scope="module")
def running() -> Iterator[str]:
    """The address of a provider that knows one person."""
    port = free_port()
    known = [User(sub="zoe-at-club", claims={"email": "zoe@club.example", "email_verified": True})]
    with oidc_provider_mock.run_server_in_thread(port=port, user_claims=known):
        yield f"http://localhost:{port}"


@pytest.fixture
def provider(running: str, settings: Any) -> str:
    """The address of the provider, by which this site signs in."""
    app = {
        "provider_id": "club",
        "name": "Club",
        "client_id": "racecard",
        "secret": "hush",
        "settings": {"server_url": running},
    }
    settings.SOCIALACCOUNT_PROVIDERS = {"openid_connect": {"OAUTH_PKCE_ENABLED": True, "APPS": [app]}}
    return running


def leave(browser: Browser, process: str = "login") -> str:
    """Leave for the provider, and return its address."""
    form = {"provider": "club", "callback_url": HERE, "process": process}
    sent = browser.post(f"{ACCOUNT}auth/provider/redirect", form, headers=browser.token())
    assert sent.status_code == 302, sent.content
    return str(sent["Location"])


def come_back(browser: Browser, authorize: str, **answer: str) -> Any:
    """Sign in at the provider, and follow it back."""
    back = httpx.post(authorize, data=answer or {"sub": "zoe-at-club"}, timeout=30).headers["Location"]
    return browser.get(f"{urlsplit(back).path}?{urlsplit(back).query}")


def test_a_new_player_chooses_a_name(provider: str) -> None:
    browser = Browser()
    assert [
        one["name"] for one in browser.ask("get", "config").json()["data"]["socialaccount"]["providers"]
    ] == ["Club"]
    authorize = leave(browser)
    assert authorize.startswith(provider)
    asked = parse_qs(urlsplit(authorize).query)
    assert asked["redirect_uri"] == ["http://testserver/accounts/oidc/club/login/callback/"]
    assert asked["code_challenge_method"] == ["S256"]
    assert come_back(browser, authorize)["Location"].endswith(HERE)
    assert pending(browser.ask("get", "auth/session")) == ["provider_signup"]
    assert not Player.objects.exists()
    for name, code in (("bot-zoe", "invalid_username"), ("x y", "invalid_username")):
        refused = browser.ask("post", "auth/provider/signup", {"username": name, "email": "zoe@club.example"})
        assert codes(refused) == [code]
    made = browser.ask("post", "auth/provider/signup", {"username": "zoe", "email": "zoe@club.example"})
    assert made.status_code == 200, made.content
    me = browser.get("/api/v1/players/me/").json()
    assert (me["username"], me["email"], me["has_password"]) == ("zoe", "zoe@club.example", False)
    assert EmailAddress.objects.get().verified

    again = Browser()
    come_back(again, leave(again))
    assert again.get("/api/v1/players/me/").json()["id"] == me["id"]


def test_a_second_factor_is_required_here_too(provider: str, player: Player) -> None:
    SocialAccount.objects.create(user=player, provider="club", uid="zoe-at-club")
    secret = set_up_app(player)
    browser = Browser()
    come_back(browser, leave(browser))
    assert browser.get("/api/v1/players/me/").status_code == 401
    assert pending(browser.ask("get", "auth/session")) == ["mfa_authenticate"]
    assert browser.ask("post", "auth/2fa/authenticate", {"code": code_of(secret)}).status_code == 200
    assert browser.get("/api/v1/players/me/").status_code == 200


def test_an_account_of_the_same_address_is_not_taken_over(provider: str, player: Player) -> None:
    EmailAddress.objects.create(user=player, email="zoe@club.example", primary=True, verified=True)
    browser = Browser()
    come_back(browser, leave(browser))
    browser.ask("post", "auth/provider/signup", {"username": "zoe", "email": "zoe@club.example"})
    assert browser.get("/api/v1/players/me/").status_code == 401
    assert not SocialAccount.objects.filter(user=player).exists()


def test_an_account_is_linked_and_unlinked(provider: str, player: Player) -> None:
    browser = signed_in(player)
    browser.confirm()
    come_back(browser, leave(browser, "connect"))
    [linked] = browser.ask("get", "account/providers").json()["data"]
    assert (linked["uid"], linked["provider"]["id"]) == ("zoe-at-club", "club")
    assert [one["id"] for one in export_player(player=player)["linked_accounts"]] == ["zoe-at-club"]
    given = {"provider": "club", "account": "zoe-at-club"}
    assert browser.ask("delete", "account/providers", given).status_code == 200
    assert not SocialAccount.objects.exists()


def test_a_link_ends_with_the_account(provider: str, player: Player) -> None:
    SocialAccount.objects.create(user=player, provider="club", uid="zoe-at-club")
    erase_player(player=player, now=NOW)
    browser = Browser()
    come_back(browser, leave(browser))
    assert pending(browser.ask("get", "auth/session")) == ["provider_signup"]


def test_a_refusal_at_the_provider_comes_back_to_the_page(provider: str) -> None:
    browser = Browser()
    back = come_back(browser, leave(browser), action="deny")
    assert back.status_code == 302
    assert "error=" in back["Location"]
    assert browser.get("/api/v1/players/me/").status_code == 401


def test_an_answer_that_was_not_asked_for_signs_nobody_in(provider: str) -> None:
    browser, other = Browser(), Browser()
    authorize = leave(browser)
    come_back(other, authorize)
    assert other.get("/api/v1/players/me/").status_code == 401
    assert pending(other.ask("get", "auth/session")) == []


def test_a_guest_becomes_the_player_of_a_linked_account(provider: str) -> None:
    browser = Browser()
    guest = browser.call("post", "/api/v1/guests/session/").json()["id"]
    assert come_back(browser, leave(browser))["Location"].endswith(HERE)
    assert pending(browser.ask("get", "auth/session")) == ["provider_signup"]
    made = browser.ask("post", "auth/provider/signup", {"username": "zoe", "email": "zoe@club.example"})
    assert made.status_code == 200, made.content
    me = browser.get("/api/v1/players/me/").json()
    assert (me["id"], me["username"], me["guest_until"]) == (guest, "zoe", None)
    assert SocialAccount.objects.get().user_id == Player.objects.get(username="zoe").pk


def test_a_guest_signs_in_to_the_player_of_a_linked_account(provider: str) -> None:
    first = Browser()
    come_back(first, leave(first))
    first.ask("post", "auth/provider/signup", {"username": "zoe", "email": "zoe@club.example"})
    browser = Browser()
    browser.call("post", "/api/v1/guests/session/")
    come_back(browser, leave(browser))
    assert browser.get("/api/v1/players/me/").json()["username"] == "zoe"
    assert SocialAccount.objects.count() == 1
