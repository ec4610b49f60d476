"""Guests: accounts without a password that play for points, become players by signing up, and end after a day."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import DatabaseError, transaction
from django.test import Client
from django.utils import timezone

from accounts import services
from accounts.models import Player, Token
from audit.services import audit_game
from core.sql import stored
from games import guests
from games.models import GameRecord
from ledger.reports.progress import execute
from rest.scopes import GUEST_SCOPES
from tests.conftest import PASSWORD
from tests.security.test_scope_table import TABLE, address
from tests.security.world import undone
from tests.signing_in import Browser, codes, pending

pytestmark = pytest.mark.django_db

API = "/api/v1/"
GUESTS = f"{API}guests/"


class Guest:
    """A guest with a token."""

    def __init__(self) -> None:
        answer = Client().post(GUESTS, content_type="application/json")
        assert answer.status_code == 201, answer.content
        self.player = Player.objects.get(pk=answer.json()["player"])
        self.scopes = answer.json()["scopes"]
        self.client = Client(headers={"Authorization": f"Bearer {answer.json()['token']}"})

    def post(self, path: str, body: dict[str, Any] | None = None) -> Any:
        headers = {"Idempotency-Key": path.replace("/", "-")}
        return self.client.post(API + path, body or {}, content_type="application/json", headers=headers)

    def plays(self) -> GameRecord:
        """Open a solitaire for points, and make a move."""
        opened = self.post("games/", {"rules": "vegas-solitaire", "config": {"draw": 3, "stake": 0}})
        assert opened.status_code == 201, opened.content
        game = opened.json()["id"]
        for path, body in ((f"games/{game}/seats/", {}), (f"games/{game}/start/", {})):
            assert self.post(path, body).status_code in (200, 201)
        assert self.post(f"games/{game}/moves/", {"move": {"type": "draw"}}).status_code == 201
        return GameRecord.objects.get(pk=game)


def web_guest() -> Browser:
    browser = Browser()
    answer = browser.call("post", f"{GUESTS}session/")
    assert answer.status_code == 201, answer.content
    return browser


def test_a_guest_plays_for_points_and_is_named_as_a_guest(api: Callable[..., Client]) -> None:
    guest = Guest()
    game = guest.plays()
    assert guest.scopes == list(GUEST_SCOPES)
    for viewer in (guest.client, api(None)):
        [seat] = viewer.get(f"{API}games/{game.pk}/").json()["seats"]
        assert seat["kind"] == "guest"
        assert seat["name"].startswith("Guest ")


@pytest.mark.parametrize("by", ["token", "session"])
def test_everything_else_asks_for_an_account(by: str) -> None:
    client = Guest().client
    if by == "session":
        client = Client()  # which checks no CSRF token
        client.cookies = web_guest().cookies
    allowed = {"get player-me", "post guest-session", "post guests", "post tokens", "post players"}
    allowed |= {"get notifications", "post notifications-read"}
    allowed |= {f"{method} notifications-preferences" for method in ("get", "patch")}
    wrong = {}
    for method, name, route, view in TABLE:
        scopes = getattr(getattr(view, method), "scopes", None)
        if f"{method} {name}" in allowed or scopes == () or set(scopes or ()) & set(GUEST_SCOPES):
            continue
        answer = undone(client, method, address(route), None if method == "get" else {})
        if answer.status_code != 403 or answer.json()["code"] != "account-needed":
            wrong[f"{method} {name}"] = (answer.status_code, answer.content[:100])
    assert set(wrong) <= {"get schema", "get docs"}, wrong


def test_a_guest_stakes_nothing() -> None:
    guest = Guest()
    refused = guest.post("games/", {"rules": "vegas-solitaire", "config": {"draw": 3, "stake": 520}})
    assert refused.status_code in (400, 403, 409)
    assert not GameRecord.objects.exists()


def test_guests_are_bounded_and_can_be_switched_off(settings: Any) -> None:
    settings.RACECARD_GUESTS = 1
    Guest()
    full = Client().post(GUESTS, content_type="application/json")
    assert (full.status_code, full.json()["code"]) == (409, "guests-refused")
    settings.RACECARD_GUESTS = 0
    Player.objects.update(guest_until=None)
    assert Client().post(GUESTS, content_type="application/json").status_code == 409


def test_a_web_guest_needs_the_page_and_no_session(player: Player) -> None:
    forged = Client(enforce_csrf_checks=True).post(f"{GUESTS}session/", content_type="application/json")
    assert (forged.status_code, forged.json()["code"]) == (403, "csrf-refused")
    browser = web_guest()
    again = browser.call("post", f"{GUESTS}session/")
    assert again.status_code in (403, 409)
    assert Player.objects.filter(guest_until__isnull=False).count() == 1


@pytest.mark.both_databases
def test_a_guest_who_signs_up_keeps_id_and_games() -> None:
    browser = web_guest()
    me = browser.get(f"{API}players/me/").json()
    assert me["guest_until"] is not None
    opened = browser.call(
        "post", f"{API}games/", {"rules": "idle-aces", "config": {}}, headers={"Idempotency-Key": "one"}
    )
    browser.call("post", f"{API}games/{opened.json()['id']}/seats/", headers={"Idempotency-Key": "two"})
    weak = browser.ask("post", "auth/signup", {"username": "zoe", "password": "short"})
    assert weak.status_code == 400
    assert browser.get(f"{API}players/me/").json()["guest_until"] == me["guest_until"]
    made = browser.ask("post", "auth/signup", {"username": "zoe", "password": PASSWORD})
    assert made.status_code == 200, made.content
    now = browser.get(f"{API}players/me/").json()
    assert (now["id"], now["username"], now["guest_until"]) == (me["id"], "zoe", None)
    assert browser.get(f"{API}wallet/").status_code == 200
    [game] = browser.get(f"{API}games/?mine=true").json()["results"]
    assert game["id"] == opened.json()["id"]
    other = Browser()
    assert other.sign_in("zoe").status_code == 200


def test_a_guest_may_sign_in_to_another_account(player: Player) -> None:
    browser = web_guest()
    assert codes(browser.sign_in(player, "wrong")) == ["username_password_mismatch"]
    assert browser.get(f"{API}players/me/").json()["guest_until"] is not None
    assert browser.sign_in(player).status_code == 200
    assert browser.get(f"{API}players/me/").json()["id"] == str(player.pk)


def test_a_guest_who_needs_a_verified_address_signs_in_after_it(settings: Any, mailoutbox: list[Any]) -> None:
    settings.REQUIRE_EMAIL, settings.ACCOUNT_EMAIL_VERIFICATION = True, "mandatory"
    settings.ACCOUNT_SIGNUP_FIELDS = ["username*", "email*", "password1*"]
    browser = web_guest()
    guest = browser.get(f"{API}players/me/").json()["id"]
    form = {"username": "zoe", "password": PASSWORD, "email": "zoe@club.example"}
    assert "verify_email" in pending(browser.ask("post", "auth/signup", form))
    assert browser.get(f"{API}players/me/").status_code == 401
    assert str(Player.objects.get(username="zoe").pk) == guest
    token = Guest().post("guests/sign-up/", {"username": "rest", "password": PASSWORD})
    assert (token.status_code, token.json()["code"]) == (403, "email-needed")


def test_a_guest_signs_up_by_token_once() -> None:
    guest = Guest()
    form = {"username": "zoe", "password": PASSWORD, "display_name": "Zoe"}
    made = guest.post("guests/sign-up/", form)
    assert made.status_code == 200, made.content
    assert (made.json()["id"], made.json()["display_name"]) == (str(guest.player.pk), "Zoe")
    again = guest.post("guests/sign-up/", form | {"username": "zoe2"})
    assert (again.status_code, again.json()["code"]) == (403, "not-a-guest")
    assert Token.objects.get().scopes == "read play"


def test_the_names_of_guests_are_reserved() -> None:
    for form in (
        {"username": "guest-1", "password": PASSWORD},
        {"username": "zoe", "password": PASSWORD, "display_name": "Guest 5"},
    ):
        refused = Client().post(f"{API}players/", form, content_type="application/json")
        assert refused.status_code == 400, refused.content


@pytest.mark.both_databases
def test_a_guest_is_erased_after_a_day_without_play() -> None:
    idle, active, kept = Guest(), Guest(), Guest()
    game = active.plays()
    assert kept.post("guests/sign-up/", {"username": "zoe", "password": PASSWORD}).status_code == 200
    now = timezone.now()
    guests.expire(now=now)
    assert Player.objects.filter(erased_at=None).count() == 3
    Player.objects.filter(pk=active.player.pk).update(guest_until=now - timedelta(hours=1))
    guests.expire(now=now + timedelta(hours=20))
    active.player.refresh_from_db()
    assert active.player.guest_until is not None
    assert active.player.guest_until > now + timedelta(hours=20)
    later = now + timedelta(days=1, minutes=1)
    guests.expire(now=later)
    assert set(Player.objects.filter(erased_at=later)) == {idle.player, active.player}
    assert Player.objects.get(username="zoe").is_active
    assert active.client.get(f"{API}games/{game.pk}/").status_code == 401
    assert audit_game(game.pk).ok


@pytest.mark.both_databases
def test_the_database_gives_a_guest_no_role() -> None:
    guest = Guest().player
    for change in ("is_staff = true", "is_superuser = true", "is_bot = true", "email = 'zoe@club.example'"):
        with pytest.raises(DatabaseError), transaction.atomic():
            execute(f"UPDATE accounts_player SET {change} WHERE id = %s", [stored(guest.pk)])
    with pytest.raises(services.StillNeeded):
        services.check_may_hold_roles(guest)
