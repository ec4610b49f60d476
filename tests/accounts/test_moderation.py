"""Blocks and reports of players, and what staff do about them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest
from django.db import DatabaseError, transaction
from django.urls import reverse

from accounts import bots, moderation, services
from accounts.errors import ReportClosed, TooManyBlocks, TooManyReports
from accounts.models import Block, Player, PlayerReport, ReportOutcome, ReportReason
from core.errors import InvalidInput, NotFound
from games.errors import SeatRefused
from games.models import GameRecord
from games.tables.services import create_game, take_seat
from staff.models import ActionRecord
from tests.conftest import NOW, PASSWORD, Client
from tests.signing_in import Browser, signed_in

pytestmark = pytest.mark.django_db

API = "/api/v1/"
Api = Callable[[Player | None], Client]
REPORTS = "admin:accounts_playerreport"


def table(creator: Player) -> GameRecord:
    return create_game(rules="ace-race", config={}, seats=3, creator=creator, now=NOW)


def sit(game: GameRecord, player: Player) -> None:
    take_seat(game=game, player=player, client_seed="", now=NOW)


def report(
    reporter: Player, other: Player, reason: ReportReason = ReportReason.NAME, text: str = ""
) -> PlayerReport:
    return moderation.report(reporter=reporter, other=other.pk, reason=reason, text=text, game=None, now=NOW)


def test_a_blocked_player_takes_no_seat_at_the_tables_of_the_other(
    player: Player, rival: Player, stranger: Player
) -> None:
    opened, joined = table(player), table(stranger)
    for _ in range(2):
        moderation.block(player=player, other=rival.pk, now=NOW)
    sit(joined, player)
    for game in (opened, joined):
        with pytest.raises(SeatRefused) as refused:
            sit(game, rival)
        assert str(player.pk) not in f"{refused.value.detail}{refused.value.extra}"
    sit(table(rival), rival)
    moderation.unblock(player=player, other=rival.pk)
    sit(opened, rival)


def test_a_block_keeps_the_bots_of_both_away(player: Player, rival: Player) -> None:
    bot = bots.create(owner=player, name="Deep Ace", owner_only=False, now=NOW)
    for blocker, blocked, host, guest in (
        (rival, player, rival, bot),
        (rival, bot, rival, bot),
        (player, rival, bot, rival),
    ):
        moderation.block(player=blocker, other=blocked.pk, now=NOW)
        with pytest.raises(SeatRefused):
            sit(table(host), guest)
        moderation.unblock(player=blocker, other=blocked.pk)
        sit(table(host), guest)


def test_blocks_are_listed_and_bounded(
    api: Api, player: Player, rival: Player, stranger: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(moderation, "MOST_BLOCKS", 1)
    blocks = f"{API}players/me/blocks/"
    assert api(player).put(f"{blocks}{rival.pk}/").status_code == 204
    with pytest.raises(TooManyBlocks):
        moderation.block(player=player, other=stranger.pk, now=NOW)
    [listed] = api(player).get(blocks).json()
    assert (listed["player"], listed["name"]) == (str(rival.pk), rival.get_full_name())
    assert api(rival).get(blocks).json() == []
    assert api(player).delete(f"{blocks}{rival.pk}/").status_code == 204
    assert api(player).get(blocks).json() == []


def test_only_other_people_are_blocked_and_reported(player: Player) -> None:
    unknown = Player(pk=UUID(int=7))
    refused = {player: InvalidInput, services.create_bot(name="Bot 1"): InvalidInput, unknown: NotFound}
    for other, error in refused.items():
        with pytest.raises(error):
            moderation.block(player=player, other=other.pk, now=NOW)
        with pytest.raises(error):
            report(player, other)


@pytest.mark.both_databases
def test_a_report_is_made_once_and_closed_by_an_administrator(
    api: Api, player: Player, rival: Player, administrator: Player
) -> None:
    body = {"reason": "stalling", "text": "left three games"}
    first, again = (api(player).post(f"{API}players/{rival.pk}/reports/", body) for _ in range(2))
    assert (first.status_code, again.json()["id"]) == (201, first.json()["id"])
    [listed] = api(administrator).get(f"{API}player-reports/").json()["results"]
    assert (listed["reporter"], listed["text"]) == (str(player.pk), "left three games")
    assert listed["outcome"] is None
    path = f"{API}player-reports/{listed['id']}/closing/"
    ruling = {"outcome": "dismissed", "reason": "the connection was lost"}
    closed = api(administrator).post(path, ruling)
    assert (closed.status_code, closed.json()["outcome"]) == (200, "dismissed")
    assert api(administrator).post(path, ruling).json()["code"] == ReportClosed.code
    record = ActionRecord.objects.get(action="close-player-report")
    assert (record.subject, record.reason) == (f"player:{rival.pk}", "the connection was lost")
    assert report(player, rival).pk != listed["id"]


def test_open_reports_of_a_player_are_bounded(
    player: Player, rival: Player, stranger: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(moderation, "MOST_REPORTS", 1)
    report(player, rival)
    with pytest.raises(TooManyReports):
        report(player, stranger)


def test_staff_rename_and_suspend_over_rest_and_the_player_reads_why(
    api: Api, player: Player, administrator: Player
) -> None:
    staff, path = api(administrator), f"{API}players/{player.pk}/"
    names = {"username": "anna", "display_name": "Anna", "reason": "the name offended"}
    reason = {"reason": "played with two accounts"}
    for _ in range(2):
        assert staff.put(f"{path}names/", names).json()["username"] == "anna"
        assert staff.put(f"{path}suspension/", reason).status_code == 200

    def sign_in(password: str) -> Any:
        return api(None).post(f"{API}tokens/", {"username": "anna", "password": password}, key="").json()

    assert sign_in("wrong")["code"] == "sign-in-refused"
    refused = sign_in(PASSWORD)
    assert (refused["status"], refused["code"]) == (403, "account-suspended")
    assert refused["reason"] == "played with two accounts"
    [error] = Browser().sign_in("anna").json()["errors"]
    assert error["code"] == "account_suspended"
    assert "played with two accounts" in error["message"]
    assert staff.delete(f"{path}suspension/", reason).status_code == 200
    assert Browser().sign_in("anna").status_code == 200
    assert ActionRecord.objects.filter(action__in=["rename-player", "suspend-player"]).count() == 2


def test_the_pages_show_reports_and_count_those_about_a_player(
    player: Player, rival: Player, stranger: Player, administrator: Player
) -> None:
    made = report(player, rival, ReportReason.CHEATING, "knew my cards")
    moderation.close(
        report=report(stranger, rival), by=administrator, outcome=ReportOutcome.DISMISSED, now=NOW
    )
    report(rival, player)
    browser = signed_in(administrator)

    def shown(name: str, *args: Any) -> str:
        return str(browser.get(reverse(name, args=args)).content.decode())

    page = shown(f"{REPORTS}_change", made.pk)
    assert "knew my cards" in page
    assert reverse(f"{REPORTS}_close", args=[made.pk]) in page
    listed = f"{reverse(f'{REPORTS}_changelist')}?q={rival.pk}"
    assert f'<a href="{listed}">1 open, 2 in total</a>' in shown("admin:accounts_player_change", rival.pk)
    for query, counts in ((listed, (1, 1)), (f"{listed}&closed__isempty=1", (1, 0))):
        found = browser.get(query).content.decode()
        assert (found.count(player.username), found.count(stranger.username)) == counts


def test_an_erased_player_leaves_no_words(player: Player, rival: Player) -> None:
    moderation.block(player=player, other=rival.pk, now=NOW)
    report(player, rival, ReportReason.OTHER, "my words")
    assert services.export_player(player=player)["reports_made"][0]["text"] == "my words"
    [received] = services.export_player(player=rival)["reports_received"]
    assert "reporter" not in received
    services.erase_player(player=player, now=NOW)
    assert not Block.objects.exists()
    assert PlayerReport.objects.get().text == ""


@pytest.mark.both_databases
def test_the_database_keeps_reports_whole(player: Player, rival: Player) -> None:
    made = report(player, rival)
    for change in ({"outcome": ReportOutcome.DISMISSED}, {"closed": NOW}, {"reporter": rival}):
        with pytest.raises(DatabaseError), transaction.atomic():
            PlayerReport.objects.filter(pk=made.pk).update(**change)
    with pytest.raises(DatabaseError), transaction.atomic():
        Block.objects.create(player=player, blocked=player, created=NOW)
