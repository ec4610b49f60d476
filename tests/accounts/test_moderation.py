"""Blocks and reports of players, and what staff do about them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.db import DatabaseError, transaction
from django.test import Client
from django.urls import reverse

from accounts import moderation, services
from accounts.models import Block, Player, PlayerReport, ReportOutcome
from staff.models import ActionRecord
from tests.conftest import NOW, PASSWORD
from tests.signing_in import Browser

pytestmark = pytest.mark.django_db

API = "/api/v1/"
Api = Callable[[Player | None], Client]


def open_table(api: Api, player: Player, **more: Any) -> str:
    body = {"rules": "ace-race", "seats": 3, "config": {}, **more}
    return str(post(api, player, "games/", body).json()["id"])


def post(api: Api, player: Player, path: str, body: dict[str, Any], key: str = "") -> Any:
    headers = {"Idempotency-Key": key or f"{player.username}-{path}".replace("/", "-")}
    return api(player).post(API + path, body, content_type="application/json", headers=headers)


def put(api: Api, player: Player, path: str, body: dict[str, Any] | None = None) -> Any:
    return api(player).put(API + path, body or {}, content_type="application/json")


def test_a_blocked_player_takes_no_seat_at_the_tables_of_the_other(
    api: Api, player: Player, rival: Player, stranger: Player
) -> None:
    assert put(api, player, f"players/me/blocks/{rival.pk}/").status_code == 204
    assert put(api, player, f"players/me/blocks/{rival.pk}/").status_code == 204
    opened = open_table(api, player)
    refused = post(api, rival, f"games/{opened}/seats/", {})
    assert (refused.status_code, refused.json()["code"]) == (403, "seat-refused")
    assert str(player.pk) not in refused.content.decode()
    joined = open_table(api, stranger)
    assert post(api, player, f"games/{joined}/seats/", {}).status_code == 201
    refused = post(api, rival, f"games/{joined}/seats/", {})
    assert (refused.status_code, refused.json()["code"]) == (403, "seat-refused")
    elsewhere = open_table(api, rival)
    assert post(api, rival, f"games/{elsewhere}/seats/", {}).status_code == 201
    assert api(player).delete(f"{API}players/me/blocks/{rival.pk}/").status_code == 204
    assert post(api, rival, f"games/{opened}/seats/", {}).status_code == 201


def test_blocks_are_listed_and_bounded(
    api: Api, player: Player, rival: Player, stranger: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(moderation, "MOST_BLOCKS", 1)
    put(api, player, f"players/me/blocks/{rival.pk}/")
    full = put(api, player, f"players/me/blocks/{stranger.pk}/")
    assert (full.status_code, full.json()["code"]) == (409, "too-many-blocks")
    [listed] = api(player).get(f"{API}players/me/blocks/").json()
    assert (listed["player"], listed["name"]) == (str(rival.pk), rival.get_full_name())
    assert api(rival).get(f"{API}players/me/blocks/").json() == []


def test_only_other_people_are_blocked_and_reported(api: Api, player: Player) -> None:
    bot = services.create_bot(name="Bot 1")
    for other, status in ((player.pk, 400), (bot.pk, 400), ("0e9b9d3c-31c9-4b0a-9b0e-5a3c2c7a9d11", 404)):
        assert put(api, player, f"players/me/blocks/{other}/").status_code == status
        assert post(api, player, f"players/{other}/reports/", {"reason": "name"}).status_code == status


@pytest.mark.both_databases
def test_a_report_is_made_once_and_closed_by_an_administrator(
    api: Api, player: Player, rival: Player, administrator: Player
) -> None:
    body = {"reason": "stalling", "text": "left three games"}
    first = post(api, player, f"players/{rival.pk}/reports/", body, key="one")
    again = post(api, player, f"players/{rival.pk}/reports/", body, key="two")
    assert (first.status_code, again.json()["id"]) == (201, first.json()["id"])
    [listed] = api(administrator).get(f"{API}player-reports/").json()["results"]
    assert (listed["reporter"], listed["text"], listed["outcome"]) == (
        str(player.pk),
        "left three games",
        None,
    )
    path = f"player-reports/{listed['id']}/closing/"
    ruling = {"outcome": "dismissed", "reason": "the connection was lost"}
    closed = post(api, administrator, path, ruling, key="close")
    assert (closed.status_code, closed.json()["outcome"]) == (200, "dismissed")
    late = post(api, administrator, path, ruling, key="close-again")
    assert (late.status_code, late.json()["code"]) == (409, "report-closed")
    record = ActionRecord.objects.get(action="close-player-report")
    assert (record.subject, record.reason) == (f"player:{rival.pk}", "the connection was lost")
    assert post(api, player, f"players/{rival.pk}/reports/", body, key="three").json()["id"] != listed["id"]


def test_open_reports_of_a_player_are_bounded(
    api: Api, player: Player, rival: Player, stranger: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(moderation, "MOST_REPORTS", 1)
    assert post(api, player, f"players/{rival.pk}/reports/", {"reason": "name"}).status_code == 201
    full = post(api, player, f"players/{stranger.pk}/reports/", {"reason": "name"})
    assert (full.status_code, full.json()["code"]) == (409, "too-many-reports")


def test_staff_rename_and_suspend_over_rest_and_the_player_reads_why(
    api: Api, player: Player, administrator: Player
) -> None:
    names = {"username": "anna", "display_name": "Anna", "reason": "the name offended"}
    for _ in range(2):
        assert put(api, administrator, f"players/{player.pk}/names/", names).json()["username"] == "anna"
    reason = {"reason": "played with two accounts"}
    for _ in range(2):
        assert put(api, administrator, f"players/{player.pk}/suspension/", reason).status_code == 200
    form = {"username": "anna", "password": PASSWORD}
    refused = Client().post(f"{API}tokens/", form, content_type="application/json")
    assert (refused.status_code, refused.json()["code"]) == (403, "account-suspended")
    assert refused.json()["reason"] == "played with two accounts"
    wrong = Client().post(f"{API}tokens/", form | {"password": "wrong"}, content_type="application/json")
    assert wrong.json()["code"] == "sign-in-refused"
    page = Browser().sign_in("anna")
    assert page.json()["errors"][0]["code"] == "account_suspended"
    assert "played with two accounts" in page.json()["errors"][0]["message"]
    lifted = api(administrator).delete(
        f"{API}players/{player.pk}/suspension/", reason, content_type="application/json"
    )
    assert lifted.status_code == 200
    assert Browser().sign_in("anna").status_code == 200
    assert ActionRecord.objects.filter(action__in=["rename-player", "suspend-player"]).count() == 2


def test_the_pages_show_open_reports(
    player: Player, rival: Player, administrator: Player, client: Client
) -> None:
    made = PlayerReport.objects.create(
        reporter=player, player=rival, reason="cheating", text="knew my cards", created=NOW
    )
    client.force_login(administrator, backend="accounts.roles.PlayerBackend")
    listed = client.get(reverse("admin:accounts_playerreport_changelist"), {"closed__isempty": "1"})
    assert rival.username in listed.content.decode()
    shown = client.get(reverse("admin:accounts_playerreport_change", args=[made.pk])).content.decode()
    assert "knew my cards" in shown
    assert reverse("admin:accounts_playerreport_close", args=[made.pk]) in shown


def test_the_page_of_a_player_counts_reports_about_them(
    player: Player, rival: Player, stranger: Player, administrator: Player, client: Client
) -> None:
    def report(reporter: Player, of: Player, **closed: Any) -> None:
        PlayerReport.objects.create(reporter=reporter, player=of, reason="name", created=NOW, **closed)

    report(player, rival)
    report(stranger, rival, closed=NOW, closed_by=administrator, outcome=ReportOutcome.DISMISSED)
    report(rival, player)
    client.force_login(administrator, backend="accounts.roles.PlayerBackend")
    shown = client.get(reverse("admin:accounts_player_change", args=[rival.pk])).content.decode()
    listed = f"{reverse('admin:accounts_playerreport_changelist')}?q={rival.pk}"
    assert f'<a href="{listed}">1 open, 2 in total</a>' in shown
    found = client.get(listed).content.decode()
    assert (found.count(player.username), found.count(stranger.username)) == (1, 1)


def test_an_erased_player_leaves_no_words(player: Player, rival: Player) -> None:
    moderation.block(player=player, other=rival.pk, now=NOW)
    PlayerReport.objects.create(reporter=player, player=rival, reason="other", text="my words", created=NOW)
    assert services.export_player(player=player)["reports_made"][0]["text"] == "my words"
    [received] = services.export_player(player=rival)["reports_received"]
    assert "reporter" not in received
    services.erase_player(player=player, now=NOW)
    assert not Block.objects.exists()
    assert PlayerReport.objects.get().text == ""


@pytest.mark.both_databases
def test_the_database_keeps_reports_whole(player: Player, rival: Player) -> None:
    made = PlayerReport.objects.create(reporter=player, player=rival, reason="name", created=NOW)
    for change in ({"outcome": ReportOutcome.DISMISSED}, {"closed": NOW}, {"reporter": rival}):
        with pytest.raises(DatabaseError), transaction.atomic():
            PlayerReport.objects.filter(pk=made.pk).update(**change)
    with pytest.raises(DatabaseError), transaction.atomic():
        Block.objects.create(player=player, blocked=player, created=NOW)
