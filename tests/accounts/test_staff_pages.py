"""Players on the staff pages: sign-in, actions with a reason, no secret on any page."""

from __future__ import annotations

import re
from uuid import uuid4

import pytest
from allauth.account.models import EmailAddress
from django.test import Client, override_settings
from django.urls import reverse

from accounts.models import Player
from accounts.services import issue_token
from staff.models import ActionRecord
from tests.money import cash, fund
from tests.signing_in import Browser, set_up_app, signed_in

pytestmark = pytest.mark.django_db
SIGN_IN = "/admin/login/?next=/admin/"


@pytest.fixture
def staff_client(administrator) -> Client:
    browser = Client()
    browser.force_login(administrator, backend="accounts.roles.PlayerBackend")
    return browser


def test_staff_sign_in_on_the_page_of_the_web_client(administrator) -> None:
    browser = Browser()
    away = browser.get("/admin/accounts/player/")
    assert away["Location"] == "/admin/login/?next=/admin/accounts/player/"
    assert browser.get(away["Location"])["Location"] == "/sign-in/?next=%2Fadmin%2Faccounts%2Fplayer%2F"
    browser.sign_in(administrator)
    assert browser.get(away["Location"])["Location"] == "/admin/accounts/player/"
    assert browser.get("/admin/").status_code == 200
    assert browser.get("/admin/password_change/")["Location"] == "/account/"
    assert browser.get("/admin/password_change/done/")["Location"] == "/account/"


def test_players_are_not_staff_and_auditors_see_no_players(player, auditor) -> None:
    assert signed_in(auditor).get("/admin/accounts/player/").status_code == 403
    browser = signed_in(player)
    assert browser.get("/admin/")["Location"] == SIGN_IN
    assert browser.get(SIGN_IN)["Location"] == "/sign-in/?next=%2Fadmin%2F"


@override_settings(REQUIRE_SECOND_FACTOR=True)
def test_staff_without_a_required_second_factor_set_one_up_first(administrator) -> None:
    browser = signed_in(administrator)
    assert browser.get("/admin/")["Location"] == SIGN_IN
    assert browser.get(SIGN_IN)["Location"] == "/account/?next=%2Fadmin%2F"
    set_up_app(administrator)
    assert browser.get("/admin/").status_code == 200


def test_pages_show_players_and_no_secret(staff_client, administrator, player) -> None:
    record, token = issue_token(player=player)
    EmailAddress.objects.create(user=player, email="ann@club.example", primary=True)
    signed_in(player)
    secret = set_up_app(player)
    for address in (
        "accounts/player/",
        f"accounts/player/{player.pk}/change/",
        "staff/actionrecord/",
        "account/emailaddress/",
        "mfa/authenticator/",
        "socialaccount/socialaccount/",
        "usersessions/usersession/",
    ):
        answer = staff_client.get(f"/admin/{address}")
        assert answer.status_code == 200, address
        page = answer.content.decode()
        for hidden in (token, record.digest, player.password, secret):
            assert hidden not in page
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


def test_a_reset_link_is_shown_once(staff_client, player) -> None:
    warned = act(staff_client, player, "recover", reason="she came by")
    assert "Anyone who has the link can set the password" in warned
    assert not ActionRecord.objects.filter(action="make-recovery-link").exists()
    page = act(staff_client, player, "recover", reason="she came by", confirmed="yes")
    assert ActionRecord.objects.get(action="make-recovery-link").reason == "she came by"
    [key] = re.findall(r"/reset-password/\?key=([\w-]+)", page)
    given = {"key": key, "password": "another horse battery"}
    assert Browser().ask("post", "auth/password/reset", given).status_code == 401
    player.refresh_from_db()
    assert player.check_password("another horse battery")
    assert key not in staff_client.get("/admin/staff/actionrecord/").content.decode()


def test_erasure_says_what_goes_and_stays_before_it_acts(staff_client, player, auditor) -> None:
    assert "roles must be taken away first" in act(staff_client, auditor, "erase", reason="he left")
    fund(cash(player.pk), 1234)
    preview = act(staff_client, player, "erase", reason="she asked for it")
    for each in ("cannot be undone", "12.34 play money", str(player.pk)):
        assert each in preview
    player.refresh_from_db()
    assert player.erased_at is None
    act(staff_client, player, "erase", confirmed="yes", reason="she asked for it")
    player.refresh_from_db()
    assert player.erased_at is not None


def test_a_player_is_renamed_with_a_reason(staff_client, player, rival) -> None:
    taken = act(staff_client, player, "rename", username="BOB", reason="it offends", confirmed="yes")
    assert "Another account has this name" in taken
    preview = act(staff_client, player, "rename", username="anna", display_name="Anna", reason="it offends")
    assert "→ anna" in preview
    player.refresh_from_db()
    assert (player.username, player.display_name) == ("ann", "")
    more = {"username": "anna", "display_name": "Anna", "confirmed": "yes"}
    page = act(staff_client, player, "rename", reason="it offends", **more)
    assert "The player ann is called anna now" in page
    record = ActionRecord.objects.get(action="rename-player")
    assert (record.reason, record.details) == ("it offends", {"from": "ann", "to": "anna"})
    assert signed_in(Player.objects.get(username="anna"))


def test_a_suspended_player_is_out_until_the_suspension_is_lifted(staff_client, api, player) -> None:
    program, browser = api(player), signed_in(player)
    assert "is suspended" in act(staff_client, player, "suspend", reason="he cheats", confirmed="yes")
    assert {who.get("/api/v1/players/me/").status_code for who in (program, browser)} == {401}
    assert Browser().sign_in(player).status_code == 400
    assert ActionRecord.objects.get(action="suspend-player").reason == "he cheats"
    assert "can sign in again" in act(staff_client, player, "reinstate", reason="he did not", confirmed="yes")
    assert signed_in(player)
    assert program.get("/api/v1/players/me/").status_code == 401, "tokens ended with the suspension"


def test_lists_and_facts_say_states_and_yes_or_no_in_words(staff_client, player, rival) -> None:
    Player.objects.filter(pk=rival.pk).update(is_active=False)
    players = staff_client.get("/admin/accounts/player/").content.decode()
    assert players.count('<span class="state state-good">active</span>') == 2
    assert players.count('<span class="state state-warn">suspended</span>') == 1
    facts = staff_client.get(f"/admin/accounts/player/{rival.pk}/change/").content.decode()
    assert re.search(r"<dt>State</dt><dd><span[^>]*>suspended</span></dd>", facts)
    assert players.count('<td class="field-bot">no</td>') == 3
    assert re.search(r'class="field-bot"><dt>Bot</dt><dd>no</dd>', facts)
    assert "admin/img/icon-" not in players + facts


def test_nobody_suspends_themselves(staff_client, administrator) -> None:
    act(staff_client, administrator, "suspend", reason="a mistake", confirmed="yes")
    administrator.refresh_from_db()
    assert administrator.is_active
