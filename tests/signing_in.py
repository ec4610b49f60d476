"""A browser that signs in and manages its account as the web client does."""

from __future__ import annotations

import time
from typing import Any

from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import TOTP, format_hotp_value, generate_totp_secret, hotp_value
from django.core.cache import cache
from django.test import Client

from accounts.models import Player
from tests.conftest import PASSWORD
from tests.installation import until

ACCOUNT = "/_allauth/browser/v1/"


class Browser(Client):
    """One that has loaded the page, and with it the CSRF cookie, which it repeats."""

    def __init__(self, **more: Any) -> None:
        super().__init__(enforce_csrf_checks=True, raise_request_exception=False, **more)
        assert self.get("/").cookies["csrftoken"].value

    def token(self) -> dict[str, str]:
        return {"X-CSRFToken": self.cookies["csrftoken"].value}

    def ask(self, method: str, path: str, body: dict[str, Any] | None = None, **more: Any) -> Any:
        """Send a request to the API of allauth."""
        return self.call(method, ACCOUNT + path, body, **more)

    def call(self, method: str, path: str, body: dict[str, Any] | None = None, **more: Any) -> Any:
        headers = {**self.token(), **more.pop("headers", {})}
        sent = {} if method == "get" else {"data": body or {}, "content_type": "application/json"}
        return getattr(self, method)(path, headers=headers, **sent, **more)

    def sign_in(self, player: Player | str, password: str = PASSWORD, **more: Any) -> Any:
        name = player if isinstance(player, str) else player.username
        return self.ask("post", "auth/login", {"username": name, "password": password}, **more)

    def confirm(self, password: str = PASSWORD) -> Any:
        """Confirm the identity, as the API asks for before a change of the ways to sign in."""
        return self.ask("post", "auth/reauthenticate", {"password": password})


def signed_in(player: Player) -> Browser:
    browser = Browser()
    answer = browser.sign_in(player)
    assert answer.status_code == 200, answer.content
    return browser


def set_up_app(player: Player) -> str:
    """Give the player an authenticator app, and return its key."""
    secret = generate_totp_secret()
    TOTP.activate(player, secret)
    return secret


def shown_code(secret: str, lasting: float) -> str:
    """The code that an app shows for the key, when at least so many seconds of its half minute are left."""
    until(lambda: time.time() % 30 < 30 - lasting, "the next half minute begins")
    return format_hotp_value(hotp_value(secret, int(time.time()) // 30))


def code_of(secret: str) -> str:
    """The current code, good once more: each half minute has another in real life."""
    code = shown_code(secret, lasting=1)
    for each in Authenticator.objects.filter(type=Authenticator.Type.TOTP):
        cache.delete(f"allauth.mfa.totp.used?user={each.user_id}&code={code}")
    return code


def codes(answer: Any) -> list[str]:
    """The codes of a refusal in allauth's format."""
    return [error["code"] for error in answer.json().get("errors", ())]


def pending(answer: Any) -> list[str]:
    """What is left to do in a sign-in that is not complete."""
    return [flow["id"] for flow in answer.json()["data"]["flows"] if flow.get("is_pending")]
