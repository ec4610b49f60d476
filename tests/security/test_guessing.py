"""Test the limits on password guesses, on all sign-in forms and across addresses."""

from __future__ import annotations

from typing import Any

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse

from accounts.models import Player, Token
from accounts.services import issue_token
from core.addresses import caller_at
from tests.conftest import PASSWORD

pytestmark = pytest.mark.django_db

TOKENS = "/api/v1/tokens/"
ME = "/api/v1/players/me/"
WRONG = "not " + PASSWORD


def sign_in(api: Any, address: str = "203.0.113.7", password: str = WRONG) -> Any:
    body = {"username": "ann", "password": password}
    return api(None).post(TOKENS, body, key="", REMOTE_ADDR=address)


def at_the_office(address: str = "203.0.113.7", password: str = WRONG, name: str = "adam") -> Any:
    body = {"username": name, "password": password}
    return Client().post(reverse("admin:login"), body, REMOTE_ADDR=address)


@pytest.fixture
def few(settings: Any) -> None:
    settings.AXES_FAILURE_LIMIT = 3
    settings.API_RATES = {**settings.API_RATES, "guesses": (5, 3600), "sign-in": (4, 3600)}


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
    codes = [sign_in(api, f"2001:db8:1:2::{host}").json()["code"] for host in range(4)]
    assert codes[:2] == ["sign-in-refused"] * 2
    assert codes[-1] == "sign-in-locked"
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


@pytest.mark.parametrize(
    ("method", "address", "body"),
    [
        ("delete", ME, {"password": WRONG}),
        ("post", ME + "password/", {"current": WRONG, "new": PASSWORD + "!"}),
    ],
)
def test_password_guesses_with_token_are_limited(
    api: Any, player: Player, few: None, method: str, address: str, body: dict[str, str]
) -> None:
    client = api(player)
    codes = [getattr(client, method)(address, body).json()["code"] for _ in range(4)]
    assert codes[:2] == ["sign-in-refused"] * 2
    assert codes[-1] == "sign-in-locked"
    right = {name: PASSWORD if value == WRONG else value for name, value in body.items()}
    assert getattr(client, method)(address, right).status_code == 429
    player.refresh_from_db()
    assert player.check_password(PASSWORD)
    assert player.erased_at is None


def test_guesses_on_staff_sign_in_are_limited(administrator: Player, few: None) -> None:
    for host in range(5):
        assert at_the_office(f"203.0.113.{host}").status_code in (200, 429)
    page = at_the_office("203.0.113.99", PASSWORD)
    assert page.status_code == 200
    assert b"Too many failed attempts" in page.content


def test_many_names_from_one_address_are_limited_on_staff_sign_in(administrator: Player, few: None) -> None:
    for number in range(4):
        at_the_office(name=f"somebody{number}")
    page = at_the_office(password=PASSWORD)
    assert b"Too many attempts from this address" in page.content
    assert at_the_office("198.51.100.1", PASSWORD).status_code == 302


class TestPasswordOfTheOffice:
    @pytest.fixture
    def browser(self, administrator: Player) -> Client:
        made = Client()
        made.force_login(administrator, backend=settings.AUTHENTICATION_BACKENDS[-1])
        return made

    def change(self, browser: Client, old: str, new: str = "another horse battery") -> Any:
        body = {"old_password": old, "new_password1": new, "new_password2": new}
        return browser.post(reverse("admin:password_change"), body)

    def test_it_ends_every_token_as_the_api_s_does(self, browser: Client, administrator: Player) -> None:
        issue_token(player=administrator)
        assert self.change(browser, PASSWORD).status_code == 302
        assert not Token.objects.filter(player=administrator).exists()
        administrator.refresh_from_db()
        assert administrator.check_password("another horse battery")
        assert browser.get(reverse("admin:index")).status_code == 200, "the session that changed it continues"

    def test_guesses_of_the_old_one_are_counted(self, browser: Client, few: None) -> None:
        for _ in range(3):
            self.change(browser, WRONG)
        answer = self.change(browser, PASSWORD)
        assert answer.status_code == 200
        assert b"Too many failed attempts" in answer.content
