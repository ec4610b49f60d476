"""The page with a player's money and its reasons, which reveals nothing hidden of a running game."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from itertools import pairwise
from uuid import uuid4

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from accounts.models import Player
from accounts.services import issue_token
from ledger import services
from ledger.limits import services as protection
from ledger.models import StakeTable, Transfer
from ledger.payouts.requests import request_withdrawal
from tests.ledger.betting.markets import bet, open_pool
from tests.ledger.staff.conftest import Office, deal, play, session_of
from tests.money import CURRENCY, available, cash, fresh_key, fund

pytestmark = pytest.mark.django_db


def page_of(player: Player) -> str:
    return reverse("admin:staff_player", args=[player.pk])


@pytest.fixture
def now() -> datetime:
    return timezone.now()


@pytest.fixture
def audit(staff_client: Office, auditor: Player) -> Client:
    return staff_client(auditor)


def owed(player: Player, now: datetime, amount: int = 400) -> None:
    """Pay 500 to a player, who spends the amount, and reverse it."""
    fund(cash(player.pk), 500)
    paid = Transfer.objects.get(credit__key=str(player.pk))
    legs = [services.Leg(cash(player.pk), cash(uuid4()), amount, "x")]
    services.post(key="away", legs=legs, actor="t", at=now)
    services.reverse(transfer=paid.uuid, key="back", actor="t", reason="bounced", at=now)


def test_balances_payouts_and_limits_are_shown(audit: Client, player: Player, now: datetime) -> None:
    services.deposit(
        player=player.pk, amount=5000, currency=CURRENCY, key="in", actor="t", reason="paid in", at=now
    )
    assert "no limit" in audit.get(page_of(player)).content.decode()
    fund(cash(player.pk, "GBP"), 250)
    asked = request_withdrawal(
        player=player.pk, amount=700, currency=CURRENCY, destination="her bank", key=fresh_key(), at=now
    )
    session_of(player.pk, at=now, amount=2000)
    order = {"player": player.pk, "actor": "t", "at": now}
    protection.set_limit(kind="deposit", period="day", amount=6000, currency=CURRENCY, key="l", **order)
    protection.take_time_out(hours=2, key="t", **order)
    page = audit.get(page_of(player))
    own, pounds = page.context["wallets"]
    assert (own.available, own.held, own.total, own.owed) == (6300, 700, 7000, 0)
    assert (own.currency, pounds.currency, pounds.total) == (CURRENCY, "GBP", 250)
    assert [hold.amount for hold in page.context["holds"]] == [700]
    (paid_in, *_) = page.context["limits"]
    assert (paid_in[0], [used.used for used in paid_in[1]]) == ("Deposits", [5000, 5000, 5000])
    shown = page.content.decode()
    for reported in (
        "63.00",
        "7.00",
        "70.00",
        "£2.50",
        asked.reference,
        "10.00 left of 60.00",
        "no play, bets or deposits until",
    ):
        assert reported in shown, reported
    assert "her bank" not in shown


def test_debt_after_a_reversal_is_shown(audit: Client, player: Player, now: datetime) -> None:
    owed(player, now)
    page = audit.get(page_of(player))
    (wallet,) = page.context["wallets"]
    assert (wallet.total, wallet.owed) == (0, 400)
    assert "<dt>Debt</dt>" in page.content.decode()


def test_the_statement_has_a_running_balance_and_pages(audit: Client, player: Player, now: datetime) -> None:
    for amount in range(1, 41):
        fund(cash(player.pk), amount)
    first = audit.get(page_of(player))
    lines = first.context["lines"]
    assert (len(lines), lines[0].balance) == (25, 820)
    rest = audit.get(page_of(player), {"account": cash(player.pk).pk, "before": first.context["older"]})
    lines += rest.context["lines"]
    assert len(lines) == 40
    assert all(line.balance - line.change == older.balance for line, older in pairwise(lines))
    assert lines[-1].balance == lines[-1].change
    for kind in ("account-statement", "account-statement-csv"):
        address = reverse(kind, args=[cash(player.pk).pk])
        assert f'href="{address}"' in first.content.decode()
        assert audit.get(address).status_code == 200


def test_the_statement_is_in_words(audit: Client, player: Player, now: datetime) -> None:
    fund(cash(player.pk), 500)
    reason = f"ruling 1 on dispute {uuid4()}"
    services.post(
        key="ruled", legs=[services.Leg(cash(player.pk), cash(uuid4()), 4, reason)], actor="t", at=now
    )
    page = audit.get(page_of(player))
    assert page.context["lines"][0].reason == "ruling 1"
    assert page.context["lines"][-1].counterparty == "Outside the site"
    assert reason not in page.content.decode()


def test_the_statement_of_another_account_is_not_found(audit: Client, player: Player, rival: Player) -> None:
    for who in (player, rival):
        fund(cash(who.pk), 5)
    theirs = {"account": cash(rival.pk).pk}
    for query in (theirs, {"account": "x"}, {"account": "0"}, {"before": "x"}, {"before": "9" * 30}):
        assert audit.get(page_of(player), query).status_code == 404, query
    assert audit.get(reverse("admin:staff_player", args=[uuid4()])).status_code == 404


def test_games_are_shown_by_their_money_only(
    audit: Client, player: Player, vegas: StakeTable, now: datetime
) -> None:
    session = session_of(player.pk, at=now)
    play(session, vegas, at=now - timedelta(minutes=1), winnings=208)
    running = services.take_stake(
        session=session, game=uuid4(), stake=104, max_win=416, stake_table=vegas, event=1, at=now,
        summary={"deck": "the-hidden-deck"},
    )  # fmt: skip
    fund(cash(player.pk), 150)
    bet(open_pool(), "H", 150, player.pk)
    page = audit.get(page_of(player))
    shown = page.content.decode()
    assert page.context["stakes"][0].game == running.game
    for reported in ("+1.04", "4.16", "1.50", "open"):
        assert reported in shown, reported
    assert "the-hidden-deck" not in shown


def test_player_without_money_is_offered_a_deposit(
    staff_client: Office, administrator: Player, player: Player, audit: Client
) -> None:
    link = f"{reverse('admin:ledger_account_deposit')}?player={player.pk}"
    assert link in staff_client(administrator).get(page_of(player)).content.decode()
    assert link not in audit.get(page_of(player)).content.decode()


# --- list --------------------------------------------------------------------------------------------


def test_players_are_found_by_name_and_id(
    audit: Client, player: Player, rival: Player, stranger: Player
) -> None:
    address = reverse("admin:staff_players")
    fund(cash(player.pk), 12_345)
    for text, names in (("", ["ann", "audrey", "bob", "eve"]), ("AN", ["ann"]), (str(rival.pk), ["bob"])):
        found = [each.player.username for each in audit.get(address, {"q": text}).context["players"]]
        assert found == names
    assert audit.get(address, {"q": "\x00"}).status_code == 400
    assert "123.45" in audit.get(address).content.decode()
    assert "No matching players" in audit.get(address, {"q": "<script>"}).content.decode()
    behind = audit.get(address, {"after": "bob"}).context["players"]
    assert [each.player.username for each in behind] == ["eve"]


def test_the_number_of_queries_does_not_grow(
    audit: Client, player: Player, vegas: StakeTable, now: datetime
) -> None:
    def asked() -> list[int]:
        counts = []
        for address in (page_of(player), reverse("admin:staff_players")):
            with CaptureQueriesContext(connection) as captured:
                assert audit.get(address).status_code == 200
            counts.append(len(captured))
        return counts

    session = session_of(player.pk, at=now)
    play(session, vegas, at=now)
    fund(cash(player.pk), 90_000)
    bet(open_pool(), "H", 100, player.pk)
    asked()
    few = asked()
    for _ in range(4):
        play(session, vegas, at=now)
        bet(open_pool(), "H", 100, player.pk)
        fund(cash(uuid4()), 5)
    deal(session, vegas, at=now)
    assert asked() == few


# --- actions -----------------------------------------------------------------------------------------


def test_the_preview_of_a_reversal_shows_all_its_transfers(
    staff_client: Office, administrator: Player, player: Player, now: datetime
) -> None:
    fund(cash(player.pk), 500)
    paid = Transfer.objects.get(credit__key=str(player.pk))
    services.post(
        key="away", legs=[services.Leg(cash(player.pk), cash(uuid4()), 400, "x")], actor="t", at=now
    )
    client, address = staff_client(administrator), reverse("admin:ledger_transfer_reverse", args=[paid.pk])
    key = re.search(r'name="key" value="(\w+)"', client.get(address).content.decode())
    assert key is not None
    order = {"key": key[1], "reason": "bounced"}
    before = Transfer.objects.count()
    preview = client.post(address, order)
    shown = preview.content.decode()
    assert f"{player.username} will owe 4.00 play money, which is no longer available." in shown
    assert [each.amount for each in preview.context["preview"].movements] == [
        "4.00 play money",
        "5.00 play money",
    ]
    assert Transfer.objects.count() == before
    assert available(f"player:{player.pk}") == 100
    assert client.post(address, {**order, "confirmed": "yes"}).status_code == 302
    posted = Transfer.objects.order_by("position")[before:]
    assert [each.amount for each in posted] == [400, 500]
    again = client.post(address, {"key": "other", "reason": "bounced"}).content.decode()
    assert "reversed it at" in again


def test_deposit_preview_shows_repayment(
    staff_client: Office, administrator: Player, player: Player, now: datetime
) -> None:
    owed(player, now)
    order = {"key": "k", "player": str(player.pk), "amount": "10", "reason": "paid in"}
    shown = staff_client(administrator).post(reverse("admin:ledger_account_deposit"), order).content.decode()
    assert "4.00 play money of it repays a debt." in shown
    assert available(f"player:{player.pk}") == 0


def test_play_money_is_listed_too(
    staff_client: Office, auditor: Player, administrator: Player, player: Player, now: datetime
) -> None:
    """The page also lists games and tokens, which are outside the ledger, but not the keys of tokens."""
    made, secret = issue_token(player=player)
    order = {"actor": "player:a", "at": now, "reason": "who won it?"}
    freeze = services.freeze(subject="game:7", player=player.pk, claim="a claim", **order)
    for who in (auditor, administrator):
        shown = staff_client(who).get(page_of(player)).content.decode()
        assert "No game yet." in shown
        assert (made.token_key[:8] in shown) == who.has_perm("accounts.view_player")
        assert secret not in shown
        assert reverse("admin:ledger_freeze_change", args=[freeze.pk]) in shown
