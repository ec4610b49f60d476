"""Test the limits on password guesses, on all sign-in forms and across addresses."""

from __future__ import annotations

from typing import Any

import pytest

from accounts.models import Player
from accounts.services import issue_token
from core.addresses import caller_at
from tests.conftest import PASSWORD
from tests.signing_in import Browser, codes, signed_in

pytestmark = pytest.mark.django_db

TOKENS = "/api/v1/tokens/"
ME = "/api/v1/players/me/"
WRONG = "not " + PASSWORD


def sign_in(api: Any, address: str = "203.0.113.7", password: str = WRONG) -> Any:
    body = {"username": "ann", "password": password}
    return api(None).post(TOKENS, body, key="", REMOTE_ADDR=address)


def on_the_page(address: str = "203.0.113.7", password: str = WRONG, name: str = "ann") -> list[str]:
    return codes(Browser().sign_in(name, password, REMOTE_ADDR=address))


MISMATCH = ["username_password_mismatch"]
LOCKED = ["too_many_login_attempts"]


@pytest.fixture
def few(settings: Any) -> None:
    settings.ACCOUNT_RATE_LIMITS = {
        "login_failed": "3/15m/key",
        "login_failed_anywhere": "5/h/key",
        "login": "6/h/ip",
    }


@pytest.mark.parametrize(
    ("address", "counted"),
    [
        ("203.0.113.7", "203.0.113.7"),
        ("::ffff:203.0.113.7", "203.0.113.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::"),
        ("2001:db8:1:2::", "2001:db8:1:2::"),
        ("unknown", "unknown"),
    ],
)
def test_callers_are_counted_by_address_prefix(address: str, counted: str) -> None:
    assert caller_at(address) == counted


def test_addresses_of_one_prefix_count_together(api: Any, player: Player, few: None) -> None:
    answers = [sign_in(api, f"2001:db8:1:2::{host}").json()["code"] for host in range(4)]
    assert answers == ["sign-in-refused"] * 3 + ["sign-in-locked"]
    assert sign_in(api, "2001:db8:1:3::1", PASSWORD).status_code == 201


def test_guesses_for_one_name_are_limited_across_addresses(api: Any, player: Player, few: None) -> None:
    answers = [sign_in(api, f"203.0.113.{host}") for host in range(5)]
    assert {answer.json()["code"] for answer in answers} == {"sign-in-refused"}
    locked = sign_in(api, "203.0.113.99", PASSWORD)
    assert (locked.status_code, locked.json()["code"]) == (429, "sign-in-locked")
    assert 0 < int(locked["Retry-After"]) <= 3600
    token = issue_token(player=player)[1]
    assert api(None).get(ME, headers={"Authorization": f"Bearer {token}"}).status_code == 200, (
        "who is in stays in"
    )


def test_spelling_variants_of_name_count_together(api: Any, player: Player, few: None) -> None:
    for host, name in enumerate(["Ann", "ANN", "aNN", "anN", "AnN"]):
        body = {"username": name, "password": WRONG}
        api(None).post(TOKENS, body, key="", REMOTE_ADDR=f"203.0.113.{host}")
    assert sign_in(api, "203.0.113.99", PASSWORD).json()["code"] == "sign-in-locked"


def test_password_guesses_with_token_are_limited(api: Any, player: Player, few: None) -> None:
    client = api(player)
    answers = [client.delete(ME, {"password": WRONG}).json()["code"] for _ in range(4)]
    assert answers == ["sign-in-refused"] * 3 + ["sign-in-locked"]
    assert client.delete(ME, {"password": PASSWORD}).status_code == 429
    player.refresh_from_db()
    assert player.erased_at is None


@pytest.mark.parametrize(
    ("path", "name", "more"),
    [
        ("auth/reauthenticate", "password", {}),
        ("account/password/change", "current_password", {"new_password": "another horse battery"}),
    ],
)
def test_password_guesses_in_a_session_are_limited(
    player: Player, settings: Any, path: str, name: str, more: dict[str, str]
) -> None:
    settings.ACCOUNT_RATE_LIMITS = {"reauthenticate": "3/h/user", "change_password": "3/h/user"}
    browser = signed_in(player)
    statuses = [browser.ask("post", path, {name: WRONG, **more}).status_code for _ in range(4)]
    assert statuses == [400, 400, 400, 429]
    assert browser.ask("post", path, {name: PASSWORD, **more}).status_code == 429
    player.refresh_from_db()
    assert player.check_password(PASSWORD)


def test_the_page_and_the_api_count_together(api: Any, player: Player, few: None) -> None:
    assert [on_the_page() for _ in range(2)] == [MISMATCH] * 2
    assert sign_in(api).json()["code"] == "sign-in-refused"
    assert on_the_page(password=PASSWORD) == LOCKED
    assert sign_in(api, password=PASSWORD).json()["code"] == "sign-in-locked"
    assert on_the_page("198.51.100.1", PASSWORD) == []


def test_a_success_does_not_reset_the_guesses(player: Player, few: None) -> None:
    assert [on_the_page() for _ in range(2)] == [MISMATCH] * 2
    assert on_the_page(password=PASSWORD) == []
    assert [on_the_page() for _ in range(2)] == [MISMATCH, LOCKED]


def test_guesses_on_the_page_are_limited_across_addresses(player: Player, few: None) -> None:
    assert [on_the_page(f"203.0.113.{host}") for host in range(6)] == [MISMATCH] * 5 + [LOCKED]
    assert on_the_page("203.0.113.99", PASSWORD) == LOCKED


def test_many_names_from_one_address_are_limited(player: Player, few: None) -> None:
    for number in range(6):
        assert on_the_page(name=f"somebody{number}") == MISMATCH
    assert Browser().sign_in("ann", REMOTE_ADDR="203.0.113.7").status_code == 429
    assert Browser().sign_in("ann", REMOTE_ADDR="198.51.100.1").status_code == 200
