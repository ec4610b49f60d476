"""The hash of a password has the parameters of the settings; an upgrade of it ends no session, a new password does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.hashers import Argon2PasswordHasher, make_password
from django.test import Client

from accounts.api import BACKEND
from accounts.authentication import Credential, ended
from accounts.hashers import PasswordHasher
from accounts.models import Player
from accounts.services import change_password, erase_player
from config import settings as installed
from tests.conftest import NOW, PASSWORD
from tests.signing_in import Browser, signed_in

pytestmark = pytest.mark.django_db

ME = "/api/v1/players/me/"
NEW = "another horse battery"
OF_0_2_0 = (
    "argon2$argon2id$v=19$m=102400,t=2,p=8$OFJ3SW0wZW9SMWdmTHN4eGZjWUJMTg$"
    "ymZN9PJjYBYk6zykUK4eaI+CafbVDjQOBaxw/wdoK5I"
)
CURRENT = "argon2$argon2id$v=19$m=19456,t=2,p=1$"


class Outdated(Argon2PasswordHasher):
    """As quick as a test needs it."""

    memory_cost = 64


@pytest.fixture(autouse=True)
def hashers(settings: Any) -> None:
    settings.PASSWORD_HASHERS = installed.PASSWORD_HASHERS


@pytest.fixture
def owner(player: Player) -> Player:
    """A player whose hash has outdated parameters."""
    outdate(player)
    return player


def outdate(player: Player) -> None:
    password = make_password(PASSWORD, hasher=Outdated())
    Player.objects.filter(pk=player.pk).update(password=password, hash_upgrade="")
    player.refresh_from_db()


def session_of(player: Player) -> Client:
    client = Client()
    client.force_login(player, backend=BACKEND)
    return client


def is_open(client: Client) -> bool:
    return client.get(ME).status_code == 200


def is_upgraded(player: Player) -> bool:
    return Player.objects.get(pk=player.pk).password.startswith(CURRENT)


def test_a_hash_of_0_2_0_is_verified_and_replaced(player: Player) -> None:
    player.password = OF_0_2_0
    player.save()
    assert not player.check_password(NEW)
    assert not is_upgraded(player)
    assert player.check_password(PASSWORD)
    assert is_upgraded(player)
    stored = Player.objects.get(pk=player.pk)
    assert stored.check_password(PASSWORD)
    assert stored.password == player.password, "once"


def test_each_way_to_give_a_password_upgrades_the_hash_and_ends_no_session(
    api: Any, player: Player, subtests: pytest.Subtests
) -> None:
    browser = Browser()
    credentials = {"username": player.username, "password": PASSWORD}
    ways: dict[str, Callable[[], Any]] = {
        "web client": lambda: Browser().sign_in(player),
        "token": lambda: api(None).post("/api/v1/tokens/", credentials, key=""),
        "confirmation": browser.confirm,
        "erasure refused to staff": lambda: api(player).delete(ME, {"password": PASSWORD}),
    }
    Player.objects.filter(pk=player.pk).update(is_staff=True)
    for way, give in ways.items():
        with subtests.test(way):
            outdate(player)
            browser.force_login(player, backend=BACKEND)
            streaming = Credential(player.pk, session=browser.cookies["sessionid"].value)
            assert ended([streaming]) == set()
            assert give().status_code in {200, 201, 409}
            assert is_upgraded(player)
            assert ended([streaming]) == set()
            assert is_open(browser)


def test_a_new_password_ends_the_sessions_of_an_upgraded_hash(owner: Player) -> None:
    early, late = session_of(owner), signed_in(owner)
    assert (is_open(early), is_open(late), is_upgraded(owner)) == (True, True, True)
    owner.refresh_from_db()
    change_password(player=owner, new=NEW)
    assert (is_open(early), is_open(late)) == (False, False)
    assert Player.objects.get(pk=owner.pk).hash_upgrade == "", "no former hash is kept"


def test_a_password_that_another_program_writes_ends_them_too(owner: Player) -> None:
    early, late = session_of(owner), signed_in(owner)
    Player.objects.filter(pk=owner.pk).update(password=make_password(NEW))
    assert (is_open(early), is_open(late)) == (False, False)


def test_two_upgrades_at_once_and_a_later_one_keep_every_session(
    owner: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    early = session_of(owner)
    first, second = Player.objects.get(pk=owner.pk), Player.objects.get(pk=owner.pk)
    assert first.check_password(PASSWORD)
    assert second.check_password(PASSWORD)
    sessions = [early, session_of(first), session_of(second)]
    assert [is_open(client) for client in sessions] == [True] * 3
    monkeypatch.setattr(PasswordHasher, "time_cost", 1)
    sessions.append(signed_in(owner))
    assert "t=1" in Player.objects.get(pk=owner.pk).password
    assert [is_open(client) for client in sessions] == [True] * 4


def test_a_sign_in_at_the_same_time_does_not_undo_a_new_password(owner: Player) -> None:
    late = Player.objects.get(pk=owner.pk)
    change_password(player=owner, new=NEW)
    assert late.check_password(PASSWORD), "it was read before"
    assert Player.objects.get(pk=owner.pk).check_password(NEW)
    assert not is_open(session_of(late))


def test_an_erasure_leaves_no_hash(owner: Player) -> None:
    owner.check_password(PASSWORD)
    erase_player(player=owner, now=NOW)
    erased = Player.objects.get(pk=owner.pk)
    assert (erased.has_usable_password(), erased.hash_upgrade) == (False, "")


def test_a_session_of_an_earlier_version_goes_on(player: Player) -> None:
    """It depends on the hash as Django does it."""
    assert player.get_session_auth_hash() == AbstractBaseUser._get_session_auth_hash(player)
