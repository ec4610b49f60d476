"""Staff actions on accounts: roles, recovery, export, and erasure, each recorded."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.auth.backends import ModelBackend
from django.contrib.auth.models import Permission
from django.db import DatabaseError, connection, transaction
from django.test import override_settings
from django.utils import timezone
from django_otp.oath import totp
from django_otp.plugins.otp_totp.models import TOTPDevice

from accounts.models import Player, RecoveryLink
from accounts.roles import PlayerBackend, Role, has_role, make_groups, roles_of
from accounts.staff import SetRoles
from staff.actions import AlreadyDone, perform, record_action, resource_key
from staff.models import ActionRecord
from tests.conftest import PASSWORD

pytestmark = pytest.mark.django_db
NEW = "another horse battery"


def test_only_administrators(api, request, rival, subtests: pytest.Subtests) -> None:
    for method, address, body in [
        ("post", "recovery/", {}),
        ("put", "roles/", {"roles": ["administrator"]}),
        ("get", "export/", None),
        ("delete", "", None),
    ]:
        for who in ["nobody", "player", "organizer", "auditor"]:
            with subtests.test(method=method, address=address, body=body, who=who):
                client = api(None if who == "nobody" else request.getfixturevalue(who))
                answer = getattr(client, method)(f"/api/v1/players/{rival.pk}/{address}", body)
                assert answer.status_code == (401 if who == "nobody" else 403)
                rival.refresh_from_db()
                assert rival.erased_at is None
                assert not rival.groups.exists()
                assert not RecoveryLink.objects.exists()


@pytest.mark.both_databases
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


@pytest.mark.both_databases
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


def test_a_recovery_link_is_good_once(api, administrator, player) -> None:
    elsewhere = api(player)
    made = api(administrator).post(f"/api/v1/players/{player.pk}/recovery/", {}, key="")
    assert made.status_code == 201
    token = made.json()["token"]
    assert token not in str(RecoveryLink.objects.values().get())
    weak = api(None).post("/api/v1/recovery/", {"token": token, "password": "12345678"}, key="")
    assert weak.json()["code"] == "password-refused"
    used = api(None).post("/api/v1/recovery/", {"token": token, "password": NEW}, key="")
    assert used.status_code == 204
    again = api(None).post("/api/v1/recovery/", {"token": token, "password": PASSWORD}, key="")
    assert (again.status_code, again.json()["code"]) == (400, "recovery-refused")
    assert elsewhere.get("/api/v1/players/me/").status_code == 401
    player.refresh_from_db()
    assert player.check_password(NEW)


def test_a_recovery_link_lapses_and_gives_way_to_the_next(api, administrator, player) -> None:
    address = f"/api/v1/players/{player.pk}/recovery/"
    first, second = (api(administrator).post(address, {}, key="").json()["token"] for _ in range(2))
    refused = api(None).post("/api/v1/recovery/", {"token": first, "password": NEW}, key="")
    assert refused.json()["code"] == "recovery-refused"
    RecoveryLink.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    refused = api(None).post("/api/v1/recovery/", {"token": second, "password": NEW}, key="")
    assert refused.json()["code"] == "recovery-refused"
    player.refresh_from_db()
    assert player.check_password(PASSWORD)


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


def code_of(device: TOTPDevice) -> str:
    return f"{totp(device.bin_key, digits=device.digits):06}"


def test_an_enrolled_code_is_required(api, organizer) -> None:
    client = api(organizer)
    begun = client.post("/api/v1/players/me/otp/", {}, key="")
    assert begun.json()["config_url"].startswith("otpauth://totp/")
    device = TOTPDevice.objects.get(user=organizer)
    credentials = {"username": "olga", "password": PASSWORD}
    assert api(None).post("/api/v1/tokens/", credentials, key="").status_code == 201, "not confirmed yet"
    assert (
        client.post("/api/v1/players/me/otp/confirm/", {"otp": "x"}, key="").json()["code"] == "otp-refused"
    )
    TOTPDevice.objects.update(throttling_failure_count=0, throttling_failure_timestamp=None)
    confirmed = client.post("/api/v1/players/me/otp/confirm/", {"otp": code_of(device)}, key="")
    assert confirmed.status_code == 204
    TOTPDevice.objects.update(last_t=-1)  # as if the next half minute had come
    answer = api(None).post("/api/v1/tokens/", credentials, key="")
    assert (answer.status_code, answer.json()["code"]) == (401, "otp-required")
    answer = api(None).post("/api/v1/tokens/", {**credentials, "otp": "000000x"}, key="")
    assert (answer.status_code, answer.json()["code"]) == (401, "otp-refused")
    TOTPDevice.objects.update(throttling_failure_count=0, throttling_failure_timestamp=None)
    code = code_of(device)
    assert api(None).post("/api/v1/tokens/", {**credentials, "otp": code}, key="").status_code == 201
    again = api(None).post("/api/v1/tokens/", {**credentials, "otp": code}, key="")
    assert again.json()["code"] == "otp-refused", "a code is good once"
    assert client.post("/api/v1/players/me/otp/", {}, key="").json()["code"] == "otp-already-enrolled"


@override_settings(REQUIRE_TOTP=True)
def test_staff_without_a_required_code_have_no_permissions(api, administrator, player) -> None:
    answer = api(administrator).get(f"/api/v1/players/{player.pk}/export/")
    assert (answer.status_code, answer.json()["code"]) == (403, "otp-enrolment-required")
    assert roles_of(administrator) == frozenset()
    assert Player.objects.get(pk=administrator.pk).get_all_permissions() == set()
    assert api(player).get("/api/v1/players/me/").status_code == 200
    TOTPDevice.objects.create(user=administrator, confirmed=True)
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
