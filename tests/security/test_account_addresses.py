"""The addresses of allauth under hostile requests: no caller causes a 5xx, and none signs in by it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from django.urls import URLPattern, URLResolver, get_resolver

from accounts.models import Player
from tests.signing_in import Browser, signed_in

pytestmark = pytest.mark.django_db

VALUES: list[Any] = ["", "\0", "x" * 5000, "{key}", "../..", "\ud800", -1, 1e308, None, [], {}, [{}], True]
FIELDS = ["username", "password", "email", "code", "key", "new_password", "current_password", "sessions"]
FIELDS += ["authenticators", "credential", "name", "primary", "provider", "account", "token", "process", "id"]
BODIES = [dict.fromkeys(FIELDS, value) for value in VALUES]
RAW = [b"", b"[]", b"{", b"null", b"\xff", b'"x"', b"[" * 2000]
SENT = [json.dumps(body).encode() for body in BODIES] + RAW


def addresses(patterns: list[Any], prefix: str = "/") -> Iterator[str]:
    for pattern in patterns:
        route = prefix + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from addresses(pattern.url_patterns, route)
        elif isinstance(pattern, URLPattern) and route.startswith(("/_allauth/", "/accounts/")):
            yield route.replace("<str:provider_id>", "club")


ADDRESSES = sorted(addresses(get_resolver().url_patterns))


def test_the_addresses_are_those_of_browsers_alone() -> None:
    assert len(ADDRESSES) > 25
    assert not [address for address in ADDRESSES if "/app/" in address]


@pytest.mark.parametrize("one_in", [4, pytest.param(1, marks=pytest.mark.nightly)])
@pytest.mark.parametrize("address", ADDRESSES)
@pytest.mark.parametrize("who", ["nobody", "player"])
def test_no_request_causes_a_server_error(
    player: Player, settings: Any, quiet: None, address: str, who: str, one_in: int
) -> None:
    """Of so many bodies one is sent by each method, other ones to each address."""
    settings.ACCOUNT_RATE_LIMITS = False
    browser = signed_in(player) if who == "player" else Browser()
    before = set(Player.objects.values_list("pk", "username", "email", "password"))
    found = []
    begin = ADDRESSES.index(address)
    for turn, method in enumerate(("get", "post", "put", "patch", "delete")):
        bodies = SENT[(begin + turn) % one_in :: one_in] if method != "get" else [b""]
        for body in bodies:
            headers = {**browser.token(), "X-Email-Verification-Key": "\x01", "X-Password-Reset-Key": "a-b"}
            answer = browser.generic(method.upper(), address, body, "application/json", headers=headers)
            if answer.status_code >= 500:
                found.append((method, body[:60], answer.status_code))
    assert found == []
    assert set(Player.objects.values_list("pk", "username", "email", "password")) == before
