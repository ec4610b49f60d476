"""Players on the staff pages: sign-in with the code, actions with a reason, no secret on any page."""

from __future__ import annotations

from uuid import uuid4

import pytest
from django.test import Client, override_settings
from django.urls import reverse
from django_otp.oath import totp
from django_otp.plugins.otp_totp.models import TOTPDevice

from accounts.models import Player, RecoveryLink
from accounts.services import issue_token
from staff.models import ActionRecord
from tests.conftest import PASSWORD
from tests.money import cash, fund

pytestmark = pytest.mark.django_db
SIGN_IN = "/admin/login/?next=/admin/"


@pytest.fixture
def staff_client(administrator) -> Client:
    browser = Client()
    browser.force_login(administrator, backend="accounts.roles.PlayerBackend")
    return browser


def test_sign_in_requires_an_enrolled_code(administrator) -> None:
    device = TOTPDevice.objects.create(user=administrator, confirmed=True)
    browser = Client()
    given = {"username": "adam", "password": PASSWORD}
    assert "missing or not right" in browser.post(SIGN_IN, given).content.decode()
    assert browser.get("/admin/").status_code == 302
    code = f"{totp(device.bin_key):06}"
    assert browser.post(SIGN_IN, {**given, "otp_token": code})["Location"] == "/admin/"
    assert browser.get("/admin/").status_code == 200


def test_players_are_not_staff(player) -> None:
    browser = Client()
    browser.post(SIGN_IN, {"username": "ann", "password": PASSWORD})
    assert browser.get("/admin/").status_code == 302


@override_settings(REQUIRE_TOTP=True)
def test_sign_in_without_a_required_code_is_refused(administrator, staff_client) -> None:
    assert staff_client.get("/admin/").status_code == 302
    answer = Client().post(SIGN_IN, {"username": "adam", "password": PASSWORD})
    assert "must first enrol" in answer.content.decode()


def test_pages_show_players_and_no_secret(staff_client, administrator, player) -> None:
    record, token = issue_token(player=player)
    TOTPDevice.objects.create(user=player, confirmed=True)
    for address in (
        "accounts/player/",
        f"accounts/player/{player.pk}/change/",
        "staff/actionrecord/",
        "accounts/recoverylink/",
    ):
        answer = staff_client.get(f"/admin/{address}")
        assert answer.status_code == 200, address
        page = answer.content.decode()
        for secret in (token, record.digest, player.password, TOTPDevice.objects.get().key):
            assert secret not in page
        assert "unsafe-inline" not in answer["Content-Security-Policy"]
        assert "<script>" not in page
    assert "Export player" in staff_client.get("/admin/staff/actionrecord/").content.decode()


def test_the_lists_have_no_add_edit_or_delete(staff_client, player) -> None:
    assert staff_client.get("/admin/accounts/player/add/").status_code == 403
    assert (
        staff_client.post(f"/admin/accounts/player/{player.pk}/change/", {"username": "x"}).status_code == 403
    )
    assert (
        staff_client.post(f"/admin/accounts/player/{player.pk}/delete/", {"post": "yes"}).status_code == 403
    )
    player.refresh_from_db()
    assert player.username == "ann"


def address(player: Player, action: str) -> str:
    return reverse(f"admin:accounts_player_{action}", args=[player.pk])


def act(staff_client: Client, player: Player, action: str, **more):
    return staff_client.post(
        address(player, action), {"key": uuid4().hex, **more}, follow=True
    ).content.decode()


def test_roles_are_given_with_a_reason_after_a_preview(staff_client, player) -> None:
    assert (
        address(player, "roles")
        in staff_client.get(f"/admin/accounts/player/{player.pk}/change/").content.decode()
    )
    assert 'name="reason"' in staff_client.get(address(player, "roles")).content.decode()
    act(staff_client, player, "roles", confirmed="yes", roles=["auditor"])
    assert not player.groups.exists(), "no reason was given"
    preview = act(staff_client, player, "roles", roles=["auditor"], reason="she audits the cup")
    assert "Set roles" in preview
    assert not player.groups.exists(), "a preview changes nothing"
    result = act(
        staff_client, player, "roles", confirmed="yes", roles=["auditor"], reason="she audits the cup"
    )
    assert "holds these roles now: auditor." in result
    assert [group.name for group in player.groups.all()] == ["auditor"]
    assert ActionRecord.objects.get(subject=f"player:{player.pk}").reason == "she audits the cup"


def test_who_takes_their_own_role_is_warned(staff_client, administrator) -> None:
    assert "You are removing your own administrator role" in act(
        staff_client, administrator, "roles", reason="I retire"
    )


def test_a_recovery_link_is_shown_once(staff_client, player, api) -> None:
    assert "Anyone who has the link can set the password" in act(
        staff_client, player, "recover", reason="she came by"
    )
    assert not RecoveryLink.objects.exists()
    page = act(staff_client, player, "recover", reason="she came by", confirmed="yes")
    assert ActionRecord.objects.get(action="make-recovery-link").reason == "she came by"
    token = page.partition("until ")[2].partition("</li>")[0].split(": ")[-1].strip()
    answer = api(None).post(
        "/api/v1/recovery/", {"token": token, "password": "another horse battery"}, key=""
    )
    assert answer.status_code == 204, token
    assert token not in staff_client.get("/admin/accounts/recoverylink/").content.decode()


def test_erasure_says_what_goes_and_stays_before_it_acts(staff_client, player) -> None:
    fund(cash(player.pk), 1234)
    preview = act(staff_client, player, "erase", reason="she asked for it")
    for each in ("cannot be undone", "XTS\xa012.34", str(player.pk)):
        assert each in preview
    player.refresh_from_db()
    assert player.erased_at is None
    act(staff_client, player, "erase", confirmed="yes", reason="she asked for it")
    player.refresh_from_db()
    assert player.erased_at is not None


def test_staff_are_not_erased_and_the_preview_says_so(staff_client, auditor) -> None:
    for more in ({}, {"confirmed": "yes"}):
        assert "roles must be taken away first" in act(
            staff_client, auditor, "erase", reason="he left", **more
        )
    auditor.refresh_from_db()
    assert auditor.erased_at is None


@pytest.mark.parametrize("action", ["roles", "recover", "erase"])
def test_other_roles_have_no_actions_on_players(action, auditor, organizer, player) -> None:
    for who in (auditor, organizer):
        browser = Client()
        browser.force_login(who, backend="accounts.roles.PlayerBackend")
        sent = {"key": uuid4().hex, "reason": "I would like to", "confirmed": "yes"}
        assert browser.post(address(player, action), sent).status_code == 403
    player.refresh_from_db()
    assert (player.erased_at, player.groups.count(), RecoveryLink.objects.count()) == (None, 0, 0)


def test_auditors_see_no_players_here(auditor, player) -> None:
    browser = Client()
    browser.force_login(auditor, backend="accounts.roles.PlayerBackend")
    assert browser.get("/admin/accounts/player/").status_code == 403
