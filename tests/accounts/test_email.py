"""E-mail of accounts through a real mail server: verification, a lost password, and news of the account."""

from __future__ import annotations

import re
from collections.abc import Iterator
from email.message import Message
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.core.cache import cache

from accounts.models import Player
from tests.conftest import PASSWORD
from tests.mailbox import SITE, Mailbox, receiving, text
from tests.signing_in import Browser, codes, pending, signed_in

pytestmark = pytest.mark.django_db

NEW = "another horse battery"


def key(message: Message, page: str) -> str:
    """The key of the link to a page of the site."""
    [found] = re.findall(rf"{SITE}/{page}/\?key=(\S+)", text(message))
    return str(found).replace("%3A", ":")


@pytest.fixture
def mailbox(settings: Any) -> Iterator[Mailbox]:
    with receiving(settings) as box:
        settings.HEADLESS_FRONTEND_URLS = {
            name: SITE + page for name, page in settings.HEADLESS_FRONTEND_URLS.items()
        }
        yield box


@pytest.fixture
def verified(settings: Any) -> None:
    """An installation in which every account has a verified address."""
    settings.REQUIRE_EMAIL = True
    settings.ACCOUNT_EMAIL_VERIFICATION = "mandatory"
    settings.ACCOUNT_SIGNUP_FIELDS = ["username*", "email*", "password1*"]


def sign_up(browser: Browser, **more: str) -> Any:
    given = {"username": "zoe", "password": PASSWORD, "email": "zoe@club.example", **more}
    return browser.ask("post", "auth/signup", given)


def test_an_account_begins_once_its_address_is_verified(api: Any, mailbox: Mailbox, verified: None) -> None:
    browser = Browser()
    answer = sign_up(browser)
    assert (answer.status_code, pending(answer)) == (401, ["verify_email"])
    link = key(mailbox.take("zoe@club.example"), "verify-email")
    assert pending(Browser().sign_in("zoe")) == ["verify_email"]
    refused = api(None).post("/api/v1/tokens/", {"username": "zoe", "password": PASSWORD}, key="")
    assert (refused.status_code, refused.json()["code"]) == (403, "email-not-verified")
    Browser().ask("post", "auth/email/verify", {"key": link})
    assert Browser().sign_in("zoe").status_code == 200
    issued = api(None).post("/api/v1/tokens/", {"username": "zoe", "password": PASSWORD}, key="")
    assert issued.status_code == 201


def test_an_account_without_address_is_refused(api: Any, mailbox: Mailbox, verified: None) -> None:
    given = {"username": "zoe", "password": PASSWORD}
    refused = api(None).post("/api/v1/players/", given, key="")
    assert (refused.status_code, refused.json()["code"]) == (403, "email-needed")
    assert codes(Browser().ask("post", "auth/signup", given)) == ["required"]
    assert not Player.objects.exists()


def test_signing_up_does_not_say_whether_an_address_is_known(mailbox: Mailbox, verified: None) -> None:
    first = sign_up(Browser())
    EmailAddress.objects.update(verified=True)
    mailbox.messages.clear()
    cache.clear()  # an address is written to once in three minutes
    second = sign_up(Browser(), username="someone-else")
    assert (second.status_code, pending(second)) == (first.status_code, pending(first))
    assert "already" in text(mailbox.take("zoe@club.example"))
    assert Player.objects.count() == 1


def test_an_address_is_optional_with_play_money(mailbox: Mailbox) -> None:
    browser = Browser()
    assert sign_up(browser).status_code == 200
    message = mailbox.take("zoe@club.example")
    assert message["Subject"].startswith("[Racecard] ")
    browser.ask("post", "auth/email/verify", {"key": key(message, "verify-email")})
    assert EmailAddress.objects.get().verified


def test_a_lost_password(api: Any, player: Player, mailbox: Mailbox) -> None:
    EmailAddress.objects.create(user=player, email="ann@club.example", primary=True, verified=True)
    program, elsewhere = api(player), signed_in(player)
    mailbox.messages.clear()
    asked = Browser().ask(
        "post", "auth/password/request", {"email": "ann@club.example"}, headers={"Host": "evil.example"}
    )
    assert asked.status_code == 200
    message = mailbox.take("ann@club.example")
    assert "evil.example" not in message.as_string() + text(message)
    link = key(message, "reset-password")
    assert Browser().ask("post", "auth/password/reset", {"key": link, "password": NEW}).status_code == 401
    assert "password" in text(mailbox.take("ann@club.example")), "the owner hears of the new password"
    assert {who.get("/api/v1/players/me/").status_code for who in (program, elsewhere)} == {401}
    assert Browser().sign_in(player, NEW).status_code == 200
    again = Browser().ask("post", "auth/password/reset", {"key": link, "password": PASSWORD})
    assert codes(again) == ["invalid_password_reset"]


def test_an_unknown_address_gets_the_same_answer(player: Player, mailbox: Mailbox) -> None:
    EmailAddress.objects.create(user=player, email="ann@club.example", primary=True, verified=True)
    answers = [
        Browser().ask("post", "auth/password/request", {"email": f"{name}@club.example"})
        for name in ("ann", "nobody")
    ]
    assert answers[0].status_code == answers[1].status_code == 200
    assert answers[0].content == answers[1].content


def test_requests_for_a_new_password_are_limited(player: Player, mailbox: Mailbox) -> None:
    asked = [
        Browser().ask("post", "auth/password/request", {"email": "ann@club.example"}).status_code
        for _ in range(6)
    ]
    assert asked == [200] * 5 + [429]


def test_a_mail_is_written_in_the_language_of_the_request(player: Player, mailbox: Mailbox) -> None:
    EmailAddress.objects.create(user=player, email="ann@club.example", primary=True, verified=True)
    given = {"email": "ann@club.example"}
    Browser().ask("post", "auth/password/request", given, headers={"Accept-Language": "de"})
    assert "Passwort" in text(mailbox.take("ann@club.example"))


def test_addresses_are_added_verified_preferred_and_removed(player: Player, mailbox: Mailbox) -> None:
    browser = signed_in(player)
    assert browser.ask("post", "account/email", {"email": "ann@club.example"}).status_code == 401
    browser.confirm()
    assert browser.ask("post", "account/email", {"email": "ann@club.example"}).status_code == 200
    browser.ask("post", "auth/email/verify", {"key": key(mailbox.take("ann@club.example"), "verify-email")})
    player.refresh_from_db()
    assert player.email == "ann@club.example"
    browser.ask("post", "account/email", {"email": "ann@home.example"})
    browser.ask("post", "auth/email/verify", {"key": key(mailbox.messages[-1], "verify-email")})
    preferred = browser.ask("patch", "account/email", {"email": "ann@home.example", "primary": True})
    assert preferred.status_code == 200
    assert browser.ask("delete", "account/email", {"email": "ann@club.example"}).status_code == 200
    assert [one.email for one in EmailAddress.objects.all()] == ["ann@home.example"]
    assert browser.get("/api/v1/players/me/").json()["email"] == "ann@home.example"


def test_a_verified_address_belongs_to_one_account(player: Player, rival: Player, mailbox: Mailbox) -> None:
    EmailAddress.objects.create(user=rival, email="ann@club.example", primary=True, verified=True)
    browser = signed_in(player)
    browser.confirm()
    browser.ask("post", "account/email", {"email": "ann@club.example"})
    link = key(mailbox.take("ann@club.example"), "verify-email")
    assert codes(browser.ask("post", "auth/email/verify", {"key": link})) == ["email_taken"]
    assert not EmailAddress.objects.filter(user=player, verified=True).exists()


def test_a_mail_server_that_does_not_answer(player: Player, mailbox: Mailbox, settings: Any) -> None:
    EmailAddress.objects.create(user=player, email="ann@club.example", primary=True, verified=True)
    settings.EMAIL_PORT = 9  # discard; nothing listens there
    answer = Browser().ask("post", "auth/password/request", {"email": "ann@club.example"})
    assert (answer.status_code, answer.json()["code"]) == (503, "mail-unavailable")
