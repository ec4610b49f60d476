"""Staff actions on accounts: roles, resets, export, and erasure, each recorded."""

from __future__ import annotations

from typing import Any

import pytest
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from django.contrib.auth.backends import ModelBackend
from django.contrib.auth.models import Permission
from django.db import DatabaseError, connection, transaction
from django.test import override_settings
from django.utils import timezone

from accounts.models import Player
from accounts.roles import PlayerBackend, Role, has_role, has_second_factor, make_groups, roles_of
from accounts.staff import SetRoles
from staff.actions import AlreadyDone, perform, record_action, resource_key
from staff.models import ActionRecord
from tests.conftest import PASSWORD
from tests.signing_in import Browser, code_of, codes, set_up_app, signed_in

pytestmark = pytest.mark.django_db
NEW = "another horse battery"


def test_roles_are_given_and_taken(api, administrator, rival) -> None:
    address = f"/api/v1/players/{rival.pk}/roles/"
    answer = api(administrator).put(address, {"roles": ["organizer", "auditor"], "reason": "spring cup"})
    assert answer.json()["roles"] == ["auditor", "organizer"]
    fresh = Player.objects.get(pk=rival.pk)
    assert roles_of(fresh) == {Role.ORGANIZER, Role.AUDITOR}
    assert not has_role(fresh, Role.ADMINISTRATOR)
    api(administrator).put(address, {"roles": []})
    fresh = Player.objects.get(pk=rival.pk)
    assert (roles_of(fresh), fresh.is_staff) == (frozenset(), False)
    assert api(administrator).put(address, {"roles": ["king"]}).status_code == 400
    done = ActionRecord.objects.filter(action="set-roles", actor=administrator.pk).order_by("id")
    assert [(one.details, one.reason) for one in done] == [
        ({"roles": ["auditor", "organizer"]}, "spring cup"),
        ({"roles": []}, ""),
    ]


def test_a_repeated_put_or_delete_is_recorded_once(api, administrator, rival) -> None:
    client, address = api(administrator), f"/api/v1/players/{rival.pk}/"
    recorded = ActionRecord.objects.filter(subject=f"player:{rival.pk}").order_by("id")
    for _ in range(2):
        assert client.put(f"{address}roles/", {"roles": ["auditor"]}).status_code == 200
        assert client.put(f"{address}roles/", {"roles": ["auditor"]}).json()["roles"] == ["auditor"]
        assert client.put(f"{address}roles/", {"roles": []}).status_code == 200
    for _ in range(2):
        assert client.delete(address).status_code == 204
    done = [(one.action, one.details.get("roles")) for one in recorded]
    given, taken = ("set-roles", ["auditor"]), ("set-roles", [])
    assert done == [given, taken, given, taken, ("erase-player", None)]
    assert len({one.key for one in recorded}) == 5, "the same change at another time has another key"


def test_two_equal_requests_at_one_version_have_one_key(administrator, rival) -> None:
    action, data = SetRoles.open(administrator, rival.pk), {"roles": ["auditor"]}
    key = resource_key(action, action.subject, data)
    assert key == resource_key(SetRoles.open(administrator, rival.pk), action.subject, data)
    perform(action, data, key=key)
    with pytest.raises(AlreadyDone):
        perform(action, {"roles": []}, key=key)
    assert resource_key(action, action.subject, data) != key


def test_each_role_brings_its_permissions(organizer, auditor, administrator, player) -> None:
    make_groups()
    held = {who.username: who.get_all_permissions() for who in (organizer, auditor, administrator, player)}
    assert held["ann"] == set()
    assert "accounts.grant_roles" in held["adam"]
    assert "ledger.deposit" in held["adam"]
    assert "accounts.grant_roles" not in held["audrey"] | held["olga"]
    assert not any(name.split(".")[1].startswith(("add_", "delete_")) for name in set().union(*held.values()))


def reset_link(api, administrator: Player, player: Player, **body: Any) -> str:
    """The key in a new link of the administrator."""
    made = api(administrator).post(f"/api/v1/players/{player.pk}/recovery/", body, key="")
    assert made.status_code == 201, made.content
    assert made.json()["url"].startswith("http://testserver/reset-password/?key=")
    return str(made.json()["url"].partition("key=")[2])


def set_password(key: str, password: str = NEW) -> Any:
    return Browser().ask("post", "auth/password/reset", {"key": key, "password": password})


def test_a_reset_link_is_good_once(api, administrator, player) -> None:
    program, elsewhere = api(player), signed_in(player)
    key = reset_link(api, administrator, player)
    record = ActionRecord.objects.get(action="make-recovery-link")
    assert record.details == {"second factors removed": 0}
    assert key not in str(ActionRecord.objects.values().get(pk=record.pk))
    assert codes(set_password(key, "12345678")) == ["password_too_common"]
    assert set_password(key).status_code == 401, "the password is set, and nobody signed in"
    assert codes(set_password(key, PASSWORD)) == ["invalid_password_reset"]
    assert {who.get("/api/v1/players/me/").status_code for who in (program, elsewhere)} == {401}
    player.refresh_from_db()
    assert player.check_password(NEW)


def test_a_reset_link_lapses(api, administrator, player) -> None:
    key = reset_link(api, administrator, player)
    with override_settings(PASSWORD_RESET_TIMEOUT=-1):
        assert codes(set_password(key)) == ["invalid_password_reset"]
    signed_in(player)
    assert codes(set_password(key)) == ["invalid_password_reset"], "the player has remembered the password"
    player.refresh_from_db()
    assert player.check_password(PASSWORD)


def test_a_reset_keeps_second_factors_unless_they_are_lost_too(api, administrator, player) -> None:
    set_up_app(player)
    reset_link(api, administrator, player)
    assert has_second_factor(player)
    reset_link(api, administrator, player, second_factors=True)
    assert not has_second_factor(player)
    assert ActionRecord.objects.latest("id").details == {"second factors removed": 1}


def test_an_export_holds_what_accounts_hold_and_no_secret(api, administrator, player) -> None:
    own = api(player).get("/api/v1/players/me/export/")
    assert own.json()["username"] == "ann"
    assert len(own.json()["tokens"]) == 1
    assert "password" not in own.content.decode()
    assert api(administrator).get(f"/api/v1/players/{player.pk}/export/").json()["id"] == str(player.pk)
    assert ActionRecord.objects.filter(action="export-player", subject=f"player:{player.pk}").exists()


@pytest.mark.both_databases
def test_erasure_scrubs_the_person_and_keeps_the_id(api, administrator, player) -> None:
    Player.objects.filter(pk=player.pk).update(email="ann@club.example", display_name="Ann")
    theirs = api(player)
    assert api(administrator).delete(f"/api/v1/players/{player.pk}/").status_code == 204
    kept = Player.objects.values().get(pk=player.pk)
    assert kept.pop("password").startswith("!")  # unusable, followed by random letters
    assert not [value for value in kept.values() if isinstance(value, str) and "ann" in value.lower()]
    assert (kept["email"], kept["display_name"], kept["is_active"]) == ("", "", False)
    assert theirs.get("/api/v1/players/me/").status_code == 401
    again = api(None).post("/api/v1/players/", {"username": "ann", "password": PASSWORD}, key="")
    assert again.status_code == 201, "the name is free again"
    assert again.json()["id"] != str(player.pk)


def test_one_may_erase_oneself_with_the_password(api, player, administrator) -> None:
    client = api(player)
    assert client.delete("/api/v1/players/me/", {"password": "wrong"}).status_code == 401
    assert client.delete("/api/v1/players/me/", {"password": PASSWORD}).status_code == 204
    refused = api(administrator).delete("/api/v1/players/me/", {"password": PASSWORD})
    assert refused.json()["code"] == "account-still-needed"


@pytest.mark.both_databases
def test_the_record_of_staff_actions_can_only_grow(administrator) -> None:
    record_action(actor=administrator, action="test", at=timezone.now())
    for sql in ("UPDATE staff_actionrecord SET reason = 'x'", "DELETE FROM staff_actionrecord"):
        with pytest.raises(DatabaseError), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(sql)
    assert ActionRecord.objects.exists()


def test_tokens_require_the_second_factor(api, player) -> None:
    secret = set_up_app(player)
    credentials = {"username": "ann", "password": PASSWORD}

    def issue(**more: str) -> Any:
        return api(None).post("/api/v1/tokens/", {**credentials, **more}, key="")

    assert (issue().status_code, issue().json()["code"]) == (401, "code-required")
    assert (issue(otp="000000x").status_code, issue(otp="000000x").json()["code"]) == (401, "code-refused")
    code = code_of(secret)
    assert issue(otp=code).status_code == 201
    assert issue(otp=code).json()["code"] == "code-refused", "a code is good once"


def test_a_recovery_code_is_good_once(api, player) -> None:
    set_up_app(player)
    code = RecoveryCodes.activate(player).generate_codes()[3]
    credentials = {"username": "ann", "password": PASSWORD, "otp": code}
    answers = [api(None).post("/api/v1/tokens/", credentials, key="") for _ in range(2)]
    assert [answer.status_code for answer in answers] == [201, 401]


@override_settings(ACCOUNT_RATE_LIMITS={"login_failed": "3/15m/key"})
def test_guesses_of_a_code_are_limited(api, player) -> None:
    secret = set_up_app(player)
    given = {"username": "ann", "password": PASSWORD}
    guesses = [
        api(None).post("/api/v1/tokens/", {**given, "otp": f"{number}x"}, key="").json()["code"]
        for number in range(4)
    ]
    assert guesses == ["code-refused"] * 3 + ["sign-in-locked"]
    right = api(None).post("/api/v1/tokens/", {**given, "otp": code_of(secret)}, key="")
    assert (right.status_code, right.json()["code"]) == (429, "sign-in-locked")


@override_settings(REQUIRE_SECOND_FACTOR=True)
def test_staff_without_a_required_code_have_no_permissions(api, administrator, player) -> None:
    answer = api(administrator).get(f"/api/v1/players/{player.pk}/export/")
    assert (answer.status_code, answer.json()["code"]) == (403, "second-factor-required")
    assert roles_of(administrator) == frozenset()
    assert Player.objects.get(pk=administrator.pk).get_all_permissions() == set()
    assert api(player).get("/api/v1/players/me/").status_code == 200
    set_up_app(administrator)
    assert api(administrator).get(f"/api/v1/players/{player.pk}/export/").status_code == 200


@pytest.mark.both_databases
def test_permissions_are_those_that_django_finds(player: Player, auditor: Player, administrator: Player):
    recover = Permission.objects.get(codename="recover_player")
    for who in (player, auditor, administrator):
        for given in (set(), {"accounts.recover_player"}):
            fresh, other = Player.objects.get(pk=who.pk), Player.objects.get(pk=who.pk)
            assert PlayerBackend().get_all_permissions(fresh) == ModelBackend().get_all_permissions(other)
            assert given <= PlayerBackend().get_all_permissions(fresh)
            who.user_permissions.add(recover)
